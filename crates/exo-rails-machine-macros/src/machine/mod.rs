//! `machine!`: a machine written in Rust.
//!
//! | stage | module |
//! |---|---|
//! | parse | `parse`: the tokens become the tree of `tree` |
//! | check | `check`: the names, and what nodes may read |
//! | model | `lower`: the tree becomes a machine of `exo-rails-dygram`, whose checks run on it |
//! | expand | `expand`: the code of the machine |

mod advice;
mod check;
mod expand;
mod lower;
mod parse;
mod reads;
#[cfg(test)]
mod tests;
mod tree;

use proc_macro2::TokenStream;

use tree::Input;

/// Expands the macro.
pub(crate) fn machine(input: TokenStream) -> TokenStream {
    let expanded = syn::parse2::<Input>(input).and_then(|input| {
        check::check(&input.machine)?;
        let lowered = lower::lower(&input.machine)?;
        Ok(expand::expand(&input, &lowered))
    });
    expanded.unwrap_or_else(|error| error.to_compile_error())
}
