//! The struct of a chain and the constants and steps that make it one.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::parse::{Chain, Listed};
use super::requirements::{self, Requirement};
use crate::paths::EVENTS;
use crate::rail::declared;

/// The items of a named chain, or the block that is an unnamed one.
pub(super) fn chain(chain: &Chain) -> TokenStream {
    let names = Names::of(chain);
    let (ident, structure) = (&names.ident, names.structure());
    let (listing, chain_impls) = (names.listing(), names.chain_impls());
    let (run_on, checks) = (names.run_on(), names.checks());
    let (fallbacks, imports) = (names.fallbacks(), names.imports());
    let items = quote! {
        #structure
        const _: () = {
            #fallbacks
            const _: () = {
                #imports
                #listing
                #chain_impls
                #run_on
                #checks
            };
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

    fn len(&self) -> Literal {
        Literal::usize_unsuffixed(self.chain.rails.len())
    }

    fn kinds(&self) -> Literal {
        Literal::usize_unsuffixed(self.events.len())
    }

    fn places(&self) -> impl Iterator<Item = Literal> {
        (0..self.chain.rails.len()).map(Literal::usize_unsuffixed)
    }

    /// The name by which the expansion refers to a rail that is listed by a plain path; see [`Self::imports`].
    fn alias(place: usize, rail: &Listed) -> Option<Ident> {
        let Listed::Path(path) = rail else { return None };
        let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
        plain.then(|| format_ident!("__Rail{place}", span = path.span().resolved_at(Span::mixed_site())))
    }

    fn aliased(&self) -> impl Iterator<Item = (usize, Ident, &Listed)> {
        let rails = self.chain.rails.iter().enumerate();
        rails.filter_map(|(place, rail)| Some((place, Self::alias(place, rail)?, rail)))
    }

    /// What the names below mean where a path is not that of a type: see [`Self::imports`].
    fn fallbacks(&self) -> TokenStream {
        let library = &self.chain.library;
        let fallback = |(place, alias, _): (usize, Ident, &Listed)| {
            let place = Literal::usize_unsuffixed(place);
            quote_spanned!(Span::mixed_site()=> #[allow(dead_code)] type #alias = #library::__private::NoRail<#place>;)
        };
        self.aliased().map(fallback).collect()
    }

    /// The rails under names of the expansion.
    ///
    /// An import takes whatever has the name: a rail is a function and a type, and the type is found here. Of a
    /// function without `#[rail]` there is only the function; then the type of that name is the fallback outside,
    /// and the checks can say what is missing, where the name alone would be an "expected type, found function".
    fn imports(&self) -> TokenStream {
        let import = |(_, alias, rail): (usize, Ident, &Listed)| {
            let (path, span) = (rail.ty(), rail.ty().span().resolved_at(Span::mixed_site()));
            quote_spanned!(span=> #[allow(unused_imports)] use #path as #alias;)
        };
        self.aliased().map(import).collect()
    }

    /// The rail's type as the expansion names it.
    fn ty(place: usize, rail: &Listed) -> TokenStream {
        Self::alias(place, rail).map_or_else(|| rail.ty(), ToTokens::into_token_stream)
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
        let (rows, events, kinds) = (self.places(), &self.events, self.kinds());
        quote_spanned! {Span::mixed_site()=>
            /// Which rail is at which place of the list.
            enum __Place {}

            /// Which place is at which step of an event.
            type __Sorted<__Event> = #library::__private::Sorted<#ident, __Event, #len, #kinds>;

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
                    [#(__Sorted::<#events>::PLAN),*];
            }
        }
    }

    fn place(&self, place: usize, rail: &Listed) -> TokenStream {
        let (ident, ty) = (&self.ident, Self::ty(place, rail));
        let span = rail.ty().span().resolved_at(Span::mixed_site());
        let place = Literal::usize_unsuffixed(place);
        let library = self.chain.library.located(span);
        // Nothing here names a bound, which the compiler would show: what is no rail is an error of its constants.
        let (rail, row) = match rail {
            Listed::Field { ident, .. } => {
                (quote_spanned!(span=> &chain.#ident), quote_spanned!(span=> <#ty as #library::Rail>::ROW))
            }
            Listed::Path(_) => (
                quote_spanned!(span=> <#ty as #library::checks::Stateless>::RAIL),
                quote_spanned!(span=> <#ty as #library::checks::Stateless>::ROW),
            ),
        };
        // All of it stands at the rail's name, so that "not a rail" and "listed twice" point there. The type of a
        // field is in parentheses where a constant could be meant: a function there would be two errors.
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

    /// What the rails and the chain say of the order, each held where it can be reported: at the name of the rail,
    /// the requirement or the policy.
    fn checks(&self) -> TokenStream {
        let (chain, ident, len, kinds) = (self.chain, &self.ident, self.len(), self.kinds());
        let library = &chain.library;
        let checks = |span: Span| quote_spanned!(span.resolved_at(Span::mixed_site())=> __Checks);
        let places = self.places().zip(&chain.rails).map(|(place, rail)| {
            let checks = checks(rail.ty().span());
            let unique =
                chain.unique_priorities.then(|| quote_spanned!(rail.ty().span()=> #checks::unique_priority(#place);));
            quote_spanned!(rail.ty().span()=> #checks::place(#place); #unique)
        });
        let requirements = chain.requirements.iter().map(|requirement| {
            let (checks, value) = (checks(requirement.span()), requirement.value(library));
            quote_spanned!(requirement.span()=> #checks::meets(#value);)
        });
        let ordered = chain.requirements.iter().flat_map(Requirement::ordered).map(|rail| {
            let (checks, row) = (checks(rail.span()), requirements::row(rail, library));
            quote_spanned!(rail.span()=> #checks::lists(#row);)
        });
        let policies = chain.policies.iter().map(|policy| {
            let (checks, library) = (checks(policy.span()), library.located(policy.span()));
            quote_spanned! {policy.span()=>
                #checks::follows(<#policy as #library::ChainPolicy>::NAME, <#policy as #library::ChainPolicy>::REQUIREMENTS);
            }
        });
        quote_spanned! {Span::mixed_site()=>
            type __Checks = #library::__private::Checks<#ident, #len, #kinds>;

            const _: () = {
                #(#places)*
                #(#ordered)*
                #(#requirements)*
                #(#policies)*
            };
        }
    }

    /// What the chain is as a rail and as a chain.
    fn chain_impls(&self) -> TokenStream {
        let (Chain { library, priority, .. }, ident) = (self.chain, &self.ident);
        let (len, events, kinds) = (self.len(), &self.events, self.kinds());
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

    /// The steps of each event, as types, in the order that the constants know; and one body for all events,
    /// which takes one step after the other. Written once, it is checked once, whatever the number of events.
    fn run_on(&self) -> TokenStream {
        let (library, ident) = (&self.chain.library, &self.ident);
        let name = |step| format_ident!("Step{step}", span = Span::mixed_site());
        let names: Vec<_> = (0..self.chain.rails.len()).map(name).collect();
        let orders = self.events.iter().map(|event| self.order(event, &names));
        let steps = names.iter().map(|name| self.step(name));
        quote_spanned! {Span::mixed_site()=>
            use #library::__private::Step as _;

            /// What is called at an event, one after the other.
            trait __Steps<__Event: #library::Event> {
                #(type #names: #library::__private::Step<__Event, Chain = #ident>;)*
            }

            #(#orders)*

            #[automatically_derived]
            impl<__Event: #library::Event> #library::RunOn<__Event> for #ident
            where
                __Place: __Steps<__Event>,
            {
                #[inline]
                fn rewrites(&self) -> bool {
                    __Sorted::<__Event>::REWRITES
                }

                #[inline]
                fn dispatch<'__event>(
                    &'__event self,
                    payload: <__Event as #library::Payloads>::Payload<'__event>,
                    ctx: &'__event mut #library::RailContext,
                ) -> impl ::core::future::Future<Output = #library::Outcome<__Event>> + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        #(#steps)*
                        ::core::result::Result::Ok(#library::Decision::Continue)
                    }
                }
            }
        }
    }

    fn order(&self, event: &TokenStream, names: &[Ident]) -> TokenStream {
        let (library, steps) = (&self.chain.library, self.places());
        quote_spanned! {Span::mixed_site()=>
            impl __Steps<#event> for __Place {
                #(type #names = #library::__private::At<__Place, { __Sorted::<#event>::ORDER[#steps] }>;)*
            }
        }
    }

    /// A call of the rail, whose output is taken apart at once.
    fn step(&self, name: &Ident) -> TokenStream {
        let library = &self.chain.library;
        let step = quote!(<__Place as __Steps<__Event>>::#name);
        quote_spanned! {Span::mixed_site()=>
            let lent = <__Event as #library::Payloads>::reborrow(&mut payload);
            let output = #step::call(self, lent, &mut *ctx).await;
            match #step::flow(output) {
                ::core::ops::ControlFlow::Break(outcome) => return outcome,
                ::core::ops::ControlFlow::Continue(()) => {}
            }
        }
    }
}
