//! The types of nodes, which both macros write.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Path, Visibility};

/// A node that has a type.
pub(crate) struct NodeType<'a> {
    pub(crate) path: String,
    pub(crate) name: Ident,
    pub(crate) docs: &'a [Attribute],
}

/// Writes the module with the types of the nodes. Its name is that of the machine's type, in lower case.
pub(crate) fn module(library: &Path, vis: &Visibility, machine: &Ident, nodes: &[NodeType<'_>]) -> TokenStream {
    let module = format_ident!("{}", snake_case(&machine.to_string()), span = machine.span());
    let types = nodes.iter().map(|NodeType { path, name, docs }| {
        let default = format!(" The node `{path}`.");
        let docs = if docs.is_empty() { quote!(#[doc = #default]) } else { quote!(#(#docs)*) };
        quote! {
            #docs
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct #name;

            impl #library::Node for #name {
                const PATH: &'static str = #path;
            }
        }
    });
    let doc = format!(" The nodes of [`{machine}`].");
    // With the span of the name, rustc reports a second module of this name there.
    let named = quote_spanned!(machine.span()=> mod #module { #(#types)* });
    quote! {
        #[doc = #doc]
        #[allow(dead_code, reason = "a program does not need the types of all nodes")]
        #vis #named
    }
}

/// Returns the types of the nodes of these paths. Nodes whose types would have the same name have none.
pub(crate) fn of_paths<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<NodeType<'static>> {
    let all: Vec<_> = paths.map(|path| (pascal_case(path), path)).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (name, _) in &all {
        *counts.entry(name).or_default() += 1;
    }
    let unique = all.iter().filter(|(name, _)| counts.get(name.as_str()) == Some(&1));
    let node = |(name, path): &(String, &str)| NodeType {
        path: (*path).to_owned(),
        name: Ident::new(name, Span::call_site()),
        docs: &[],
    };
    unique.map(node).collect()
}

/// Writes a path as the name of a type: `group.firstStep` as `GroupFirstStep`.
pub(crate) fn pascal_case(path: &str) -> String {
    let mut name = String::new();
    let mut begins = true;
    for c in path.chars() {
        match c {
            '.' | '_' => begins = true,
            c if begins => {
                name.extend(c.to_uppercase());
                begins = false;
            }
            c => name.push(c),
        }
    }
    // `Self` is the only name of a type that is a keyword.
    if name.starts_with(|c: char| c.is_numeric()) || name.is_empty() || name == "Self" {
        name.insert_str(0, "Node");
    }
    name
}

/// Writes the name of a type as the name of a module: `OrderDesk` as `order_desk`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && after_lower {
            snake.push('_');
        }
        after_lower = c.is_lowercase() || c.is_numeric();
        snake.extend(c.to_lowercase());
    }
    // The name of a type that is a keyword in lower case, such as `Loop`.
    if syn::parse_str::<Ident>(&snake).is_err() || snake == name {
        snake.push_str("_nodes");
    }
    snake
}
