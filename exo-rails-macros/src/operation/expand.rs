//! Writes the events of an operation, and the traits that connect them.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{DeriveInput, Ident};

use super::parse::OperationOptions;
use crate::custom_event::{event_of, snake_case};

/// Writes all items beside the user's struct.
pub(super) fn operation(item: &DeriveInput, options: &OperationOptions) -> TokenStream {
    let OperationOptions { name, inputs, output, pre, post, failed, library } = options;
    let (ident, vis) = (&item.ident, &item.vis);
    let name = name.clone().unwrap_or_else(|| snake_case(&ident.to_string()));
    let path = library.is_given().then(|| quote!(crate = #library,));
    let event = |ident: &Ident, options: TokenStream| {
        event_of(quote!(#[event(#path #options)] struct #ident;), Some(item.ident.unraw().to_string()))
    };
    let failure = quote_spanned!(Span::mixed_site()=> #library::OperationError);
    let pre_event = event(pre, quote!(payload = &mut #inputs, substitute = #output, allows = "retry"));
    let post_event = event(post, quote!(payload = (&#inputs, &mut #output), allows = "retry", after = true));
    let failed_event =
        event(failed, quote!(payload = (&#inputs, &#failure), substitute = #output, allows = "retry", after = true));
    let [pre_docs, post_docs, failed_docs] = [
        format!("[`{ident}`] is about to happen. A skip may bring a substitute for its output."),
        format!("[`{ident}`] has happened. A skip accepts the output unchanged."),
        format!(
            "[`{ident}`] has failed. A skip may bring a substitute for its output; otherwise the operation returns the error."
        ),
    ];
    quote_spanned! {Span::mixed_site()=>
        #[doc = #pre_docs]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #pre;
        #pre_event

        #[doc = #post_docs]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #post;
        #post_event

        #[doc = #failed_docs]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #failed;
        #failed_event

        #[automatically_derived]
        impl #library::Operation for #ident {
            type Inputs = #inputs;
            type Output = #output;
            type Error = #library::OperationError;
            type Pre = #pre;
            type Post = #post;
            type Failed = #failed;
        }

        #[automatically_derived]
        impl #library::Begins for #pre {
            type Operation = #ident;
        }

        // `__Here` is a type of the crate that uses the events: see `Sound` in the library.
        #[automatically_derived]
        impl<__Here> #library::for_macros::OperationEvents<__Here> for #ident {
            type Pre = #pre;
            type Post = #post;
            type Failed = #failed;
        }

        #[automatically_derived]
        impl #library::CustomOperation for #ident {
            const NAME: &'static str = #name;

            fn pre(inputs: &mut #inputs) -> &mut #inputs {
                inputs
            }

            fn post<'__event>(
                inputs: &'__event #inputs,
                output: &'__event mut #output,
            ) -> (&'__event #inputs, &'__event mut #output) {
                (inputs, output)
            }

            fn failed<'__event>(
                inputs: &'__event #inputs,
                error: &'__event #library::OperationError,
            ) -> (&'__event #inputs, &'__event #library::OperationError) {
                (inputs, error)
            }
        }
    }
}
