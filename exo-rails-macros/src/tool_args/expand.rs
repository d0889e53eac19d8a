//! Writes the trait of checked arguments.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

use super::check::ToolArgs;

/// Writes the items beside the struct.
pub(super) fn tool_args(args: &ToolArgs) -> TokenStream {
    let ToolArgs { library, ident, .. } = args;
    let schema = if let Some(schema) = &args.schema {
        // The span is that of the expression. If the expression is not a schema, the error is there.
        let library = library.located(schema.span());
        quote_spanned! {schema.span().resolved_at(Span::mixed_site())=>
            let schema: #library::for_macros::Schema = #schema;
            schema
        }
    } else {
        let library = library.located(ident.span());
        quote_spanned!(ident.span()=> <#ident as #library::for_macros::HasSchema>::schema())
    };
    tool_args_impl(args, &schema)
}

/// Writes the items beside a struct with mistakes, so that other code does not report the struct again. A stub always
/// stands beside a `compile_error!`.
pub(super) fn stub(args: &ToolArgs) -> TokenStream {
    if !args.generics.params.is_empty() {
        return TokenStream::new();
    }
    let library = &args.library;
    tool_args_impl(args, &quote_spanned!(Span::mixed_site()=> #library::for_macros::Schema::Null))
}

fn tool_args_impl(args: &ToolArgs, schema: &impl ToTokens) -> TokenStream {
    let ToolArgs { library, ident, name, description, renamed, .. } = args;
    let renamed = (!renamed.is_empty()).then(|| {
        let pairs = renamed.iter().map(|(name, in_json)| quote_spanned!(Span::mixed_site()=> (#name, #in_json)));
        quote_spanned!(Span::mixed_site()=> const RENAMED_FIELDS: &'static [(&'static str, &'static str)] = &[#(#pairs),*];)
    });
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #library::for_macros::DerivedToolArgs for #ident {
            const TOOL_NAME: &'static str = #name;
            const TOOL_DESCRIPTION: &'static str = #description;
            #renamed

            fn tool_schema() -> #library::for_macros::Schema {
                #schema
            }
        }
    }
}
