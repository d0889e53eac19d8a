//! `rail_chain!` and `chain_policy!`. What can be wrong with a chain beyond its grammar, only the compiler sees: the
//! expansion is made so that its errors point at the rail's name in the list.
//!
//! | module | what it does |
//! |---|---|
//! | `requirements` | reads `require(a on B)` and the like, and writes them as values of the library |
//! | `parse` | reads a chain, checks its grammar, and makes the model: `Chain`, `Listed` |
//! | `expand` | writes the items of the model, one method for each item |
//! | `steps` | writes which rail runs at which step of each event |
//! | `policy` | `chain_policy!` |

mod expand;
mod parse;
mod policy;
mod requirements;
mod steps;

use proc_macro2::TokenStream;

pub(crate) use policy::chain_policy;

use crate::errors;

/// The whole of `rail_chain!`.
pub(crate) fn rail_chain(input: TokenStream) -> TokenStream {
    match parse::chain(input) {
        Ok(chain) => expand::chain(&chain),
        Err(error) => errors::report(&error),
    }
}

#[cfg(test)]
mod tests;
