//! `#[rail]`: parse, check, expand.

mod args;
mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;

pub(crate) use expand::declared;

use crate::errors;

/// The whole of `#[rail]`. The user's item comes out whatever is wrong with it, so that the editor and the
/// code that calls it keep working.
pub(crate) fn rail(args: TokenStream, item: TokenStream) -> TokenStream {
    let (item_tokens, parsed) = parse::item(item);
    let made = parsed.and_then(|item| check::rail(args, item)).map(|rail| expand::rail(&rail));
    let made = made.unwrap_or_else(|error| errors::report(&error));
    [item_tokens, made].into_iter().collect()
}

#[cfg(test)]
mod tests;
