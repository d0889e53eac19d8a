//! Options with names, in every attribute: how they are separated, what their values are, and what is wrong with them.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path, Token, bracketed};

use crate::errors::{Errors, expected, shown};

/// An attribute that has nothing but options with values, and how each is written: (e.g. `tool`, `[("name", "name = \"search\""), …]`).
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub attribute: &'static str,
    pub examples: &'static [(&'static str, &'static str)],
}

impl Options {
    /// Reads all options in attributes of this name; `value` reads what stands behind the `=`. What is wrong with one
    /// does not hide what is wrong with the next. Returns the names that stand there, the wrong ones as well.
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
            errors.at(colon, format_args!("an option takes its value after `=`, not after `:`: write `{example}`"));
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

/// An option is given once.
pub(crate) fn once(key: &Ident, seen: &mut Vec<Ident>, errors: &mut Errors) {
    if seen.contains(key) {
        errors.at(key, format_args!("`{key}` is given twice: keep one of them"));
    }
    seen.push(key.clone());
}

/// One that has no value.
pub(crate) fn flag(key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    errors.at(key, format_args!("`{key}` takes no value: write only `{key}`"));
    skip_value(input)
}

/// The comma between two arguments. Without one, what follows is read as the next argument all the same.
pub(crate) fn separator(input: ParseStream<'_>, errors: &mut Errors) {
    if !input.is_empty() && input.parse::<Token![,]>().is_err() {
        errors.push(input.error("expected `,` between two arguments"));
    }
}

/// What stands before the next comma, whatever it is.
pub(crate) fn value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// Goes on at the next comma.
pub(crate) fn skip_value(input: ParseStream<'_>) -> syn::Result<()> {
    value(input).map(drop)
}

/// The paths in `[PreToolCall, Start]`; `None` where no list begins. What is wrong with it does not hide what comes
/// behind it.
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

/// The names in whatever stands where a list of names should, so that a message can show the list: (e.g. those in
/// `PreToolCall | PostToolCall`, `(PreToolCall, "PostToolCall")` and `vec![PreToolCall]`).
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

/// The names as a list: (e.g. `[PreToolCall, PostToolCall]`).
pub(crate) fn list_of(names: &[Path]) -> String {
    format!("[{}]", names.iter().map(shown).collect::<Vec<_>>().join(", "))
}

/// One of a few words: (e.g. `"abort"`). `what` says what they are for, `none` that another is none of them.
pub(crate) fn word<T: Copy>(expr: &Expr, words: &[(&str, T)], what: &str, none: &str) -> syn::Result<(LitStr, T)> {
    let word = literal(expr, what)?;
    let written = word.value();
    if let Some((_, meant)) = words.iter().find(|(word, _)| *word == written) {
        return Ok((word, *meant));
    }
    let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
    Err(syn::Error::new_spanned(word, format_args!("{none} `{written}`; {}", expected(&written, &known))))
}

/// A name that is not blank, or what it should have been.
pub(crate) fn name(expr: &Expr, what: &str) -> syn::Result<LitStr> {
    let name = text(expr).filter(|name| !name.value().trim().is_empty());
    name.cloned().ok_or_else(|| syn::Error::new_spanned(expr, what))
}

/// A text, or what it should have been.
pub(crate) fn literal(expr: &Expr, what: &str) -> syn::Result<LitStr> {
    text(expr).cloned().ok_or_else(|| syn::Error::new_spanned(expr, what))
}

/// The text that an expression is.
pub(crate) fn text(expr: &Expr) -> Option<&LitStr> {
    match ungrouped(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// The expression itself: one that a `macro_rules!` passes on comes in an invisible group.
pub(crate) fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}
