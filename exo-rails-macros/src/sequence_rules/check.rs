//! The rules for sequence rules that the macro can check beyond their grammar.

use exo_rails_sequence::grammar::{self, Name};
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::Parser;

use super::parse::{Named, Rules};
use crate::errors::Errors;

pub(super) fn rules(Rules { all: rules, tools, .. }: &Rules, errors: &mut Errors) {
    if rules.is_empty() && !errors.any() {
        errors.at(tools, "there are no rules: write one after the set, such as `refund only after approve;`");
    }
    for Named { rule, .. } in rules {
        rule.clone().for_each_name(&mut |name, is_tool| names(name, is_tool, errors));
    }
    distinct(rules, errors);
    let all: Vec<_> = rules.iter().map(|named| named.rule.clone()).collect();
    if let Some(mistake) = grammar::impossible(&all) {
        errors.push(syn::Error::new(mistake.at, mistake.message));
    }
}

/// Checks that each name can be the name of a field.
fn names(name: &Name<Span>, is_tool: bool, errors: &mut Errors) {
    let is_field = || name.text.split('.').all(|part| ident(&Name { text: part.to_owned(), at: name.at }).is_some());
    if if is_tool { ident(name).is_none() } else { !is_field() } {
        let message = if is_tool {
            format!("`{}` is not a tool of the set: write the name of its field, such as `refund`", name.text)
        } else {
            format!("`{}` is not a field of the arguments: write its name, such as `order_id`", name.text)
        };
        errors.push(syn::Error::new(name.at, message));
    }
}

/// Returns the name as the name of a field.
pub(super) fn ident(Name { text, at }: &Name<Span>) -> Option<Ident> {
    let is_ident = Ident::parse_any.parse_str(text).is_ok();
    let cannot_be_raw = ["self", "Self", "super", "crate", "_"].contains(&text.as_str());
    if !is_ident || cannot_be_raw {
        return None;
    }
    let is_keyword = syn::parse_str::<Ident>(text).is_err();
    Some(if is_keyword { Ident::new_raw(text, *at) } else { Ident::new(text, *at) })
}

/// Reports two rules with one name, and two equal rules without a name.
fn distinct(rules: &[Named], errors: &mut Errors) {
    let shown =
        |named: &Named| named.name.as_ref().map_or_else(|| named.rule.to_string(), |name| name.unraw().to_string());
    for (place, named) in rules.iter().enumerate() {
        if rules[..place].iter().any(|other| shown(other) == shown(named)) {
            let at = named.name.as_ref().map_or_else(|| named.rule.demand.tools()[0].at, Ident::span);
            let message = format!(
                "`{}` is there twice: remove one, or give it another name, as in `name: {}`",
                shown(named),
                named.rule
            );
            errors.push(syn::Error::new(at, message));
        }
    }
}
