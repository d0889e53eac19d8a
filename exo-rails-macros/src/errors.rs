//! All the mistakes of one macro call, reported together.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Attribute;

/// Collects errors, so that checking goes on after the first.
#[derive(Debug, Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error at the tokens that the user wrote.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// The value of a result; its error is kept.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) const fn any(&self) -> bool {
        self.0.is_some()
    }

    /// The value, if there were no errors.
    pub(crate) fn finish<T>(self, value: T) -> syn::Result<T> {
        match self.0 {
            Some(errors) => Err(errors),
            None => Ok(value),
        }
    }
}

/// The tokens that report an error.
pub(crate) fn report(error: &syn::Error) -> TokenStream {
    error.to_compile_error()
}

/// `did you mean …?` for the name that begins like this one or is near to it; otherwise the list of all names.
pub(crate) fn expected(name: &str, names: &[&str]) -> String {
    if let Some(begun) = names.iter().find(|known| name.len() > 1 && known.starts_with(name)) {
        return format!("did you mean `{begun}`?");
    }
    let distance = |known: &&&str| strsim::damerau_levenshtein(known, name);
    match names.iter().min_by_key(distance) {
        Some(nearest) if 2 * distance(&nearest) <= nearest.len().min(6) => format!("did you mean `{nearest}`?"),
        _ => {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("expected {}", names.join(", "))
        }
    }
}

/// Tokens as a user would write them.
pub(crate) fn shown(tokens: impl ToTokens) -> String {
    let spaced = [(" :: ", "::"), (":: ", "::"), (" < ", "<"), ("< ", "<"), (" >", ">"), ("& ", "&"), (" ,", ",")];
    spaced.iter().fold(tokens.into_token_stream().to_string(), |text, (from, to)| text.replace(from, to))
}

/// Reports each `#[cfg]` at a place where the expansion could not follow it: a macro sees the attribute, but not
/// whether it holds.
pub(crate) fn refuse_cfg(attrs: &[Attribute], advice: &str, errors: &mut Errors) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("cfg")) {
        errors.at(attr, advice);
    }
}
