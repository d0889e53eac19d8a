//! Writes the code of a machine.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Path, Type};

use super::lower::{Lowered, lists, text_of};
use super::reads::{List, Read, Reads};
use super::tree::{Context, Input, Machine};
use crate::node_types::{self, NodeType};

pub(super) fn expand(input: &Input, lowered: &Lowered<'_>) -> TokenStream {
    let Input { library, machine } = input;
    let Machine { attrs, vis, name, contexts, .. } = machine;
    let all = machine.all();
    let types: Vec<_> = all
        .iter()
        .map(|(node, path)| NodeType {
            path: path.clone(),
            name: Ident::new(&super::check::type_name(path), node.name.span()),
            docs: &node.docs,
        })
        .collect();
    let nodes = node_types::module(library, vis, name, &types);

    let source = lowered.model.to_string();
    let parameters = contexts.iter().map(|Context { name, ty }| quote!(#name: #ty)).collect::<Vec<_>>();
    let tools = machine.tools.as_ref().map(|ty| quote!(tools: &#ty)).into_iter();
    let add_contexts = contexts.iter().map(|Context { name, ty }| {
        let text = name.to_string();
        let fields = json_names(machine, name);
        let ty = checked(name, ty);
        quote!(let definition = definition.context::<#ty>(#text, &#name, &[#(#fields),*]);)
    });
    let checks = contexts.iter().map(|Context { name: context, ty }| check(library, name, context, ty));
    // Edges with the same condition share its function.
    let conditions: BTreeMap<_, _> =
        lowered.conditions.iter().map(|(_, expression)| (text_of(expression), *expression)).collect();
    let add_conditions = conditions.iter().map(|(text, expression)| condition(input, text, expression));
    let add_tools = lowered.uses.iter().map(
        |(path, tool)| quote!(let definition = definition.uses(#path, ::core::convert::AsRef::as_ref(&tools.#tool));),
    );
    let fields = lowered.fields.iter().filter_map(|(context, field)| {
        let Context { ty, .. } = contexts.iter().find(|other| other.name == *context)?;
        Some(quote!(let _ = |context: &#ty| { let _ = &context.#field; };))
    });
    let lists = lowered.lists.iter().filter_map(|List { context, fields }| {
        let Context { ty, .. } = contexts.iter().find(|other| other.name == *context)?;
        // A message about the type is at the field.
        let span = fields.last()?.span();
        let list = quote_spanned!(span=> #library::for_macros::list(&context #(.#fields)*));
        Some(quote_spanned!(span=> let _ = |context: &#ty| #list;))
    });
    let arguments: Vec<_> = parameters.into_iter().chain(tools).collect();
    quote! {
        #(#attrs)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #vis struct #name;

        impl #name {
            /// Returns the machine, with the first values of its contexts.
            #[must_use]
            #[allow(clippy::too_many_arguments, reason = "each context is one")]
            #vis fn machine(#(#arguments),*) -> #library::Definition {
                #(#checks)*
                let definition = #library::for_macros::Typed::new(#source);
                #(#add_contexts)*
                #(#add_conditions)*
                #(#add_tools)*
                definition.finish()
            }
        }

        #nodes

        // Each field that the machine names is a field of its context.
        const _: () = {
            #[allow(dead_code, reason = "only its types are checked")]
            fn fields() {
                #(#fields)*
                #(#lists)*
            }
        };
    }
}

/// Writes a constant that checks, at the type of a context, that it can be one, and the type under the condition of this constant. If it is
/// wrong, rustc reports the constant, and nothing that uses the type.
fn check(library: &Path, machine: &Ident, context: &Ident, ty: &Type) -> TokenStream {
    let (constant, checked) = (format_ident!("__IS_A_CONTEXT_{context}"), checked(context, ty));
    let is_a_context = quote_spanned!(ty.span()=> #library::for_macros::context_type::<#ty>(););
    quote! {
        #[allow(non_upper_case_globals)]
        const #constant: bool = { #is_a_context true };
        #[allow(non_camel_case_types)]
        type #checked = #library::for_macros::Sound<#ty, #machine, { #constant }>;
    }
}

/// Returns the name of the type that [`check`] writes.
fn checked(context: &Ident, ty: &Type) -> Ident {
    format_ident!("__Context_{context}", span = ty.span())
}

/// Returns the fields of a context that tools, templates and lists name. They find them in JSON.
fn json_names(machine: &Machine, context: &Ident) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (node, _) in machine.all() {
        let grants = node.grants.iter().filter(|grant| grant.context == *context);
        found.extend(grants.flat_map(|grant| &grant.fields).flatten().map(ToString::to_string));
        let prompts = node.prompt.iter().flat_map(|prompt| Read::of_prompt(prompt, &[context]));
        let lists = lists(node).filter(|list| list.context == *context).map(List::read);
        found.extend(prompts.chain(lists).filter_map(|read| read.field).map(|field| field.to_string()));
    }
    found
}

/// Writes the condition of an edge as a function of the contexts that it reads.
fn condition(input: &Input, name: &str, expression: &Expr) -> TokenStream {
    let Input { library, machine } = input;
    let names: Vec<_> = machine.contexts.iter().map(|context| &context.name).collect();
    let reads = Reads::of(expression, &names).all;
    let used: Vec<_> =
        machine.contexts.iter().filter(|context| reads.iter().any(|read| read.context == context.name)).collect();
    let parameters = used.iter().map(|Context { name, ty }| {
        let ty = checked(name, ty);
        quote!(#name: &#ty)
    });
    let arguments = used.iter().map(|Context { name, .. }| {
        let text = name.to_string();
        quote!(&contexts.typed(#text)?)
    });
    let contexts = if used.is_empty() { quote!(_) } else { quote!(contexts) };
    quote! {
        let definition = definition.condition(#name, {
            #[allow(clippy::trivially_copy_pass_by_ref, reason = "contexts are passed alike")]
            fn condition(#(#parameters),*) -> bool {
                #expression
            }
            |#contexts: &#library::Contexts| ::core::result::Result::Ok(condition(#(#arguments),*))
        });
    }
}
