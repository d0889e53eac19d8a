//! Reports a package that does not depend on the library, and does not say where it is. Otherwise, the compiler reports every
//! path in the expansion.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, Token, Visibility};

use crate::errors::report;
use crate::manifest;
use crate::rail::without_on;

const MESSAGE: &str = "this crate does not depend on `exo-rails`: add the dependency, or name the crate that re-exports it, as in `crate = ::company_rails::exo_rails`";

/// Returns the error, and the item of the user, in the place of the expansion of `#[rail]`.
pub(crate) fn rail(args: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let error = other(args)?;
    // Without the `#[on]` of its methods, which would report that `#[rail]` is missing.
    let item = without_on(item.clone());
    Some(quote!(#item #error))
}

/// Returns the error, and a struct with the name of the chain, in the place of the expansion of `rail_chain!`.
pub(crate) fn chain(input: TokenStream) -> Option<TokenStream> {
    let error = other(&input)?;
    let named = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        input.parse::<Token![struct]>()?;
        let ident: Ident = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok(quote!(#vis struct #ident;))
    };
    let named = named.parse2(input).ok();
    Some(quote!(#named #error))
}

/// Returns the error in the place of an expansion.
pub(crate) fn other(input: &TokenStream) -> Option<TokenStream> {
    let is_wrong = manifest::is_missing() && !gives_the_path(input.clone());
    is_wrong.then(|| report(&syn::Error::new(Span::call_site(), MESSAGE)))
}

/// Returns whether the tokens have a `crate = …`.
fn gives_the_path(tokens: TokenStream) -> bool {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is_path = |pair: &[TokenTree]| {
        let [TokenTree::Ident(word), TokenTree::Punct(sign)] = pair else { return false };
        word == "crate" && sign.as_char() == '='
    };
    let inside = |token: &TokenTree| matches!(token, TokenTree::Group(group) if gives_the_path(group.stream()));
    tokens.windows(2).any(is_path) || tokens.iter().any(inside)
}
