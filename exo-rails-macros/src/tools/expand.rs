//! Writes the struct of a tool set, and its traits.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::parse::{Set, Tool};
use crate::errors::shown;

pub(super) fn tools(set: &Set) -> TokenStream {
    let (structure, tool_set, checks) = (structure(set), tool_set(set), checks(set));
    quote! {
        #structure
        const _: () = {
            #tool_set
            #checks
        };
    }
}

fn structure(Set { library, attrs, vis, ident, tools, .. }: &Set) -> TokenStream {
    let fields =
        tools.iter().map(|Tool { attrs, vis, ident, ty }| quote!(#(#attrs)* #vis #ident: #library::ToolFor<#ty>));
    quote!(#(#attrs)* #vis struct #ident { #(#fields),* })
}

fn tool_set(Set { library, ident, tools, .. }: &Set) -> TokenStream {
    let fields: Vec<_> = tools.iter().map(|tool| &tool.ident).collect();
    let name = ident.unraw().to_string();
    // The span is the name of the type. A type that is not the arguments of a tool is reported there and nowhere else.
    // Only the field has the name itself, because rustc would report an unknown name twice.
    let names = tools.iter().map(|Tool { ident: field, ty, .. }| {
        let span = ty.span().resolved_at(Span::mixed_site());
        let (library, inferred) = (library.located(span), quote_spanned!(ty.span()=> _));
        quote_spanned! {span=>
            #library::for_macros::name_of(|set: &Self| &set.#field, &<#inferred as #library::ToolArgs>::NAMED)
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #library::ToolSet for #ident {
            const NAME: &'static str = #name;
            const NAMES: &'static [&'static str] = &[#(#names),*];

            fn tools(&self) -> impl ::core::iter::Iterator<Item = &#library::Tool> {
                let tools: [&#library::Tool; _] = [#(::core::convert::AsRef::as_ref(&self.#fields)),*];
                ::core::iter::IntoIterator::into_iter(tools)
            }
        }

        #[automatically_derived]
        impl ::core::iter::IntoIterator for #ident {
            type Item = #library::Tool;
            type IntoIter = #library::for_macros::IntoTools;

            fn into_iter(self) -> Self::IntoIter {
                let tools: [#library::Tool; _] = [#(::core::convert::Into::into(self.#fields)),*];
                #library::for_macros::into_tools(tools)
            }
        }
    }
}

/// Writes the check that each tool has a different name. The error is at the second tool of a name.
fn checks(Set { library, ident, tools, .. }: &Set) -> TokenStream {
    let types: Vec<_> = tools.iter().map(|tool| shown(&tool.ty)).collect();
    let checks = tools.iter().enumerate().skip(1).map(|(i, tool)| {
        let span = tool.ty.span().resolved_at(Span::mixed_site());
        let (library, types) = (library.located(span), &types[..=i]);
        quote_spanned! {span=>
            const _: () = #library::for_macros::distinct::<#ident>(&[#(#types),*]);
        }
    });
    checks.collect()
}
