//! Writes the struct of a chain, and the constants and steps that make it a chain.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Visibility};

use super::listed::{Listed, Rail};
use super::parse::{self, Chain};
use super::requirements::{self, Requirement};
use crate::alias;
use crate::apart;
use crate::errors::shown;
use crate::paths::{EVENTS, FEW, RARE};
use crate::rail::{self, Priority, declared, event_list, unnamed_list};

/// Writes the items of a named chain, or the block of an unnamed chain.
pub(super) fn chain(chain: &Chain) -> TokenStream {
    let names = Names::of(chain);
    let (ident, structure) = (&names.ident, names.structure());
    let stateless = names.stateless();
    let (fallbacks, aliases, custom_events) = (names.fallbacks(), names.aliases(), names.custom_events());
    let (list, order, serves) = (names.list(), names.order(), names.serves());
    let (chain_impls, checks) = (names.chain_impls(), names.checks());
    let items = quote! {
        #structure
        #[allow(dead_code, unused_imports, unused_parens)]
        const _: () = {
            #fallbacks
            // If a `#[cfg]` removes a rail, `guard_0_` and the like mean the aliases above.
            const _: () = {
                #aliases
                #stateless
                #custom_events
                #list
                #order
                #serves
                #chain_impls
                #checks
            };
        };
    };
    if chain.ident.is_some() { items } else { quote!({ #items #ident {} }) }
}

/// A chain, and the names of the chain and its parts in the expansion.
pub(super) struct Names<'c> {
    pub chain: &'c Chain,
    ident: Ident,
    /// The module of the struct, if the crate has another type of this name: see [`crate::apart`].
    apart: Option<Ident>,
    pub events: Vec<Served>,
}

/// An event that the chain serves.
pub(super) struct Served {
    path: TokenStream,
    /// The number of the event among the events of the library, and its name. `None` for a custom event, which has only a
    /// path.
    pub known: Option<(usize, &'static str)>,
    /// The largest number of steps at the event.
    pub steps: usize,
}

impl ToTokens for Served {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.path.to_tokens(tokens);
    }
}

impl<'c> Names<'c> {
    fn of(chain: &'c Chain) -> Self {
        let library = &chain.library;
        let ident = chain.ident.clone().unwrap_or_else(|| Ident::new("UnnamedChain", Span::mixed_site()));
        let len = chain.rails.len();
        let known = |(number, name): (usize, &'static str)| {
            let ident = Ident::new(name, Span::call_site());
            let few = RARE.contains(&name) && !chain.concurrent;
            let steps = if few { FEW.min(len) } else { len };
            Served { path: quote!(#library::events::#ident), known: Some((number, name)), steps }
        };
        let custom = chain.events.iter().filter(|event| parse::known(event).is_none()).map(|event| {
            let sound =
                quote_spanned!(Span::mixed_site()=> #library::for_macros::Sound<#event, __Events, { __SERVED }>);
            Served { path: sound, known: None, steps: len }
        });
        let events = EVENTS.into_iter().enumerate().map(known).chain(custom).collect();
        let apart = chain.ident.as_ref().filter(|_| can_stand_apart(chain)).and_then(apart::module);
        Self { chain, ident, apart, events }
    }

    /// The type of the chain.
    fn self_ty(&self) -> TokenStream {
        let ident = &self.ident;
        self.apart.as_ref().map_or_else(|| quote!(#ident), |module| quote!(#module::#ident))
    }

    /// The events of the library.
    pub(super) fn lifecycle(&self) -> &[Served] {
        &self.events[..EVENTS.len()]
    }

    /// The custom events.
    pub(super) fn custom(&self) -> &[Served] {
        &self.events[EVENTS.len()..]
    }

    fn len(&self) -> Literal {
        Literal::usize_unsuffixed(self.chain.rails.len())
    }

    fn places(&self) -> impl Iterator<Item = Literal> {
        (0..self.chain.rails.len()).map(Literal::usize_unsuffixed)
    }

    /// Returns the name of a rail in the expansion, if the rail has a field, is listed by a plain path or may be absent: see
    /// [`Self::aliases`].
    fn alias(place: usize, rail: &Listed) -> Option<Ident> {
        let aliased = rail.cfg.is_some() || rail.field().is_some() || is_plain(rail);
        let path = match &rail.rail {
            Rail::Path(path) => Some(path),
            Rail::Field { ty, .. } => alias::path_of(ty),
        };
        aliased.then(|| alias::named(path, place, rail.ty().span()))
    }

    fn aliased(&self) -> impl Iterator<Item = (usize, Ident, &Listed)> {
        let rails = self.chain.rails.iter().enumerate();
        rails.filter_map(|(place, rail)| Some((place, Self::alias(place, rail)?, rail)))
    }

    /// Writes a constant that checks, at the name of each custom event, that it is an event. The other items take the
    /// events from this constant. If an event is wrong, rustc reports it once.
    fn custom_events(&self) -> Option<TokenStream> {
        let (custom, library) = (self.custom(), &self.chain.library);
        let paths = self.chain.events.iter().filter(|event| parse::known(event).is_none());
        let are_events = paths.map(|event| {
            let span = event.span().resolved_at(Span::mixed_site());
            let library = library.located(span);
            quote_spanned!(span=> let _ = <#event as #library::Event>::POINT;)
        });
        // A public chain may serve private events.
        let events = event_list(custom);
        let operations = &self.chain.operations;
        let names = operations.iter().flat_map(|operation| {
            parse::EVENTS_OF_AN_OPERATION.map(|which| {
                let (name, which) = (Chain::event_of(operation, which), Ident::new(which, Span::mixed_site()));
                quote_spanned! {Span::mixed_site()=>
                    type #name = <
                        #library::for_macros::Check<{ __GUARDED }> as #library::for_macros::EventsOf<#operation, __Events>
                    >::#which;
                }
            })
        });
        let are_operations = operations.iter().map(|operation| {
            let library = library.located(operation.span());
            quote_spanned!(operation.span()=> let _ = <#operation as #library::CustomOperation>::NAME;)
        });
        let guarded = (!operations.is_empty())
            .then(|| quote_spanned!(Span::mixed_site()=> const __GUARDED: bool = { #(#are_operations)* true };));
        let list = unnamed_list(library, &quote!(#library::for_macros::LifecycleEvents<#events>));
        (!custom.is_empty()).then(|| {
            quote_spanned! {Span::mixed_site()=>
                #guarded
                #(#names)*
                const __SERVED: bool = { #(#are_events)* true };
                #list
            }
        })
    }

    /// Writes the types that the aliases mean if a `#[cfg]` removes the rail: a rail on no event.
    fn fallbacks(&self) -> TokenStream {
        let library = &self.chain.library;
        let fallback = |(place, alias, _): (usize, Ident, &Listed)| {
            let place = Literal::usize_unsuffixed(place);
            quote_spanned!(Span::mixed_site()=> type #alias = #library::for_macros::NoRail<#place>;)
        };
        self.aliased().filter(|(_, _, rail)| rail.cfg.is_some()).map(fallback).collect()
    }

    /// Gives the rails names of the expansion, so that rustc reports a wrong name once.
    ///
    /// A type is looked up as the user would expect it: variables do not hide it, and rustc names similar types, and items that
    /// a `#[cfg]` removes. An import would look for a crate.
    fn aliases(&self) -> TokenStream {
        let alias = |(_, alias, rail): (usize, Ident, &Listed)| {
            let (ty, span) = (rail.ty(), rail.ty().span().resolved_at(Span::mixed_site()));
            under_cfg(rail, quote_spanned!(span=> type #alias = #ty;))
        };
        self.aliased().map(alias).collect()
    }

    /// Writes the trait of a chain without fields. Another chain can list such a chain by its name alone, if no chain in
    /// it lists the other chain. The lifetime keeps rustc from checking that here: for a name that is not the name of a
    /// chain, another item reports the error.
    fn stateless(&self) -> Option<TokenStream> {
        let (library, ident) = (&self.chain.library, &self.self_ty());
        let listed = self.aliased().filter(|(_, _, rail)| is_called_like_a_type(rail)).map(|(_, alias, _)| {
            quote_spanned!(Span::mixed_site()=> for<'a> &'a #alias: #library::for_macros::ListsNoChainAroundIt)
        });
        let is_stateless = self.chain.rails.iter().all(|rail| rail.field().is_none());
        is_stateless.then(|| {
            quote_spanned! {Span::mixed_site()=>
                #[automatically_derived]
                impl #library::for_macros::Stateless for #ident where #(#listed),* {
                    const RAIL: &'static Self = &Self {};
                }
            }
        })
    }

    /// Returns the type of the rail in the expansion.
    fn ty(place: usize, rail: &Listed) -> TokenStream {
        Self::alias(place, rail).map_or_else(|| rail.ty(), ToTokens::into_token_stream)
    }

    /// Returns the alias of a field's type, at the place of the whole type.
    fn whole(place: usize, rail: &Listed) -> Option<TokenStream> {
        Self::alias(place, rail).map(|alias| alias::at(&alias, &rail.ty()))
    }

    /// Writes that threads can share a field. If they cannot, rustc reports the first constant that does not compile, and nothing
    /// that uses it.
    fn shared(&self, place: usize, rail: &Listed) -> TokenStream {
        let (library, ty, span) = (&self.chain.library, Self::whole(place, rail), rail.ty().span());
        let (located, place) = (library.located(span), Literal::usize_unsuffixed(place));
        let shared = quote_spanned!(span=> #located::for_macros::shared::<#ty>());
        let sent = quote_spanned!(span=> #located::for_macros::sent::<__Shared>());
        quote_spanned! {Span::mixed_site()=>
            const _: () = {
                const __IS_SHARED: bool = { #shared; true };
                type __Shared = #library::for_macros::Sound<#ty, ListedRails_, { __IS_SHARED }>;
                const __PLACE: ::core::primitive::usize = { #sent; #place };
                impl #library::for_macros::SharedField<{ __PLACE }> for ListedRails_ {}
            };
        }
    }

    fn structure(&self) -> TokenStream {
        let (Chain { attrs, vis, .. }, ident) = (self.chain, &self.ident);
        let fields = self.chain.rails.iter().filter_map(|listed| match &listed.rail {
            Rail::Field { attrs, vis, ident, ty } => Some(quote!(#(#attrs)* #vis #ident: #ty)),
            Rail::Path(_) => None,
        });
        let fields: Vec<_> = fields.collect();
        let fields = if fields.is_empty() { quote!(;) } else { quote!({ #(#fields),* }) };
        let debug = self.debug();
        // An unnamed chain has no state, and the user cannot derive the traits.
        let derives = debug.as_ref().map(|_| quote!(#[derive(::core::clone::Clone, ::core::marker::Copy)]));
        let Some(module) = &self.apart else { return quote!(#derives #(#attrs)* #vis struct #ident #fields #debug) };
        let span = ident.span();
        let (start, end) = (quote_spanned!(span=> type), quote_spanned!(span=> ;));
        // The constant is the value of a unit struct: `Guards.dispatch::<PreToolCall>(…)`.
        let value = quote_spanned!(span=> const #ident: #module::#ident = #module::#ident;);
        quote! {
            #[allow(unreachable_pub)]
            mod #module {
                #(#attrs)*
                pub struct #ident;
            }
            #[allow(dead_code)]
            #vis #start #ident = #module::#ident #end
            #[allow(dead_code, non_upper_case_globals)]
            #vis #value
        }
    }

    /// Writes `Debug` for an unnamed chain.
    fn debug(&self) -> Option<TokenStream> {
        let ident = &self.ident;
        let rails: Vec<_> = self.chain.rails.iter().map(|rail| shown(rail.ty())).collect();
        let shown = format!("rail_chain![{}]", rails.join(", "));
        self.chain.ident.is_none().then(|| {
            quote_spanned! {Span::mixed_site()=>
                impl ::core::fmt::Debug for #ident {
                    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                        f.write_str(#shown)
                    }
                }
            }
        })
    }

    /// Writes the list of the rails, with the facts about each of them.
    fn list(&self) -> TokenStream {
        let (library, ident, len) = (&self.chain.library, &self.self_ty(), self.len());
        let places = self.chain.rails.iter().enumerate().map(|(place, rail)| self.place(place, rail));
        let rows = self.chain.rails.iter().enumerate().map(|(place, rail)| self.row(place, rail));
        let events = Literal::usize_unsuffixed(self.events.len());
        let (events, custom) = (self.custom().iter().map(|_| &events).take(1), self.custom());
        let custom = (!custom.is_empty()).then(|| {
            quote_spanned! {Span::mixed_site()=>
                const CUSTOM_EVENTS: &'static [#library::EventPlan] = &[#(__Facts::at::<#custom>()),*];
            }
        });
        let onion = self.chain.onion.then(|| quote_spanned!(Span::mixed_site()=> const ONION: bool = true;));
        let mode = Ident::new(if self.chain.trace { "Traced" } else { "Plain" }, Span::mixed_site());
        let mode = quote_spanned!(Span::mixed_site()=> #library::for_macros::#mode<{ __Facts::HAS_ALWAYS }, { __Facts::HAS_AROUND }>);
        let needs = self.chain.needs.iter().map(|value| {
            let library = library.located(value.span());
            quote_spanned!(value.span()=> <#value as #library::Provided>::VALUE)
        });
        let (mode, needs) = if self.chain.needs.is_empty() {
            (mode, None)
        } else {
            let needs = quote_spanned! {Span::mixed_site()=>
                const NEEDS: &'static [#library::for_macros::ValueInfo] = &[#(#needs),*];
            };
            (quote_spanned!(Span::mixed_site()=> #library::for_macros::Within<#mode>), Some(needs))
        };
        quote_spanned! {Span::mixed_site()=>
            /// The list of the rails, each at its place.
            enum ListedRails_ {}
            #(#places)*

            // The value of a constant includes everything that the constant refers to. With incremental compilation, the
            // compiler hashes all of it, once for each path that leads to it. The compiler hashes a static by its name.
            // So all values of a chain that other items refer to are statics: the plan refers to the rows, and the rows
            // of an outer chain refer to the plan.
            static __ROWS: [#library::for_macros::Row; #len] = #library::for_macros::Row::listed([#(#rows),*]);

            impl #library::for_macros::Listing<#len> for #ident {
                const ROWS: &'static [#library::for_macros::Row; #len] = &__ROWS;
                #custom
                #onion
                #needs
            }

            /// The facts about the chain at compile time.
            type __Facts = #library::for_macros::ChainFacts<#ident, #len #(, #events)*>;

            impl #library::for_macros::RailList for ListedRails_ {
                type Chain = #ident;
                type Facts = __Facts;
                type Mode = #mode;
            }
        }
    }

    /// Writes the facts about a rail. No item here names a bound, because the compiler would show it: the constants
    /// report an item that is not a rail.
    fn row(&self, place: usize, rail: &Listed) -> TokenStream {
        let ty = Self::ty(place, rail);
        let span = rail.ty().span().resolved_at(Span::mixed_site());
        let library = self.chain.library.located(span);
        let row = if let Some(field) = rail.field() {
            let field = field.unraw().to_string();
            let ty = Self::whole(place, rail);
            quote_spanned!(span=> <#ty as #library::Rail>::ROW.in_field(#field))
        } else {
            quote_spanned!(span=> <#ty as #library::for_macros::ListedByName>::ROW)
        };
        match &rail.priority {
            None => row,
            Some(literal @ Expr::Lit(_)) => quote_spanned!(span=> #row.with_priority(#literal)),
            // With the constant, rustc reports a wrong type at the user's expression, and not as an argument of a call in
            // the expansion.
            Some(priority) => {
                quote_spanned!(span=> #row.with_priority({ const __PRIORITY: i32 = #priority; __PRIORITY }))
            }
        }
    }

    fn place(&self, place: usize, rail: &Listed) -> TokenStream {
        let (ident, ty) = (&self.self_ty(), Self::ty(place, rail));
        let span = rail.ty().span().resolved_at(Span::mixed_site());
        let shared = self.shared(place, rail);
        let place = Literal::usize_unsuffixed(place);
        let library = self.chain.library.located(span);
        let by_name = quote_spanned!(span=> type Access = #library::for_macros::ByName;);
        let (access, once_or_field) = match rail.field() {
            Some(field) => {
                let in_field = quote_spanned!(span=> #library::for_macros::InField<#place>);
                let access = quote_spanned!(span=> type Access = #in_field;);
                let field = quote_spanned! {span=>
                    impl #library::for_macros::Access<#ident, (#ty)> for #in_field {
                        #[inline]
                        fn rail(chain: &#ident) -> &(#ty) {
                            &chain.#field
                        }
                    }
                };
                let removed = rail.cfg.as_ref().map(|cfg| quote_spanned!(span=> #[cfg(not(#cfg))] #by_name));
                let access = under_cfg(rail, access);
                let field = under_cfg(rail, field);
                (quote!(#access #removed), quote!(#shared #field))
            }
            None => (by_name, quote_spanned!(span=> impl #library::for_macros::RunsEachRailOnce<#ty> for #ident {})),
        };
        // All of this has the span of the rail's name, so that "not a rail" and "listed twice" point there. The type of a
        // field is in parentheses, because a function in the place of a constant would cause two errors.
        quote_spanned! {span=>
            impl #library::for_macros::RailAt<#place> for ListedRails_ {
                type Rail = #ty;
                #access
            }

            #once_or_field
        }
    }

    /// Writes the checks of the order that the rails and the chain require. Each check is at the token that its error
    /// should mark: the name of the rail or the requirement.
    fn checks(&self) -> TokenStream {
        let (chain, library) = (self.chain, &self.chain.library);
        let checks = |span: Span| quote_spanned!(span.resolved_at(Span::mixed_site())=> __Facts);
        let places = self.places().zip(&chain.rails).map(|(place, rail)| {
            let checks = checks(rail.ty().span());
            let unique = chain
                .unique_priorities
                .then(|| quote_spanned!(rail.ty().span()=> #checks::check_unique_priority(#place);));
            let tools = chain.tools.as_ref().map(|set| {
                let set = rail::of_set(library, set);
                quote_spanned!(rail.ty().span()=> #checks::check_tools(#place, #set);)
            });
            let concurrent =
                chain.concurrent.then(|| quote_spanned!(rail.ty().span()=> #checks::check_concurrent(#place);));
            let is_rail = under_cfg(rail, quote_spanned!(rail.ty().span()=> #checks::check_rail(#place);));
            quote!(#is_rail #unique #tools #concurrent)
        });
        let places: Vec<_> = places.collect();
        // One constant has several checks: each constant costs the compiler time, but the evaluation of one constant has
        // a limit.
        let places: Vec<_> = places.chunks(CHECKED_TOGETHER).map(|places| quote!(#(#places)*)).collect();
        let requirements = chain.requirements.iter().map(|requirement| {
            let (checks, value) = (checks(requirement.span()), requirement.value(library, &chain.rails));
            quote_spanned!(requirement.span()=> #checks::check_meets(#value);)
        });
        let ordered = chain.requirements.iter().flat_map(Requirement::ordered).map(|rail| {
            let (checks, row) = (checks(rail.span()), requirements::subject(rail, library, &chain.rails));
            quote_spanned!(rail.span()=> #checks::check_lists(#row);)
        });
        let shared = chain.shared.iter().map(|shared| {
            let (checks, library) = (checks(shared.span()), library.located(shared.span()));
            quote_spanned! {shared.span()=>
                #checks::check_requirements(<#shared as #library::ChainRequirements>::NAME, <#shared as #library::ChainRequirements>::REQUIREMENTS);
            }
        });
        let needs = chain.needs.iter().enumerate().map(|(place, value)| {
            let (checks, place) = (checks(value.span()), Literal::usize_unsuffixed(place));
            quote_spanned!(value.span()=> #checks::check_needs(#place);)
        });
        // The macro knows only names. If a custom event has the name of an event of the library, another check reports
        // it.
        let named = chain.events.iter().filter(|event| parse::known(event).is_some()).map(|event| {
            let (checks, library) = (checks(event.span()), library.located(event.span()));
            quote_spanned!(event.span()=> #checks::check_names(<#event as #library::Event>::POINT);)
        });
        let chain: Vec<_> = named.chain(needs).chain(ordered).chain(requirements).chain(shared).collect();
        let chain = (!chain.is_empty()).then(|| quote!(const _: () = { #(#chain)* };));
        quote!(#(const _: () = { #places };)* #chain)
    }

    /// Writes the implementations of the traits for rails and chains.
    fn chain_impls(&self) -> TokenStream {
        let (Chain { library, priority, .. }, ident) = (self.chain, &self.self_ty());
        let name =
            self.chain.ident.as_ref().map_or_else(|| "rail_chain!".to_owned(), |ident| ident.unraw().to_string());
        let Priority { constant, value } = Priority::of(library, priority.as_ref());
        let declared = declared(library, self.chain.span);
        // A chain that needs values of an outer chain is not a guard set.
        let met = if self.chain.needs.is_empty() { &self.chain.shared[..] } else { &[] };
        let meets = met.iter().map(|shared| {
            let library = library.located(shared.span());
            quote_spanned!(shared.span().resolved_at(Span::mixed_site())=> impl #library::Meets<#shared> for #ident {})
        });
        let list =
            if self.custom().is_empty() { quote!(#library::for_macros::LifecycleEvents) } else { quote!(__Events) };
        let most = Literal::usize_unsuffixed(self.chain.needs.len() * self.events.len());
        let needed = (!self.chain.needs.is_empty()).then(|| {
            quote_spanned! {Span::mixed_site()=>
                static __NEEDED: ([#library::for_macros::ValueUse; #most], usize) = __Facts::needed();
            }
        });
        let values = needed.as_ref().map(|_| {
            quote_spanned! {Span::mixed_site()=>
                const VALUES: &'static [#library::for_macros::ValueUse] = __NEEDED.0.split_at(__NEEDED.1).0;
            }
        });
        quote_spanned! {Span::mixed_site()=>
            #needed

            #[automatically_derived]
            impl #library::for_macros::OneRailForEachType for #ident {
                #constant
                // This constant does not depend on the list, because a rail in the list may name the chain.
                const INFO: #library::RailInfo =
                    #library::RailInfo { name: #name, priority: #value, declared: #declared };
                const DECLARATION: #library::for_macros::Row =
                    __Facts::row(<Self as #library::for_macros::OneRailForEachType>::INFO, &__PLAN);
                #values
                type Events = #list;
            }

            // A static, for the same reason as the rows: see `Self::list`.
            static __PLAN: #library::Plan = __Facts::plan(#name);

            #[automatically_derived]
            impl #library::Chain for #ident {
                const PLAN: #library::Plan = __PLAN;
                type Around = #library::for_macros::HasAround<{ __Facts::HAS_AROUND }>;
            }

            #(#meets)*
        }
    }

    /// Writes how the chain serves its events. The library has the code.
    fn serves(&self) -> TokenStream {
        let (library, ident) = (&self.chain.library, &self.self_ty());
        // If threads can share the fields, they can share the chain.
        let fields = self.chain.rails.iter().enumerate().filter(|(_, rail)| rail.field().is_some());
        let fields = fields.map(|(place, _)| Literal::usize_unsuffixed(place));
        quote_spanned! {Span::mixed_site()=>
            #[automatically_derived]
            impl<__Event: #library::Event> #library::Serves<__Event> for #ident
            where
                ListedRails_: #library::for_macros::StepsOn<__Event>,
                #(for<'__event> ListedRails_: #library::for_macros::SharedField<#fields>,)*
            {
                #[inline]
                fn steps() -> impl #library::for_macros::ChainSteps<__Event, Self> {
                    #library::for_macros::ListedSteps::<ListedRails_>::NEW
                }

                #[inline]
                fn run_rails<'__event>(
                    &'__event self,
                    payload: __Event::Payload<'__event>,
                    ctx: &'__event mut #library::RailContext,
                ) -> impl ::core::future::Future<Output = #library::Outcome<__Event>> + ::core::marker::Send {
                    <ListedRails_ as #library::for_macros::StepsOn<__Event>>::run_rails(self, payload, ctx)
                }
            }
        }
    }
}

/// Returns `true` if the struct can stand in its own module without a difference: it has no fields, no page in the
/// documentation, and only attributes of the language.
fn can_stand_apart(chain: &Chain) -> bool {
    let of_language = ["doc", "allow", "expect"];
    let plain = |attr: &Attribute| of_language.iter().any(|name| attr.path().is_ident(name));
    let is_public = matches!(chain.vis, Visibility::Public(_));
    !is_public && chain.rails.iter().all(|rail| rail.field().is_none()) && chain.attrs.iter().all(plain)
}

/// Returns `true` if the rail is listed by a path without generic arguments.
fn is_plain(listed: &Listed) -> bool {
    let Rail::Path(path) = &listed.rail else { return false };
    path.segments.iter().all(|segment| segment.arguments.is_none())
}

/// Returns `true` if the rail is listed by a name like `SupportRails`. Chains have such names, and functions do not.
fn is_called_like_a_type(listed: &Listed) -> bool {
    let Rail::Path(path) = &listed.rail else { return false };
    path.segments.last().is_some_and(|last| last.ident.unraw().to_string().starts_with(char::is_uppercase))
}

/// Puts the `#[cfg]` of the rail on the item or statement.
fn under_cfg(rail: &Listed, tokens: TokenStream) -> TokenStream {
    match &rail.cfg {
        Some(cfg) => quote!(#[cfg(#cfg)] #tokens),
        None => tokens,
    }
}

/// The number of places of a list that one constant checks.
const CHECKED_TOGETHER: usize = 8;
