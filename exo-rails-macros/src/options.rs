//! Reads the named options of every attribute: their separators, their values, and their mistakes.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path, Token, bracketed};

use crate::errors::{Errors, expected, shown};

/// The options of an attribute whose options all have values. Each entry shows how to write the option, such as `tool`
/// with `[("name", "name = \"search\""), …]`.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub attribute: &'static str,
    pub examples: &'static [(&'static str, &'static str)],
}

impl Options {
    /// Reads all options in attributes of this name. `value` reads the tokens after the `=`. A mistake in one option does
    /// not hide a mistake in the next. Returns all names, including wrong ones.
    pub(crate) fn read(
        self,
        attrs: &[Attribute],
        errors: &mut Errors,
        mut value: impl FnMut(&str, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
    ) -> Vec<Ident> {
        let mut seen = Vec::new();
        for attr in attrs {
            if attr.meta.require_list().is_err() {
                let (attribute, (_, example)) = (self.attribute, self.examples[0]);
                errors.at(attr, format_args!("the options need parentheses: write `#[{attribute}({example})]`"));
                continue;
            }
            let result = attr.parse_args_with(|input: ParseStream<'_>| {
                while !input.is_empty() {
                    self.one(input, &mut seen, errors, &mut value)?;
                    separator(input, errors);
                }
                Ok(())
            });
            errors.keep(result);
        }
        seen
    }

    fn one(
        self,
        input: ParseStream<'_>,
        seen: &mut Vec<Ident>,
        errors: &mut Errors,
        value: &mut impl FnMut(&str, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
    ) -> syn::Result<()> {
        let (_, example) = self.examples[0];
        let key = input.call(Ident::parse_any).map_err(|error| {
            syn::Error::new(
                error.span(),
                format_args!("an option needs a name: write `#[{}({example})]`", self.attribute),
            )
        })?;
        let name = key.to_string();
        once(&key, seen, errors);
        let Some((_, example)) = self.examples.iter().find(|(known, _)| *known == name) else {
            let names: Vec<_> = self.examples.iter().map(|(name, _)| *name).collect();
            let expected = expected(&name, &names);
            errors.at(&key, format_args!("`#[{}]` has no option `{name}`; {expected}", self.attribute));
            return skip_value(input);
        };
        let colon: Option<Token![:]> = input.parse()?;
        if let Some(colon) = colon {
            errors.at(colon, format_args!("an option takes `=` before its value: write `{example}`"));
        } else if input.parse::<Token![=]>().is_err() || input.is_empty() || input.peek(Token![,]) {
            errors.at(&key, format_args!("`{name}` needs a value: `{example}`"));
            return skip_value(input);
        }
        match value(&name, input, errors) {
            Ok(()) => Ok(()),
            Err(error) => {
                errors.push(error);
                skip_value(input)
            }
        }
    }
}

/// Reports an option that is given twice.
pub(crate) fn once(key: &Ident, seen: &mut Vec<Ident>, errors: &mut Errors) {
    if seen.contains(key) {
        errors.at(key, format_args!("`{key}` is given twice: keep one of them"));
    }
    seen.push(key.clone());
}

/// Reads an option without a value.
pub(crate) fn flag(key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    errors.at(key, format_args!("`{key}` takes no value: write only `{key}`"));
    skip_value(input)
}

/// Reads the comma between two arguments. If the comma is missing, the following tokens are still read as the next
/// argument.
pub(crate) fn separator(input: ParseStream<'_>, errors: &mut Errors) {
    if !input.is_empty() && input.parse::<Token![,]>().is_err() {
        errors.push(input.error("expected `,` between two arguments"));
    }
}

/// Returns all tokens before the next comma.
pub(crate) fn value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// Skips all tokens before the next comma.
pub(crate) fn skip_value(input: ParseStream<'_>) -> syn::Result<()> {
    value(input).map(drop)
}

/// Reads the paths in `[PreToolCall, Start]`. Returns `None` if no list begins here. A mistake in the list does not hide
/// mistakes behind it.
pub(crate) fn paths(input: ParseStream<'_>) -> syn::Result<Option<syn::Result<Vec<Path>>>> {
    if !input.peek(syn::token::Bracket) {
        return Ok(None);
    }
    let list;
    bracketed!(list in input);
    let paths = list.call(Punctuated::<Path, Token![,]>::parse_terminated);
    if paths.is_err() {
        list.parse::<TokenStream>()?;
    }
    Ok(Some(paths.map(|paths| paths.into_iter().collect())))
}

/// Returns the names in the tokens that stand in place of a list, so that a message can show the list. Examples are
/// `PreToolCall | PostToolCall`, `(PreToolCall, "PostToolCall")` and `vec![PreToolCall]`.
pub(crate) fn names_in(tokens: TokenStream) -> Vec<Path> {
    let read = |input: ParseStream<'_>| {
        let mut names = Vec::new();
        while !input.is_empty() {
            if let Ok(path) = input.call(Path::parse_mod_style) {
                let (is_macro, is_word) = (input.peek(Token![!]), ["or", "and"].iter().any(|word| path.is_ident(word)));
                names.extend((!is_macro && !is_word).then_some(path));
                continue;
            }
            match input.parse()? {
                TokenTree::Group(group) => names.extend(names_in(group.stream())),
                TokenTree::Literal(text) => {
                    let text = syn::parse2::<LitStr>(TokenTree::from(text).into());
                    names.extend(text.and_then(|text| text.parse_with(Path::parse_mod_style)));
                }
                _ => {}
            }
        }
        Ok(names)
    };
    read.parse2(tokens).unwrap_or_default()
}

/// Formats the names as a list, such as `[PreToolCall, PostToolCall]`.
pub(crate) fn list_of(names: &[Path]) -> String {
    format!("[{}]", names.iter().map(shown).collect::<Vec<_>>().join(", "))
}

/// Reads one of several words, such as `"abort"`. `what` names the purpose of the words. `none` is the message for
/// another word.
pub(crate) fn word<T: Copy>(expr: &Expr, words: &[(&str, T)], what: &str, none: &str) -> syn::Result<(LitStr, T)> {
    let word = literal(expr, what)?;
    let written = word.value();
    if let Some((_, meant)) = words.iter().find(|(word, _)| *word == written) {
        return Ok((word, *meant));
    }
    let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
    Err(syn::Error::new_spanned(word, format_args!("{none} `{written}`; {}", expected(&written, &known))))
}

/// Reads a name that is not blank. Otherwise, returns an error with the correct form.
pub(crate) fn name(expr: &Expr, what: &str) -> syn::Result<LitStr> {
    let name = text(expr).filter(|name| !name.value().trim().is_empty());
    name.cloned().ok_or_else(|| syn::Error::new_spanned(expr, what))
}

/// Reads a text. Otherwise, returns an error with the correct form.
pub(crate) fn literal(expr: &Expr, what: &str) -> syn::Result<LitStr> {
    text(expr).cloned().ok_or_else(|| syn::Error::new_spanned(expr, what))
}

/// Returns the text in an expression.
pub(crate) fn text(expr: &Expr) -> Option<&LitStr> {
    match ungrouped(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// Returns the expression itself. An expression from a `macro_rules!` comes in an invisible group.
pub(crate) fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}
