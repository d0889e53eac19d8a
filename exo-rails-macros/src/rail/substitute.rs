//! Finds functions that answer in place of an operation, and whose return type leaves out the type of the answer.
//!
//! rustc would report the answer in the body: "expected `NoSubstitute`, found `ToolOutput`". The mistake is in the return type.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Path;

use super::model::{Handler, Rail};
use crate::errors::Errors;

/// The events whose rails may answer, and the parameters of `RailAction` there.
const ANSWERS: [(&str, &[&str]); 6] = [
    ("Start", &["InvokeOutput"]),
    ("PreCompaction", &["CompactionOutput", "NoRetry"]),
    ("PreLlmCall", &["ModelResponse"]),
    ("LlmError", &["ModelResponse"]),
    ("PreToolCall", &["ToolOutput"]),
    ("ToolError", &["ToolOutput"]),
];

/// Reports each `-> RailAction` of a function that calls `RailAction::skip_with`. In the returned item, the type is complete,
/// so the compiler does not report the body too. Returns `None` if there is no such mistake.
pub(super) fn types(tokens: &TokenStream, rail: &Rail, errors: &mut Errors) -> Option<TokenStream> {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    let (mut out, mut is_changed, mut answer) = (TokenStream::new(), false, None);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let changed = match token {
            TokenTree::Ident(name) if matches!(before, Some(TokenTree::Ident(word)) if word == "fn") => {
                answer = answer_of(name, rail).filter(|_| answers(&tokens[at..]));
                None
            }
            TokenTree::Ident(name) if name == "RailAction" && !is_punct(tokens.get(at + 1), '<') => {
                answer.map(|answer| completed(name, answer, rail, errors))
            }
            // The body of the function, or the members of an `impl` block.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && answer.take().is_none() => {
                types(&group.stream(), rail, errors).map(|content| {
                    let mut changed = Group::new(Delimiter::Brace, content);
                    changed.set_span(group.span());
                    changed.to_token_stream()
                })
            }
            _ => None,
        };
        is_changed |= changed.is_some();
        out.extend(changed.unwrap_or_else(|| token.clone().into()));
    }
    is_changed.then_some(out)
}

/// Writes the type with its parameters.
fn completed(name: &Ident, answer: &[&str], rail: &Rail, errors: &mut Errors) -> TokenStream {
    let answered = answer.join(", ");
    errors.at(name, format_args!("`skip_with` needs the type of the answer: write `RailAction<{answered}>`"));
    let library = rail.library.located(name.span());
    let answer = answer.iter().map(|ty| Ident::new(ty, name.span()));
    quote_spanned!(name.span()=> #name<#(#library::#answer),*>)
}

/// Returns the answer of the function with this name, if rails may answer at all of its events.
fn answer_of(name: &Ident, rail: &Rail) -> Option<&'static [&'static str]> {
    let is_called = |handler: &&Handler| {
        handler.callee.to_token_stream().into_iter().last().is_some_and(|last| *name == last.to_string())
    };
    let handler = rail.handlers.iter().find(is_called)?;
    let answer = |event: &Path| {
        let event = event.segments.last()?;
        ANSWERS.iter().find(|(name, _)| event.ident == name).map(|(_, answer)| *answer)
    };
    let first = answer(handler.events.first()?)?;
    handler.events.iter().all(|event| answer(event) == Some(first)).then_some(first)
}

/// Returns `true` if the body of the function that begins here calls `RailAction::skip_with`.
fn answers(function: &[TokenTree]) -> bool {
    let body = function.iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    body.is_some_and(calls)
}

fn calls(tokens: TokenStream) -> bool {
    let tokens: Vec<_> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Group(group) => calls(group.stream()),
        TokenTree::Ident(name) if name == "RailAction" => {
            is_punct(tokens.get(at + 1), ':')
                && is_punct(tokens.get(at + 2), ':')
                && matches!(tokens.get(at + 3), Some(TokenTree::Ident(method)) if method == "skip_with")
        }
        _ => false,
    })
}

fn is_punct(token: Option<&TokenTree>, char: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}
