//! Finds decisions whose reason comes before their condition, such as `Verdict::abort_if("no shell", is_shell)`, or before their
//! substitute, such as `RailAction::skip_with("it is known", ToolOutput::text("noon"))`.
//!
//! rustc would report both arguments.

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::errors::{Errors, shown};

/// Reports each decision with swapped arguments. In the returned item, the arguments are in order. Returns `None` if there is
/// no such mistake.
pub(super) fn arguments(tokens: &TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    let (mut out, mut is_changed) = (TokenStream::new(), false);
    for (at, token) in tokens.iter().enumerate() {
        let changed = match token {
            TokenTree::Group(group) => {
                let call = at.checked_sub(4).and_then(|first| decision(&tokens[first..at]));
                let swapped = call.zip(swapped(group));
                let content = match swapped {
                    Some(((call, first), (reason, value))) if first == CONDITION || is_made(&value) => {
                        let right = format!("{call}({}, {reason})", shown(&value));
                        errors.at(&reason, format_args!("the reason comes after the {first}: write `{right}`"));
                        Some(quote!(#value, #reason))
                    }
                    _ => arguments(&group.stream(), errors),
                };
                content.map(|content| {
                    let mut changed = Group::new(group.delimiter(), content);
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

const CONDITION: &str = "condition";

/// Returns the function of a decision, and what its first argument is, if the tokens name it.
fn decision(tokens: &[TokenTree]) -> Option<(&'static str, &'static str)> {
    let written: String = tokens.iter().map(ToString::to_string).collect();
    let calls = [
        ("Verdict::abort_if", CONDITION),
        ("RailAction::abort_if", CONDITION),
        ("RailAction::skip_if", CONDITION),
        ("RailAction::skip_with", "substitute"),
        ("Provide::skip_with", "substitute"),
    ];
    calls.into_iter().find(|(call, _)| *call == written)
}

/// Returns whether the tokens make a value of a type that they name, such as `ToolOutput::text("noon")`. A reason may be a text that the
/// rail makes, but then its type is `String`.
fn is_made(value: &TokenStream) -> bool {
    match value.clone().into_iter().next() {
        Some(TokenTree::Ident(ty)) => ty != "String" && ty.to_string().starts_with(char::is_uppercase),
        _ => false,
    }
}

/// Returns the first and the second argument of a call whose first argument is a text.
fn swapped(arguments: &Group) -> Option<(Literal, TokenStream)> {
    let mut tokens = arguments.stream().into_iter();
    let (Some(TokenTree::Literal(reason)), Some(TokenTree::Punct(comma))) = (tokens.next(), tokens.next()) else {
        return None;
    };
    let value: TokenStream = tokens.collect();
    let is_text = reason.to_string().ends_with('"');
    let is_call = arguments.delimiter() == Delimiter::Parenthesis && comma.as_char() == ',';
    (is_call && is_text && !value.is_empty()).then_some((reason, value))
}
