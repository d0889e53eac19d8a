//! Writes the rules as values, and the checks of their names.
//!
//! A tool is a field of the set, and a field is a field of the arguments of a tool. Closures that nobody calls name both, so the
//! compiler checks them at the user's tokens.

use exo_rails_sequence::grammar::{Demand, Name, Same};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::check::ident;
use super::parse::{Dotted, Named, Rules};

pub(super) fn rules(input: &Rules) -> TokenStream {
    let tools = &input.tools;
    let span = tools.span().resolved_at(Span::mixed_site());
    let rules = input.all.iter().map(|named| rule(input, named));
    // The alias stands for the set everywhere else, so rustc reports a set that does not exist once.
    quote_spanned!(span=> { type __Tools = #tools; [#(#rules),*] })
}

/// The tools of a rule: first those that it may refuse, then the others.
struct Tools<'r> {
    input: &'r Rules,
    names: Vec<&'r Name<Span>>,
    checked: usize,
    /// The places of the parts of names with dots.
    dotted: &'r [Dotted],
}

fn rule(input: &Rules, Named { name, because, rule, dotted }: &Named) -> TokenStream {
    let names = rule.demand.all_tools();
    let tools = Tools { input, names, checked: rule.demand.tools().len(), dotted };
    let span = Span::mixed_site();
    let (library, declared, variables) = (input.library(span), tools.declared(), tools.variables());
    let sum = match &rule.demand {
        Demand::Sum { field, .. } => {
            let names = variables.iter().map(|tool| tools.field(tool, field, true));
            quote_spanned!(span=> .sum(&[#(#names),*]))
        }
        _ => TokenStream::new(),
    };
    let same = rule.same.iter().enumerate().map(|(place, same)| tools.same(place, same));
    let name = name.iter().map(|name| name.unraw().to_string());
    let (text, because) = (rule.to_string(), because.iter());
    quote_spanned! {span=>
        {
            #declared
            let rule = #library::for_macros::TypedRule::new(#text, &[#(#variables.name()),*])#sum;
            #(#same)*
            rule.rule()#(.named(#name))*#(.because(#because))*
        }
    }
}

impl Rules {
    /// Returns the path of the library with this span.
    fn library(&self, span: Span) -> TokenStream {
        let usual = Ident::new("exo_rails_guards", span);
        self.library.as_ref().map_or_else(|| quote_spanned!(span=> ::#usual), ToTokens::to_token_stream)
    }
}

impl Tools<'_> {
    fn variables(&self) -> Vec<Ident> {
        (0..self.names.len()).map(|number| format_ident!("tool_{number}", span = Span::mixed_site())).collect()
    }

    /// Writes a variable for each tool.
    fn declared(&self) -> TokenStream {
        let tool = |(name, variable): (&&Name<Span>, Ident)| {
            let (span, field) = (name.at.resolved_at(Span::mixed_site()), ident(name));
            let library = self.input.library(span);
            quote_spanned! {span=>
                let #variable = #library::for_macros::tool(|set: &__Tools| &set.#field);
            }
        };
        self.names.iter().zip(self.variables()).map(tool).collect()
    }

    /// Writes the checks of a field that several tools have.
    fn same(&self, place: usize, same: &Same<Span>) -> TokenStream {
        let variables = self.variables();
        let (checked, others) = variables.split_at(self.checked);
        let first = self.field(&variables[0], &same.field, false);
        let like_first = |tool: &Ident, name: &Name<Span>| {
            let span = name.at.resolved_at(Span::mixed_site());
            let (library, field) = (self.input.library(span), self.field(tool, name, false));
            quote_spanned!(span=> #library::for_macros::same(&first, #field))
        };
        let checked = checked[1..].iter().map(|tool| like_first(tool, &same.field));
        let others = others.iter().map(|tool| like_first(tool, same.other()));
        let mixed = Span::mixed_site();
        quote_spanned! {mixed=>
            let first = #first;
            let rule = rule.same(#place, &[first.name(), #(#checked),*], &[#(#others),*]);
        }
    }

    /// Writes the check of a field of a tool, which returns the field, or the name of an amount.
    fn field(&self, tool: &Ident, name: &Name<Span>, is_amount: bool) -> TokenStream {
        let parts: Vec<&str> = name.text.split('.').collect();
        let spans = self.dotted.iter().find(|(text, _)| *text == name.text).map_or(&[][..], |(_, spans)| spans);
        let mut checked = TokenStream::new();
        for (place, part) in parts.iter().enumerate() {
            let at = spans.get(place).copied().unwrap_or(name.at);
            let span = at.resolved_at(Span::mixed_site());
            let is_last = place + 1 == parts.len();
            let check = match (place, is_amount && is_last) {
                (0, false) => "field",
                (0, true) => "amount",
                (_, false) => "inner",
                (_, true) => "inner_amount",
            };
            // The whole expression has the place of the name, because rustc may mark all of it.
            let field = ident(&Name { text: (*part).to_owned(), at });
            let (tool, check) = (Ident::new(&tool.to_string(), span), Ident::new(check, span));
            let around = if place == 0 { tool.into_token_stream() } else { checked };
            checked = quote_spanned!(span=> #around.#check(#part, |arguments| &arguments.#field));
        }
        checked
    }
}
