//! The trait of checked arguments.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

use super::check::ToolArgs;

/// What stands beside the struct.
pub(super) fn tool_args(args: &ToolArgs) -> TokenStream {
    let ToolArgs { library, ident, .. } = args;
    let schema = if let Some(schema) = &args.schema {
        // At the place of the expression: when it is something else, that is where it is said.
        let library = library.located(schema.span());
        quote_spanned! {schema.span().resolved_at(Span::mixed_site())=>
            let schema: #library::__private::Schema = #schema;
            schema
        }
    } else {
        let library = library.located(ident.span());
        quote_spanned!(ident.span()=> <#ident as #library::__private::HasSchema>::schema())
    };
    tool_args_impl(args, &schema)
}

/// What stands beside a struct with errors, so that whoever uses it does not report it a second time. It is never
/// without a `compile_error!` beside it.
pub(super) fn stub(args: &ToolArgs) -> TokenStream {
    if !args.generics.params.is_empty() {
        return TokenStream::new();
    }
    let library = &args.library;
    tool_args_impl(args, &quote_spanned!(Span::mixed_site()=> #library::__private::Schema::Null))
}

fn tool_args_impl(args: &ToolArgs, schema: &impl ToTokens) -> TokenStream {
    let ToolArgs { library, ident, name, description, .. } = args;
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #library::__private::DerivedToolArgs for #ident {
            const TOOL_NAME: &'static str = #name;
            const TOOL_DESCRIPTION: &'static str = #description;

            fn tool_schema() -> #library::__private::Schema {
                #schema
            }
        }
    }
}
