//! Names for the user's types in an expansion.
//!
//! If a type has a mistake, such as a missing parameter, rustc reports each place that names it. So an expansion names the type
//! once, in an alias, and then uses the alias.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Path, Type};

/// Returns the name of an alias. rustc may show it, so it contains the name of the type.
pub(crate) fn named(path: Option<&Path>, place: usize, span: Span) -> Ident {
    let name = path.and_then(|path| path.segments.last()).map(|last| last.ident.unraw().to_string());
    let name = name.unwrap_or_else(|| "Type".to_owned());
    format_ident!("{name}_{place}_", span = span.resolved_at(Span::mixed_site()))
}

/// Returns the path of a type, if it has one.
pub(crate) fn path_of(ty: &Type) -> Option<&Path> {
    match ty {
        Type::Path(ty) => Some(&ty.path),
        _ => None,
    }
}

/// Writes the alias of a type with the spans of the type's first and last token. So an error marks the whole type.
pub(crate) fn at(alias: &Ident, ty: &impl ToTokens) -> TokenStream {
    let tokens = ty.to_token_stream();
    let first = tokens.span();
    let last = tokens.into_iter().last().map_or(first, |token| token.span());
    let alias = Ident::new(&alias.to_string(), first);
    let (start, end) = (quote_spanned!(first=> <), quote_spanned!(last=> >));
    quote!(#alias #start #end)
}
