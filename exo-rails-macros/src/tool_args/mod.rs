//! `#[derive(ToolArgs)]`: parse, check, expand.

mod check;
mod expand;
mod parse;
mod renamed;

use proc_macro2::TokenStream;

use crate::errors::{self, Errors};

/// Expands `#[derive(ToolArgs)]`.
pub(crate) fn tool_args(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.keep(syn::parse2::<syn::DeriveInput>(item)) else { return finish(errors) };
    let is_union = matches!(item.data, syn::Data::Union(_));
    let options = parse::options(&item, &mut errors);
    let args = check::tool_args(item, options, &mut errors);
    match errors.finish(()) {
        Ok(()) => expand::tool_args(&args),
        // Serde has no derives for a union, and a stub would report that they are missing.
        Err(error) if is_union => errors::report(&error),
        Err(error) => [errors::report(&error), expand::stub(&args)].into_iter().collect(),
    }
}

fn finish(errors: Errors) -> TokenStream {
    errors.finish(TokenStream::new()).unwrap_or_else(|error| errors::report(&error))
}

#[cfg(test)]
mod tests;
