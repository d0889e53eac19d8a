//! The names of a machine, and what its nodes may read.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Error, Ident, Result};

use super::reads::{List, Reads};
use super::tree::{Machine, Node};
use exo_rails_dygram::META_TOOLS;
use exo_rails_text::names::nearest;

/// Reports all mistakes that the model of the machine does not show.
pub(super) fn check(machine: &Machine) -> Result<()> {
    let contexts: Vec<_> = machine.contexts.iter().map(|context| &context.name).collect();
    let mut checker = Checker { machine, contexts, errors: None };
    checker.twice();
    checker.borrows();
    for (node, _) in machine.all() {
        checker.node(node);
    }
    checker.errors.map_or(Ok(()), Err)
}

/// Returns the first lifetime, or a `&`, of a type.
fn lifetime(ty: TokenStream) -> Option<(String, Span)> {
    let mut tokens = ty.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                if let Some(found) = lifetime(group.stream()) {
                    return Some(found);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                let name = tokens.next().map(|name| name.to_string()).unwrap_or_default();
                return Some((format!("'{name}"), punct.span()));
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => return Some(("&".to_owned(), punct.span())),
            _ => {}
        }
    }
    None
}

struct Checker<'a> {
    machine: &'a Machine,
    contexts: Vec<&'a Ident>,
    errors: Option<Error>,
}

impl Checker<'_> {
    fn report(&mut self, span: Span, message: impl std::fmt::Display) {
        let error = Error::new(span, message);
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }

    /// Two contexts, or two nodes in the same node, have different names.
    fn twice(&mut self) {
        let machine = self.machine;
        let mut seen: HashSet<String> = HashSet::new();
        for context in &machine.contexts {
            if !seen.insert(context.name.to_string()) {
                self.report(
                    context.name.span(),
                    format!("the context `{}` is declared twice: rename one of the two", context.name),
                );
            }
        }
        let mut seen: HashSet<String> = HashSet::new();
        for (node, path) in machine.all() {
            if !seen.insert(path.clone()) {
                self.report(node.name.span(), format!("the node `{path}` is declared twice: rename one of the two"));
            }
        }
        let mut types: HashMap<String, String> = HashMap::new();
        for (node, path) in machine.all() {
            if let Some(other) = types.insert(type_name(&path), path.clone()).filter(|other| *other != path) {
                let message =
                    format!("the nodes `{other}` and `{path}` would have the same type: rename one of the two");
                self.report(node.name.span(), message);
            }
        }
    }

    /// A context owns its data. rustc would say "not general enough" at the whole macro, and name lifetimes that nobody wrote.
    fn borrows(&mut self) {
        for context in &self.machine.contexts {
            if let Some((lifetime, span)) = lifetime(context.ty.to_token_stream()) {
                let message = format!(
                    "a context owns its data, because agents read and write it as JSON: use a type without `{lifetime}`, \
                     with `String` in place of `&str`"
                );
                self.report(span, message);
            }
        }
    }

    fn node(&mut self, node: &Node) {
        for grant in &node.grants {
            self.context(&grant.context);
        }
        let is_meta = |tool: &&Ident| META_TOOLS.iter().any(|name| *tool == name);
        if let (Some(first), None) = (node.uses.iter().find(|tool| !is_meta(tool)), &self.machine.tools) {
            let message = "the machine has no tools: write `tools: MyTools;`, with a type that `tools!` makes";
            self.report(first.span(), message);
        }
        for tool in node.uses.iter().filter(is_meta) {
            let advice =
                if node.meta.is_some() { "remove it, because `meta;` includes it" } else { "write `meta;` instead" };
            let message = format!("`{tool}` is a meta tool: {advice}");
            self.report(tool.span(), message);
        }
        for annotation in node.edges.iter().flat_map(|edge| &edge.annotations) {
            match List::of(annotation) {
                Some(Ok(list)) => self.context(&list.context),
                Some(Err(error)) => self.report(error.span(), error),
                None => {}
            }
        }
        for condition in node.edges.iter().filter_map(|edge| edge.condition.as_ref()) {
            for found in Reads::of(condition, &self.contexts).macros {
                let span = found.path.segments.first().map_or_else(Span::call_site, |first| first.ident.span());
                let message = "a condition can only use the macro `matches!`: call a function instead, such as `is_small(order.total)`";
                self.report(span, message);
            }
        }
    }

    fn context(&mut self, name: &Ident) {
        if self.contexts.contains(&name) {
            return;
        }
        let names: Vec<_> = self.contexts.iter().map(ToString::to_string).collect();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = match nearest(&name.to_string(), &known) {
            Some(similar) => format!("there is no context `{name}`: did you mean `{similar}`?"),
            None => format!("there is no context `{name}`: declare it as `context {name}: …;`"),
        };
        self.report(name.span(), message);
    }
}

/// Returns the name of the type of a node: `Group.Inner` is `GroupInner`.
pub(super) fn type_name(path: &str) -> String {
    path.split('.').collect()
}
