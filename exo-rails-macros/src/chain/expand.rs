//! The struct of a chain and the constants and steps that make it one.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::parse::{Chain, Listed};
use crate::paths::EVENTS;
use crate::rail::declared;

/// The items of a named chain, or the block that is an unnamed one.
pub(super) fn chain(chain: &Chain) -> TokenStream {
    let names = Names::of(chain);
    let (ident, structure) = (&names.ident, names.structure());
    let (listing, chain_impls) = (names.listing(), names.chain_impls());
    let events = names.events.iter().map(|event| names.run_on(event));
    let items = quote! {
        #structure
        const _: () = {
            #listing
            #chain_impls
            #(#events)*
        };
    };
    if chain.ident.is_some() { items } else { quote!({ #items #ident {} }) }
}

/// The chain, and what the expansion calls it and its parts.
struct Names<'c> {
    chain: &'c Chain,
    ident: Ident,
    /// The paths of the events that the chain serves.
    events: Vec<TokenStream>,
}

impl<'c> Names<'c> {
    fn of(chain: &'c Chain) -> Self {
        let library = &chain.library;
        let ident = chain.ident.clone().unwrap_or_else(|| Ident::new("UnnamedChain", Span::mixed_site()));
        let event = |name| {
            let name = Ident::new(name, Span::call_site());
            quote!(#library::events::#name)
        };
        Self { chain, ident, events: EVENTS.map(event).to_vec() }
    }

    fn len(&self) -> usize {
        self.chain.rails.len()
    }

    fn structure(&self) -> TokenStream {
        let (Chain { attrs, vis, library, .. }, ident) = (self.chain, &self.ident);
        let fields = self.chain.rails.iter().filter_map(|rail| match rail {
            Listed::Field { attrs, vis, ident, ty } => Some(quote!(#(#attrs)* #vis #ident: #ty)),
            Listed::Path(_) => None,
        });
        let fields: Vec<_> = fields.collect();
        // A chain without state can be listed in another by its name alone.
        let stateless = fields.is_empty().then(|| {
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #library::checks::Stateless for #ident {
                    const RAIL: &'static Self = &Self {};
                }
            }
        });
        quote!(#(#attrs)* #vis struct #ident { #(#fields),* } #stateless)
    }

    /// Which rail is at which place, and what is known of each.
    fn listing(&self) -> TokenStream {
        let (library, ident, len) = (&self.chain.library, &self.ident, self.len());
        let places = self.chain.rails.iter().enumerate().map(|(place, rail)| self.place(place, rail));
        let rows = 0..len;
        let (events, kinds) = (&self.events, self.events.len());
        quote_spanned! {Span::mixed_site()=>
            /// Which rail is at which place of the list.
            enum __Place {}

            #(#places)*

            #[automatically_derived]
            impl #library::__private::RailAt<#len> for __Place {
                type Chain = #ident;
                type Rail = #library::__private::NoRail;
                const ROW: #library::__private::Row = #library::__private::NoRail::ROW;

                #[inline]
                fn rail(_: &#ident) -> &Self::Rail {
                    &#library::__private::NoRail
                }
            }

            #[automatically_derived]
            impl #library::__private::Listing<#len, #kinds> for #ident {
                const ROWS: [#library::__private::Row; #len] = [#(<__Place as #library::__private::RailAt<#rows>>::ROW),*];
                const EVENTS: [#library::EventPlan; #kinds] =
                    [#(#library::__private::Sorted::<Self, #events, #len, #kinds>::PLAN),*];
            }
        }
    }

    fn place(&self, place: usize, rail: &Listed) -> TokenStream {
        let (ident, ty) = (&self.ident, rail.ty());
        let span = ty.span().resolved_at(Span::mixed_site());
        let library = self.chain.library.located(span);
        // Nothing here names a bound, which the compiler would show: what is no rail is an error of its constants.
        let (rail, row) = match rail {
            Listed::Field { ident, .. } => (
                quote_spanned!(span=> &chain.#ident),
                quote_spanned! {span=>
                    #library::__private::Row::new(
                        <#ty as #library::Rail>::INFO,
                        <#ty as #library::Rail>::EVENTS,
                        <#ty as #library::Rail>::REWRITES,
                        <#ty as #library::Rail>::INNER,
                    )
                },
            ),
            Listed::Path(path) => (
                quote_spanned!(span=> <#path as #library::checks::Stateless>::RAIL),
                quote_spanned!(span=> <#path as #library::checks::Stateless>::ROW),
            ),
        };
        // All of it stands at the rail's name, so that "not a rail" and "listed twice" point there. The name is
        // in parentheses where a constant could be meant: a function in the list would be two errors.
        quote_spanned! {span=>
            #[automatically_derived]
            impl #library::__private::RailAt<#place> for __Place {
                type Chain = #ident;
                type Rail = #ty;
                const ROW: #library::__private::Row = #row;

                #[inline]
                fn rail(chain: &#ident) -> &Self::Rail {
                    #rail
                }
            }

            #[automatically_derived]
            #[allow(unused_parens)]
            impl #library::checks::RunsEachRailOnce<(#ty)> for #ident {}
        }
    }

    /// What the chain is as a rail and as a chain.
    fn chain_impls(&self) -> TokenStream {
        let (Chain { library, priority, .. }, ident) = (self.chain, &self.ident);
        let (len, events, kinds) = (self.len(), &self.events, self.events.len());
        let name =
            self.chain.ident.as_ref().map_or_else(|| "rail_chain!".to_owned(), |ident| ident.unraw().to_string());
        let priority = priority.as_ref().map_or_else(|| quote!(#library::DEFAULT_PRIORITY), ToTokens::to_token_stream);
        let declared = declared(library, self.chain.span);
        quote_spanned! {Span::mixed_site()=>
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #library::Rail for #ident {
                const NAME: &'static str = #name;
                const PRIORITY: i32 = #priority;
                const EVENTS: &'static [#library::HookPoint] =
                    #library::__private::Summary::<Self, #len, #kinds>::EVENTS;
                const REWRITES: &'static [#library::HookPoint] =
                    #library::__private::Summary::<Self, #len, #kinds>::REWRITES;
                const DECLARED: #library::Declared = #declared;
                const INNER: ::core::option::Option<&'static #library::Plan> =
                    ::core::option::Option::Some(&<Self as #library::Chain>::PLAN);

                fn each_event<__Visitor: #library::__private::EventVisitor<Self>>(visitor: &mut __Visitor) {
                    #(visitor.visit::<#events>();)*
                }
            }

            #[automatically_derived]
            impl #library::Chain for #ident {
                const PLAN: #library::Plan = #library::Plan {
                    chain: #name,
                    events: #library::__private::Summary::<Self, #len, #kinds>::PLANS,
                };
            }
        }
    }

    /// One event: a step for each place of its order, a direct call each.
    fn run_on(&self, event: &TokenStream) -> TokenStream {
        let (library, ident, len, kinds) = (&self.chain.library, &self.ident, self.len(), self.events.len());
        let sorted = quote!(#library::__private::Sorted::<#ident, #event, #len, #kinds>);
        let steps = (0..len).map(|step| {
            quote_spanned! {Span::mixed_site()=> {
                type Step = <__Place as #library::__private::RailAt<{ #sorted::ORDER[#step] }>>::Rail;
                let rail = <__Place as #library::__private::RailAt<{ #sorted::ORDER[#step] }>>::rail(self);
                let payload = <#event as #library::Payloads>::reborrow(&mut payload);
                let output = <Step as #library::RailOn<#event>>::call(rail, payload, &mut *ctx).await;
                match <Step as #library::RailOn<#event>>::flow(output) {
                    ::core::ops::ControlFlow::Break(stop) => return ::core::ops::ControlFlow::Break(stop),
                    ::core::ops::ControlFlow::Continue(()) => {}
                }
            }}
        });
        quote_spanned! {Span::mixed_site()=>
            #[automatically_derived]
            impl #library::RunOn<#event> for #ident {
                #[inline]
                fn rewrites(&self) -> bool {
                    #sorted::REWRITES
                }

                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <#event as #library::Payloads>::Payload<'a>,
                    ctx: &'a mut #library::RailContext,
                ) -> impl ::core::future::Future<Output = #library::Outcome<#event>> + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        #(#steps)*
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
        }
    }
}
