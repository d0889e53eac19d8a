//! The requirements of a chain, such as `require(permission_check on PreToolCall)`, in `#[chain(…)]` and in
//! `chain_requirements!`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Ident, Path, Token, parenthesized};

use super::listed::Listed;
use crate::paths::Library;

/// The words that begin a requirement.
pub(super) const WORDS: [&str; 4] = ["require", "before", "first", "last"];

/// One requirement.
pub(super) enum Requirement {
    /// A requirement such as `require(permission_check on PreToolCall)`. The word is the name of a function of the
    /// library.
    On { word: Ident, rail: Path, event: Path },
    /// A requirement such as `before(permission_check, audit_log)`.
    Before { first: Path, second: Path },
}

/// Reads the content of the parentheses after the word.
pub(super) fn parse(word: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Requirement>> {
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new_spanned(word, format_args!("`{word}` needs rails: `{}`", example(word))));
    }
    let list;
    parenthesized!(list in input);
    let requirements = if word == "before" { before(&list, word)? } else { on(&list, word)? };
    if requirements.is_empty() {
        return Err(syn::Error::new_spanned(word, format_args!("`{word}` needs rails: `{}`", example(word))));
    }
    Ok(requirements)
}

fn example(word: &Ident) -> String {
    if word == "before" {
        "before(permission_check, audit_log)".to_owned()
    } else {
        format!("{word}(permission_check on PreToolCall)")
    }
}

fn before(list: ParseStream<'_>, word: &Ident) -> syn::Result<Vec<Requirement>> {
    let rails = list.call(Punctuated::<Path, Token![,]>::parse_terminated);
    let rails: Vec<_> = rails.map_err(|error| syn::Error::new(error.span(), wrong(word)))?.into_iter().collect();
    if rails.len() == 1 {
        return Err(syn::Error::new_spanned(&rails[0], wrong(word)));
    }
    let pairs = rails.windows(2).filter_map(|pair| match pair {
        [first, second] => Some(Requirement::Before { first: first.clone(), second: second.clone() }),
        _ => None,
    });
    Ok(pairs.collect())
}

fn on(list: ParseStream<'_>, word: &Ident) -> syn::Result<Vec<Requirement>> {
    let mut requirements = Vec::new();
    while !list.is_empty() {
        let rail: Path = list.parse().map_err(|error| syn::Error::new(error.span(), wrong(word)))?;
        if list.parse::<Option<Ident>>()?.is_none_or(|on| on != "on") {
            return Err(syn::Error::new_spanned(&rail, wrong(word)));
        }
        let event = list.parse().map_err(|error| syn::Error::new(error.span(), wrong(word)))?;
        requirements.push(Requirement::On { word: word.clone(), rail, event });
        if !list.is_empty() {
            list.parse::<Token![,]>()?;
        }
    }
    Ok(requirements)
}

fn wrong(word: &Ident) -> String {
    let what = if word == "before" { "two rails or more" } else { "a rail and an event" };
    format!("`{word}` takes {what}: `{}`", example(word))
}

impl Requirement {
    /// Writes the value of the library, with the spans of the user's tokens.
    pub(super) fn value(&self, library: &Library, rails: &[Listed]) -> TokenStream {
        let span = self.span();
        let arguments = match self {
            Self::On { rail, event, .. } => {
                let (rail, located) = (subject(rail, library, rails), library.located(event.span()));
                let event = library.event(event);
                quote_spanned!(event.span()=> #rail, <#event as #located::Event>::POINT)
            }
            Self::Before { first, second } => {
                let rails = [first, second].map(|rail| subject(rail, library, rails));
                quote!(#(#rails),*)
            }
        };
        let (library, word) = (library.located(span), self.word());
        quote_spanned!(span=> #library::Requirement::#word(#arguments))
    }

    fn word(&self) -> Ident {
        match self {
            Self::On { word, .. } => word.clone(),
            Self::Before { first, .. } => Ident::new("before", first.span()),
        }
    }

    /// Returns the span at which a broken requirement is reported: the rail, or the first of two rails.
    pub(super) fn span(&self) -> Span {
        match self {
            Self::On { rail, .. } => rail.span(),
            Self::Before { first, .. } => first.span(),
        }
    }

    /// Returns the rails that the requirement names.
    pub(super) fn rails(&self) -> Vec<&Path> {
        match self {
            Self::On { rail, .. } => vec![rail],
            Self::Before { first, second } => vec![first, second],
        }
    }

    /// Returns the rails that the requirement orders. A chain with its own `before(…)` must list them.
    pub(super) fn ordered(&self) -> Vec<&Path> {
        match self {
            Self::On { .. } => Vec::new(),
            Self::Before { .. } => self.rails(),
        }
    }
}

/// Writes the subject of a requirement: a field of the chain, or a rail. The item names no bound, because the compiler
/// would show it.
pub(super) fn subject(rail: &Path, library: &Library, rails: &[Listed]) -> TokenStream {
    let (span, library) = (rail.span(), library.located(rail.span()));
    let subject = quote_spanned!(span=> #library::for_macros::Subject);
    let named = rail.get_ident();
    let fields = rails.iter().enumerate().filter(|(_, listed)| named.is_some() && listed.field() == named);
    let rows = Ident::new("__ROWS", Span::mixed_site());
    let name = named.map(|name| name.unraw().to_string());
    let fields =
        fields.map(|(place, listed)| (quote_spanned!(span=> #subject::field(&#rows, #place, #name)), &listed.cfg));
    // Several fields may share a name if `#[cfg]` removes all but one of them.
    let choice = |others: TokenStream, field: TokenStream, cfg: &TokenStream| quote_spanned!(span=> { #[cfg(#cfg)] { #field } #[cfg(not(#cfg))] { #others } });
    let of_fields = fields.rev().reduce(|(others, _), (field, cfg)| match cfg {
        Some(when) => (choice(others, field, when), cfg),
        None => (field, cfg),
    });
    of_fields
        .map_or_else(|| quote_spanned!(span=> #subject::rail(<#rail as #library::Rail>::ROW)), |(subject, _)| subject)
}
