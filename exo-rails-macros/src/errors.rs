//! Collects all mistakes of one macro call, to report them together.

use exo_rails_text::names::advice_or;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Attribute;

/// Collects errors, so that the checks continue after the first mistake.
#[derive(Debug, Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error at the user's tokens.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Returns the value of a result, or keeps its error.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) const fn any(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the value if there are no errors.
    pub(crate) fn finish<T>(self, value: T) -> syn::Result<T> {
        match self.0 {
            Some(errors) => Err(errors),
            None => Ok(value),
        }
    }
}

/// Writes the tokens that report an error.
pub(crate) fn report(error: &syn::Error) -> TokenStream {
    error.to_compile_error()
}

/// Returns `did you mean …?` with the nearest name, or a list of all names if none is similar.
pub(crate) fn expected(name: &str, names: &[&str]) -> String {
    advice_or(name, "expected", names)
}

/// Formats tokens as a user would write them.
pub(crate) fn shown(tokens: impl ToTokens) -> String {
    let spaced = [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" ,", ","),
        (" : ", ": "),
    ];
    spaced.iter().fold(tokens.into_token_stream().to_string(), |text, (from, to)| text.replace(from, to))
}

/// Reports each `#[cfg]` at a place where the expansion cannot follow it. A macro sees the attribute, but it does not
/// know whether the condition holds.
pub(crate) fn refuse_cfg(attrs: &[Attribute], advice: &str, errors: &mut Errors) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("cfg")) {
        errors.at(attr, advice);
    }
}
