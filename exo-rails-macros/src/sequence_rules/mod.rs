//! `sequence_rules!`: parse, check, expand.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;

use crate::errors::{self, Errors};

/// Expands `sequence_rules!`.
pub(crate) fn sequence_rules(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let rules = parse::rules(input, &mut errors);
    if let Some(rules) = &rules {
        check::rules(rules, &mut errors);
    }
    match errors.finish(rules) {
        Ok(rules) => rules.as_ref().map(expand::rules).unwrap_or_default(),
        Err(error) => errors::report(&error),
    }
}

#[cfg(test)]
mod tests;
