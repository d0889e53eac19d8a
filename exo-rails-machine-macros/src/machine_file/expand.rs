//! Writes the type of a machine.

use std::collections::BTreeMap;

use exo_rails_dygram::Machine;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Ident, LitStr};

use super::input::Input;
use super::read::Read;

pub(super) fn expand(input: &Input, read: &Read) -> TokenStream {
    let Input { library, attrs, vis, name, .. } = input;
    // A printed machine is one file, and reading it gives the same machine.
    let source = read.machine.to_string();
    let nodes = constants(&read.machine).into_iter().map(|(constant, path)| {
        let doc = format!(" The node `{path}`.");
        quote! {
            #[doc = #doc]
            #vis const #constant: &'static str = #path;
        }
    });
    let files = read.files.iter().map(|path| LitStr::new(&path.to_string_lossy(), Span::call_site()));
    quote! {
        #(#attrs)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #vis struct #name;

        #[allow(dead_code, reason = "a program does not need all names")]
        impl #name {
            #(#nodes)*

            /// Returns the machine as DyGram text, in one file.
            #[must_use]
            #vis fn source() -> &'static str {
                #source
            }

            /// Returns the plan of the machine, which an executor runs.
            ///
            /// # Errors
            ///
            /// If the machine cannot be executed, for example because it has no node at which it could begin.
            #vis fn plan() -> ::core::result::Result<#library::Plan, #library::PlanError> {
                #library::__private::plan(Self::source())
            }
        }

        // The compiler reads the files again when they change.
        const _: &[&[u8]] = &[#(include_bytes!(#files)),*];
    }
}

/// Returns the names of the constants of nodes, with the path of each. Nodes whose names would be the same have none.
fn constants(machine: &Machine) -> Vec<(Ident, String)> {
    let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in machine.ids() {
        let path = machine.path(id);
        paths.entry(constant(path)).or_default().push(path.to_owned());
    }
    let unique = paths.into_iter().filter_map(|(name, paths)| match <[String; 1]>::try_from(paths) {
        Ok([path]) => Some((Ident::new(&name, Span::call_site()), path)),
        Err(_) => None,
    });
    unique.collect()
}

/// Writes a path as the name of a constant: `group.firstStep` as `GROUP_FIRST_STEP`.
fn constant(path: &str) -> String {
    let mut name = String::new();
    let mut after_lower = false;
    for c in path.chars() {
        if c.is_uppercase() && after_lower {
            name.push('_');
        }
        after_lower = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric() {
            name.extend(c.to_uppercase());
        } else {
            name.push('_');
        }
    }
    if name.starts_with(|c: char| c.is_numeric()) || name == "_" {
        name.insert(0, '_');
    }
    name
}
