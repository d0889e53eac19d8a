//! `rail_chain!` and `chain_requirements!`. The macro checks the grammar of a chain, and the compiler checks everything else.
//! The expansion makes the errors of the compiler point at the name of the rail in the list.
//!
//! | module | task |
//! |---|---|
//! | `listed` | reads and checks the list of rails: `Listed` |
//! | `requirements` | reads requirements such as `require(a on B)`, and writes them as values of the library |
//! | `parse` | reads a chain, checks its grammar, and makes the model: `Chain` |
//! | `expand` | writes the items of the model, one method for each item |
//! | `steps` | writes which rail runs at which step of each event |
//! | `chain_requirements` | `chain_requirements!` |

mod chain_requirements;
mod expand;
mod listed;
mod parse;
mod requirements;
mod steps;

use proc_macro2::TokenStream;

pub(crate) use chain_requirements::chain_requirements;
pub(crate) use listed::lifetime;

use crate::errors;

/// Expands `rail_chain!`.
pub(crate) fn rail_chain(input: TokenStream) -> TokenStream {
    match parse::chain(input) {
        Ok(chain) => expand::chain(&chain),
        Err(error) => errors::report(&error),
    }
}

#[cfg(test)]
mod tests;
