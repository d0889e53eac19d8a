//! `tools!`: parse, check, expand.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;

use crate::errors::{self, Errors};

/// Expands `tools!`.
pub(crate) fn tools(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let tools = parse::tools(input, &mut errors);
    if let Some(tools) = &tools {
        check::tools(tools, &mut errors);
    }
    match errors.finish(tools) {
        Ok(tools) => tools.as_ref().map(expand::tools).unwrap_or_default(),
        Err(error) => errors::report(&error),
    }
}

#[cfg(test)]
mod tests;
