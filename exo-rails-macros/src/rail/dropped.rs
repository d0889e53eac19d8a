//! Finds decisions that a body drops, such as the statement `RailAction::abort("…");`.
//!
//! `RailAction` is `must_use`. But for a dropped action, the compiler only reports unknown type parameters, and proposes
//! parameters that do not exist. Bodies stay unparsed, so this module searches the tokens for such statements.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::errors::{Errors, shown};
use crate::paths::Library;

/// Reports each dropped decision. In the returned item, the decision has its type, so the compiler does not ask for the
/// type. An item without such a mistake stays unchanged.
pub(super) fn decisions(tokens: TokenStream, errors: &mut Errors) -> TokenStream {
    let mut dropped = Errors::default();
    let typed = in_group(tokens.clone(), false, &mut dropped);
    match dropped.finish(()) {
        Ok(()) => tokens,
        Err(error) => {
            errors.push(error);
            typed
        }
    }
}

fn in_group(tokens: TokenStream, is_block: bool, errors: &mut Errors) -> TokenStream {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let (mut out, mut rest) = (TokenStream::new(), &*tokens);
    let mut begins = is_block;
    while let Some((token, behind)) = rest.split_first() {
        if begins && let Some(len) = decision(rest) {
            let (statement, behind) = rest.split_at(len);
            out.extend(reported(&statement.iter().cloned().collect(), errors));
            rest = behind;
            continue;
        }
        begins = is_block && ends_a_statement(token);
        out.extend([inside(token.clone(), errors)]);
        rest = behind;
    }
    out
}

fn inside(token: TokenTree, errors: &mut Errors) -> TokenTree {
    let TokenTree::Group(group) = token else { return token };
    let is_block = group.delimiter() == Delimiter::Brace;
    let mut checked = Group::new(group.delimiter(), in_group(group.stream(), is_block, errors));
    checked.set_span(group.span());
    checked.into()
}

fn ends_a_statement(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

/// Returns the number of tokens of a decision that begins here and ends with a semicolon.
fn decision(tokens: &[TokenTree]) -> Option<usize> {
    let is = |i: usize, char| matches!(tokens.get(i), Some(TokenTree::Punct(punct)) if punct.as_char() == char);
    let named = matches!(tokens.first(), Some(TokenTree::Ident(name)) if name == "RailAction");
    if !named || !is(1, ':') || !is(2, ':') || !matches!(tokens.get(3), Some(TokenTree::Ident(_))) {
        return None;
    }
    let has_arguments =
        matches!(tokens.get(4), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    let end = if has_arguments { 5 } else { 4 };
    is(end, ';').then_some(end + 1)
}

fn reported(statement: &TokenStream, errors: &mut Errors) -> TokenStream {
    let written = shown(statement).replace(" ;", ";").replace(" (", "(");
    let message = "the rail drops this decision";
    errors.at(statement, format_args!("{message}: return it, `return {written}`"));
    let library = Library::default();
    let action = Ident::new("RailAction", Span::mixed_site());
    quote_spanned!(Span::mixed_site()=> let _: #library::#action = #statement)
}
