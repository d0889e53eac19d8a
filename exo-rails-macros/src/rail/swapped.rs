//! Finds decisions whose reason comes before their condition, such as `Verdict::abort_if("no shell", is_shell)`.
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
                    Some((call, (reason, condition))) => {
                        let right = format!("{call}({}, {reason})", shown(&condition));
                        errors.at(&reason, format_args!("the reason comes after the condition: write `{right}`"));
                        Some(quote!(#condition, #reason))
                    }
                    None => arguments(&group.stream(), errors),
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

/// Returns the function of a decision under a condition, if the tokens name it.
fn decision(tokens: &[TokenTree]) -> Option<&'static str> {
    let written: String = tokens.iter().map(ToString::to_string).collect();
    ["Verdict::abort_if", "RailAction::abort_if", "RailAction::skip_if"].into_iter().find(|call| *call == written)
}

/// Returns the reason and the condition of a call whose first argument is a text.
fn swapped(arguments: &Group) -> Option<(Literal, TokenStream)> {
    let mut tokens = arguments.stream().into_iter();
    let (Some(TokenTree::Literal(reason)), Some(TokenTree::Punct(comma))) = (tokens.next(), tokens.next()) else {
        return None;
    };
    let condition: TokenStream = tokens.collect();
    let is_text = reason.to_string().ends_with('"');
    let is_call = arguments.delimiter() == Delimiter::Parenthesis && comma.as_char() == ',';
    (is_call && is_text && !condition.is_empty()).then_some((reason, condition))
}
