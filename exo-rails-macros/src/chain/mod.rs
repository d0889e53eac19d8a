//! `rail_chain!` and `chain_policy!`: parse, expand. What can be wrong with a chain beyond its grammar, only the compiler sees:
//! the expansion is made so that its errors point at the rail's name in the list.

mod expand;
mod parse;
mod policy;
mod requirements;

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
