//! Helpers of the tests of the macros.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

/// Parses a source text into tokens.
pub(crate) fn tokens(source: &str) -> TokenStream {
    source.parse().unwrap()
}

/// Returns the messages of the errors in an expansion.
pub(crate) fn messages(expansion: &TokenStream) -> Vec<String> {
    let mut messages = Vec::new();
    let mut tokens = expansion.clone().into_iter();
    while let Some(token) = tokens.next() {
        if let TokenTree::Group(group) = &token {
            messages.extend(self::messages(&group.stream()));
            continue;
        }
        if token.to_string() != "compile_error" {
            continue;
        }
        if let Some(TokenTree::Group(text)) = tokens.nth(1) {
            messages.push(syn::parse2::<syn::LitStr>(text.stream()).unwrap().value());
        }
    }
    messages
}

/// Asserts the beginning of each message that the macro reports for each input.
pub(crate) fn assert_says(expand: impl Fn(&str) -> TokenStream, table: &[(&str, &[&str])]) {
    for (input, expected) in table {
        assert_begin(input, &messages(&expand(input)), expected);
    }
}

/// Asserts the beginning of each of these messages.
pub(crate) fn assert_begin(input: &str, messages: &[String], expected: &[&str]) {
    let as_expected = messages.len() == expected.len()
        && messages.iter().zip(expected).all(|(message, start)| message.starts_with(start));
    assert!(as_expected, "{input}\nsays {messages:#?}\ninstead of {expected:#?}");
}

/// Returns `true` if the tokens contain a name.
pub(crate) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(&group.stream(), name),
        token => token.to_string() == name,
    })
}

/// Compares an expansion with the file of this name in `golden/`. With `EXO_RAILS_GOLDEN=overwrite`, writes the file.
pub(crate) fn golden(name: &str, expansion: TokenStream) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name);
    let shown = prettyplease::unparse(&syn::parse2(expansion).unwrap());
    if std::env::var_os("EXO_RAILS_GOLDEN").is_some_and(|value| value == "overwrite") {
        fs::write(&path, &shown).unwrap();
    }
    let recorded = fs::read_to_string(&path).unwrap_or_default();
    if recorded != shown {
        let (line, (old, new)) = recorded
            .lines()
            .zip(shown.lines())
            .enumerate()
            .find(|(_, (old, new))| old != new)
            .unwrap_or((recorded.lines().count(), ("", "")));
        panic!(
            "the expansion is not what golden/{name} has; from line {}:\n- {old}\n+ {new}\n\
             When the change is meant, record it: EXO_RAILS_GOLDEN=overwrite cargo test -p exo-rails-macros",
            line + 1
        );
    }
}

/// Counts the tokens, including the tokens in groups. A group counts as two for its delimiters.
pub(crate) fn count(tokens: &TokenStream) -> usize {
    let of_token = |token| match token {
        TokenTree::Group(group) => 2 + count(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(of_token).sum()
}
