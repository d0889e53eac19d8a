//! Writes the traits of a checked rail.
//!
//! Variables in the expansion are hygienic, so they do not conflict with the user's variables. Types and lifetimes are
//! not hygienic, so their names in the expansion begin with two underscores.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Path, Type, Visibility, WhereClause, parse_quote_spanned};

use super::around;
use super::docs;
use super::handled;
use super::model::{Apart, Handler, Rail, Subject, Timeout, ends_with, idents, target};
use super::pick::{carried_by, foreign_params, part_name, pick};
use crate::paths::{BEFORE, EVENTS, Library};

/// Writes all items beside the user's item.
pub(super) fn rail(mut rail: Rail) -> TokenStream {
    let (carrier, error) = (carrier(&rail), error_event(&mut rail));
    let written: Vec<_> = rail.handlers.iter().map(|handler| handler.events.clone()).collect();
    let custom = custom_events(&mut rail);
    let (foreign, returned) = (foreign_params(&rail), returned(&rail, &written));
    let list = unnamed_list(&rail.library, &event_list(&rail.events().collect::<Vec<_>>()));
    let rail_impl = rail_impl(&rail, custom.is_some());
    let pairs = rail.handlers.iter().zip(&written).flat_map(|(handler, written)| {
        handler.events.iter().zip(written).map(move |(event, written)| (handler, event, written))
    });
    let on_impls = pairs.map(|(handler, event, written)| on_impl(&rail, handler, event, written));
    if custom.is_none() && foreign.is_none() && returned.is_none() {
        return quote!(#carrier #error #rail_impl #(#on_impls)*);
    }
    // The list is an unnamed type, because the events may be private.
    let list = custom.as_ref().map(|_| list);
    quote!(#carrier #error const _: () = { #custom #foreign #returned #list #rail_impl #(#on_impls)* };)
}

/// Replaces the name `Error` with the path of the library's event. No other event has this name, and the prelude lacks
/// it, because it is the name of a trait. The import uses the name, so the user's own import of the event is not unused.
/// The constant exists for the import in case nothing else has the name.
fn error_event(rail: &mut Rail) -> Option<TokenStream> {
    let library = rail.library.clone();
    let mut names = Vec::new();
    let events = rail.handlers.iter_mut().flat_map(|handler| &mut handler.events);
    for event in events.filter(|event| event.is_ident("Error")) {
        names.push(event.clone());
        *event = library.event(event);
    }
    let name = names.first()?;
    Some(quote! {
        #[allow(dead_code, non_upper_case_globals, unused_imports)]
        const _: () = {
            const #name: () = ();
            use #name as _;
        };
    })
}

/// Returns `true` for an event with the name of a library event. The compiler then has nothing to check.
fn is_known(event: &Path) -> bool {
    event.segments.last().is_some_and(|last| EVENTS.iter().any(|name| last.ident == name))
}

/// Writes a constant that checks, at the name of each custom event, that it is an event, and that an operation begins there if
/// the rail surrounds one. All other items take the event from this constant. If an event is wrong, rustc reports it once.
fn custom_events(rail: &mut Rail) -> Option<TokenStream> {
    let library = rail.library.clone();
    let events = rail.handlers.iter_mut().flat_map(|handler| {
        let is_around = handler.around.is_some();
        handler.events.iter_mut().map(move |event| (event, is_around))
    });
    let are_events: Vec<_> = events
        .filter(|(event, _)| !is_known(event))
        .map(|(event, is_around)| {
            let span = event.span().resolved_at(Span::mixed_site());
            let located = library.located(span);
            let is_event = if is_around {
                quote_spanned!(span=> let _ = #located::for_macros::begins::<#event>();)
            } else {
                is_event(&library, event)
            };
            *event = parse_quote_spanned!(span=> #located::for_macros::Sound<#event, __Events, { __IS_EVENT }>);
            is_event
        })
        .collect();
    let constant = quote_spanned!(Span::mixed_site()=> const __IS_EVENT: bool = { #(#are_events)* true };);
    (!are_events.is_empty()).then_some(constant)
}

/// Writes a constant that checks, at the return type of a function, that its events allow the type. The constant checks
/// each custom event, and the message then shows its declaration. For a type that is not a decision, it checks only the
/// first event. If an event does not allow the type, rustc reports the type once.
fn returned(rail: &Rail, written: &[Vec<Path>]) -> Option<TokenStream> {
    let checks = rail.handlers.iter().zip(written).filter(|(handler, _)| rail.can_check(handler)).flat_map(
        |(handler, written)| {
            let is_foreign = is_no_decision(handler);
            let events = handler.events.iter().zip(written).enumerate();
            events.filter_map(move |(place, (event, written))| {
                if handler.around.is_some() {
                    return Some(around::returned(rail, handler, event));
                }
                let by = if !is_known(written) {
                    "ReturnedAtCustom"
                } else if place == 0 && is_foreign {
                    "ReturnedAt"
                } else {
                    return None;
                };
                let (output, span) = (&handler.output, handler.output.span().resolved_at(Span::mixed_site()));
                let (library, by) = (rail.library.located(span), Ident::new(by, span));
                let returns = quote_spanned!(span=> <#event as #library::Event>::Returns);
                Some(quote_spanned!(span=> let _ = <#output as #library::for_macros::#by<#event, #returns>>::DECIDES;))
            })
        },
    );
    let checks: Vec<_> = checks.collect();
    let constant = quote_spanned!(Span::mixed_site()=> const __RETURNED: bool = { #(#checks)* true };);
    (!checks.is_empty()).then_some(constant)
}

/// Returns `true` if the function has several events, and its return type does not have the name of a decision.
fn is_no_decision(handler: &Handler) -> bool {
    const DECISIONS: [&str; 4] = ["RailAction", "Verdict", "Option", "Result"];
    let is_decision = match &handler.output {
        Type::Tuple(tuple) => tuple.elems.is_empty(),
        output => DECISIONS.iter().any(|name| ends_with(output, name)),
    };
    handler.events.len() > 1 && !is_decision
}

/// Writes the list of the events of a rail or a chain as a type that has no name outside of the expansion. A public rail
/// may be on a private event.
pub(crate) fn unnamed_list(library: &Library, list: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        #[allow(unreachable_pub, missing_debug_implementations)]
        pub enum __Events {}

        #[automatically_derived]
        impl<__Rail> #library::for_macros::EventList<__Rail> for __Events
        where
            #list: #library::for_macros::EventList<__Rail>,
        {
            fn visit<__Visitor: #library::for_macros::EventVisitor<__Rail>>(visitor: &mut __Visitor) {
                <#list as #library::for_macros::EventList<__Rail>>::visit(visitor);
            }
        }
    }
}

/// Writes the items beside an item with mistakes: a rail on no event. A chain that lists it does not report it again. A
/// stub always stands beside a `compile_error!`.
pub(super) fn stub(rail: &Rail) -> TokenStream {
    let (library, self_ty, name) = (&rail.library, rail.self_ty(), &rail.name);
    let carrier = carrier(rail);
    let mut generics = rail.generics();
    let (rail_generics, _, _) = generics.split_for_impl();
    let rail_generics = rail_generics.to_token_stream();
    generics.params.push(syn::parse_quote!(__Event: #library::Event));
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote_spanned! {Span::mixed_site()=>
        #carrier

        #[automatically_derived]
        impl #rail_generics #library::Rail for #self_ty #where_clause {
            const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: #library::for_macros::Row = #library::for_macros::Row::new(
                #library::RailInfo {
                    name: #name,
                    priority: #library::DEFAULT_PRIORITY,
                    declared: #library::SourceLocation::here(&::core::module_path!()),
                },
                &[],
                &[],
            )
            .reported(true);

            type Events = ();
        }

        impl #rail_generics #library::for_macros::HasRailAboveItsBlock for #self_ty #where_clause {}

        #[automatically_derived]
        impl #impl_generics #library::RailOn<__Event> for #self_ty #where_clause {
            type Out = ();

            fn call<'__event>(
                &'__event self,
                _: __Event::Payload<'__event>,
                _: &'__event mut #library::RailContext,
            ) -> impl ::core::future::Future<Output = ()> + ::core::marker::Send {
                ::core::future::ready(())
            }
        }
    }
}

/// Writes a statement, with the span of the user's event, that requires an event.
fn is_event(library: &Library, event: &Path) -> TokenStream {
    let span = event.span().resolved_at(Span::mixed_site());
    let located = library.located(span);
    quote_spanned!(span=> let _ = <#event as #located::Event>::POINT;)
}

/// Writes the type beside a function. The braces of the struct keep it out of the value namespace, which has the
/// function.
fn carrier(rail: &Rail) -> TokenStream {
    let Subject::Function { ident, vis, attrs, apart } = &rail.subject else { return TokenStream::new() };
    let (library, quiet) = (&rail.library, rail.quiet());
    // The span is that of the macro, so an unused rail gives one warning, at the function, and not two.
    let span = Span::call_site().located_at(ident.span());
    let mut ident = ident.clone();
    ident.set_span(span);
    // With the span of the macro, the name is read in the edition of the macro. `gen` is no keyword before 2024.
    if ident == "gen" {
        ident = Ident::new_raw("gen", span);
    }
    // A rail that is not public has no page in the documentation.
    let docs = matches!(vis, Visibility::Public(_)).then(|| docs::docs(rail));
    let allowed = quote!(#[allow(non_camel_case_types, missing_copy_implementations, missing_debug_implementations)]);
    let carrier = match apart {
        None => quote!(#(#attrs)* #docs #allowed #quiet #vis struct #ident {}),
        Some(apart) => carrier_apart(&ident, vis, apart, attrs, &quote!(#docs #allowed #quiet)),
    };
    let self_ty = rail.self_ty();
    quote! {
        #carrier

        #[automatically_derived]
        #quiet
        impl #library::for_macros::Stateless for #self_ty {
            const RAIL: &'static Self = &Self {};
        }
    }
}

/// Writes the type in its own module, and its name beside the function.
fn carrier_apart(
    ident: &Ident,
    vis: &Visibility,
    apart: &Apart,
    attrs: &[Attribute],
    more: &TokenStream,
) -> TokenStream {
    let Apart { module, place: (first, last) } = apart;
    // rustdoc resolves links at the place of the docs.
    let (docs, others): (Vec<_>, Vec<_>) = attrs.iter().partition(|attr| attr.path().is_ident("doc"));
    let cfg: Vec<_> = attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect();
    let named = if matches!(vis, Visibility::Public(_)) {
        // rustdoc shows an imported struct as a struct.
        let (mut module, mut ident) = (module.clone(), ident.clone());
        module.set_span(*first);
        ident.set_span(*last);
        quote!(use #module::#ident;)
    } else {
        let (start, end) = (quote_spanned!(*first=> type), quote_spanned!(*last=> ;));
        quote!(#start #ident = #module::#ident #end)
    };
    quote! {
        #(#cfg)*
        #[allow(missing_docs, unreachable_pub)]
        mod #module {
            #(#others)*
            #more
            pub struct #ident {}
        }
        #(#cfg)*
        #(#docs)*
        #more
        #[allow(unused_imports)]
        #vis #named
    }
}

fn rail_impl(rail: &Rail, events_apart: bool) -> TokenStream {
    let library = &rail.library;
    let (name, self_ty, generics) = (&rail.name, rail.self_ty(), rail.generics());
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let Priority { constant, value } = Priority::of(library, rail.priority.as_ref());
    let events: Vec<_> = rail.events().collect();
    let (declared, quiet) = (declared(library, rail.span), rail.quiet());
    let (after, before) = (others(library, "AFTER", &rail.after), others(library, "BEFORE", &rail.before));
    let generic = generics.type_params().next().is_some() || generics.const_params().next().is_some();
    let generic = generic.then(|| quote_spanned!(Span::mixed_site()=> .generic()));
    let rewriting = rail.handlers.iter().filter(|handler| handler.rewrites());
    let rewrites = rewriting.flat_map(|handler| &handler.events);
    let concurrent = !rail.handlers.is_empty() && rail.handlers.iter().all(|handler| handler.concurrent);
    let concurrent = concurrent.then(|| quote_spanned!(Span::mixed_site()=> .concurrent()));
    let (always, tools, flow) = (always(rail), for_tools(rail), flow(rail));
    let (around, timed) = (around::declared(rail), timed(rail));
    let list = if events_apart { quote!(__Events) } else { event_list(&events) };
    let is_type = matches!(rail.subject, Subject::Type { .. });
    let docs = is_type.then(|| docs::docs(rail));
    // For a generic rail, rustc should report the missing bound. For a priority without a value, it should report the
    // constant of the rail.
    let computes = !is_type && constant.is_some();
    let (by, declaration) = if computes || generics.type_params().next().is_some() {
        (quote!(#library::Rail), quote!(WRITE_RAIL_ABOVE_AN_IMPL_BLOCK))
    } else {
        (quote!(#library::for_macros::OneRailForEachType), quote!(DECLARATION))
    };
    quote_spanned! {Span::mixed_site()=>
        #docs
        #[automatically_derived]
        #quiet
        impl #impl_generics #by for #self_ty #where_clause {
            #constant
            const #declaration: #library::for_macros::Row = #library::for_macros::Row::new(
                #library::RailInfo { name: #name, priority: #value, declared: #declared },
                &[#(<#events as #library::Event>::POINT),*],
                &[#(<#rewrites as #library::Event>::POINT),*],
            ) #generic #always #around #timed #tools #concurrent;
            #after
            #before
            #flow

            type Events = #list;
        }
    }
}

/// Writes the events at which the rail is always called, if there are any.
fn always(rail: &Rail) -> Option<TokenStream> {
    let library = &rail.library;
    let always: Vec<_> = rail.handlers.iter().filter(|handler| handler.always).collect();
    let events = always.iter().flat_map(|handler| &handler.events);
    let points = quote!(&[#(<#events as #library::Event>::POINT),*]);
    (!always.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> .always(#points)))
}

/// Writes that the rail takes the context at an event that may come after an operation.
fn timed(rail: &Rail) -> Option<TokenStream> {
    let takes = |handler: &&Handler| handler.params.iter().any(|param| ends_with(target(&param.ty), "RailContext"));
    let mut events = rail.handlers.iter().filter(takes).flat_map(|handler| &handler.events);
    let after = |event: &Path| !event.segments.last().is_some_and(|last| BEFORE.iter().any(|name| last.ident == name));
    events.any(after).then(|| quote_spanned!(Span::mixed_site()=> .timed()))
}

/// Writes the tools of the rail, if it is not for all tools.
fn for_tools(rail: &Rail) -> Option<TokenStream> {
    let tools = rail.handlers.iter().filter_map(|handler| handler.tool.as_ref());
    let tools: Vec<_> = tools.map(|tool| handled::tool_name(&rail.library, tool)).collect();
    (!tools.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> .for_tools(&[#(#tools),*])))
}

/// Writes the values that the rail provides and needs, if there are any.
fn flow(rail: &Rail) -> Option<TokenStream> {
    let library = &rail.library;
    let flow = |event: &Path, value: &Path, what: &str| {
        let (what, there) = (Ident::new(what, Span::mixed_site()), library.located(value.span()));
        let value = quote_spanned!(value.span()=> <#value as #there::Provided>::VALUE);
        quote_spanned!(Span::mixed_site()=> #library::for_macros::ValueUse::#what(<#event as #library::Event>::POINT, #value))
    };
    let flows = rail.handlers.iter().flat_map(|handler| {
        handler.events.iter().flat_map(move |event| {
            let provides = handler.provides.iter().map(move |value| flow(event, value, "provides"));
            provides.chain(handler.needs.iter().map(move |value| flow(event, value, "needs")))
        })
    });
    let flows: Vec<_> = flows.collect();
    let constant = quote_spanned! {Span::mixed_site()=>
        const VALUES: &'static [#library::for_macros::ValueUse] = &[#(#flows),*];
    };
    (!flows.is_empty()).then_some(constant)
}

/// Writes events as one type.
pub(crate) fn event_list(events: &[impl ToTokens]) -> TokenStream {
    events.iter().rfold(quote!(()), |list, event| quote!((#event, #list)))
}

/// The priority of a rail or a chain as a value. If the priority is not a literal, it also has a constant. rustc then
/// reports a wrong type at this constant, and not as an argument of a call in the expansion.
pub(crate) struct Priority {
    pub constant: Option<TokenStream>,
    pub value: TokenStream,
}

impl Priority {
    pub(crate) fn of(library: &Library, priority: Option<&Expr>) -> Self {
        match priority {
            None => Self { constant: None, value: quote!(#library::DEFAULT_PRIORITY) },
            Some(literal @ Expr::Lit(_)) => Self { constant: None, value: literal.to_token_stream() },
            Some(priority) => Self {
                constant: Some(quote_spanned!(Span::mixed_site()=> const PRIORITY: i32 = #priority;)),
                value: quote_spanned!(Span::mixed_site()=> <Self as #library::Rail>::PRIORITY),
            },
        }
    }
}

/// Writes the constant with the rails that a rail runs after or before, if there are any.
fn others(library: &Library, name: &str, rails: &[Path]) -> Option<TokenStream> {
    let name = Ident::new(name, Span::mixed_site());
    let infos = rails.iter().map(|rail| {
        let library = library.located(rail.span());
        quote_spanned!(rail.span().resolved_at(Span::mixed_site())=> <#rail as #library::Rail>::INFO)
    });
    (!rails.is_empty())
        .then(|| quote_spanned!(Span::mixed_site()=> const #name: &'static [#library::RailInfo] = &[#(#infos),*];))
}

/// Writes the source location of the user's tokens. The location of a call is its first token. A path from the user has
/// its own location, so the call must not begin with it.
pub(crate) fn declared(library: &Library, span: Span) -> TokenStream {
    if library.is_given() {
        let here = quote_spanned!(span=> __SourceLocation::here(&::core::module_path!()));
        return quote_spanned!(Span::mixed_site()=> { type __SourceLocation = #library::SourceLocation; #here });
    }
    let library = library.located(span);
    quote_spanned!(span=> #library::SourceLocation::here(&::core::module_path!()))
}

/// Writes a clause that assumes that the type is an event. Another item checks that. Without the lifetime, rustc would
/// reject a clause without parameters.
fn granted(library: &Library, event: &Path, where_clause: Option<&WhereClause>) -> TokenStream {
    let predicates = where_clause.into_iter().flat_map(|clause| &clause.predicates);
    quote_spanned!(Span::mixed_site()=> where #(#predicates,)* for<'__event> #event: #library::Event)
}

/// Writes the return type of a rail. Another item reports mistakes in the type or in its event. The tokens have the spans of
/// the type's first and last token, so that an error marks the whole type.
fn sound(library: &Library, output: &TokenStream, is_checked: bool) -> TokenStream {
    let first = output.span();
    let last = output.clone().into_iter().last().map_or(first, |token| token.span());
    let located = library.located(first);
    let end = quote_spanned!(last=> >);
    let constant = Ident::new(if is_checked { "__RETURNED" } else { "__IS_EVENT" }, first);
    quote_spanned!(first=> #located::for_macros::Sound<#output, Self, { #constant } #end)
}

/// Writes the implementation for one event. It picks the parameters by type and calls the user's function. `written` is
/// the event as the user wrote it, for the place where rustc checks its visibility.
fn on_impl(rail: &Rail, handler: &Handler, event: &Path, written: &Path) -> TokenStream {
    let library = &rail.library;
    let (self_ty, generics, quiet) = (rail.self_ty(), rail.generics(), rail.quiet());
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let disjoint = disjoint(rail, handler, event);
    // They are the same at each event.
    let is_first = handler.events.first().is_some_and(|first| std::ptr::eq(first, event));
    let checks = is_first.then(|| handled::checks(rail, handler));
    let changes = changes(library, handler, event);
    let always = handler.always.then(|| quote_spanned!(Span::mixed_site()=> const ALWAYS: bool = true;));
    let on_fault = handled::on_fault(library, handler, event);
    let output = if handler.is_plain() { handler.output.to_token_stream() } else { handled::output(library, event) };
    let can_be_checked = rail.can_check(handler);
    let is_known = is_known(written);
    let is_checked = !is_known || can_be_checked && is_no_decision(handler);
    let output = if handler.around.is_some() {
        quote_spanned!(Span::mixed_site()=> #library::for_macros::Surrounds)
    } else if is_checked {
        sound(library, &output, can_be_checked)
    } else {
        output
    };
    let where_clause = if is_known { where_clause.to_token_stream() } else { granted(library, written, where_clause) };
    let calls =
        if handler.around.is_some() { around::calls(rail, handler, event) } else { calls(rail, handler, event) };
    let values = values(handler, event);
    quote_spanned! {Span::mixed_site()=>
        #disjoint
        #checks

        #[automatically_derived]
        #quiet
        impl #impl_generics #library::RailOn<#written> for #self_ty #where_clause {
            type Out = #output;
            #changes
            #always
            #on_fault
            #values
            #calls
        }
    }
}

/// Writes the constant that says whether a fault of the rail loses something: its changes, the values that it provides,
/// or a decision behind an alias.
fn changes(library: &Library, handler: &Handler, event: &Path) -> Option<TokenStream> {
    let changes = if handler.rewrites() || !handler.provides.is_empty() {
        quote!(true)
    } else if handler.is_plain() {
        return None;
    } else {
        handled::decides(library, handler, event)?
    };
    Some(quote_spanned!(Span::mixed_site()=> const CHANGES: bool = #changes;))
}

/// Writes the methods whose values depend on the configuration of the rail.
fn values(handler: &Handler, event: &Path) -> TokenStream {
    let method = |name: &str, ty: &TokenStream, value: &Expr| {
        let name = Ident::new(name, Span::mixed_site());
        // The user's `self`, because the `self` of the macro has another meaning.
        let own = idents(value.to_token_stream()).into_iter().find(|name| name == "self");
        let own = own.unwrap_or_else(|| Ident::new("self", Span::mixed_site()));
        quote_spanned!(Span::mixed_site()=> #[inline] fn #name(&#own) -> #ty { #value })
    };
    let window =
        handler.window_at(event).map(|window| method("stream_window", &quote!(::core::primitive::usize), window));
    let limit = match &handler.timeout {
        Some(Timeout::Expr(limit)) => Some(method("time_limit", &quote!(::core::time::Duration), limit)),
        _ => None,
    };
    quote!(#window #limit)
}

/// Writes the call of a rail with a window. The call tells the window when the rail begins and ends.
fn in_window(library: &Library, event: &Path, body: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        let window = <Self as #library::RailOn<#event>>::stream_window(self);
        async move {
            let mut payload = payload;
            #library::for_macros::begin_window(&mut payload, window);
            let output = {
                let payload = <#event as #library::Payloads>::reborrow(&mut payload);
                let ctx = &mut *ctx;
                #body
            }
            .await;
            #library::for_macros::end_window(&mut payload);
            output
        }
    }
}

/// Writes the methods that call the rail. A rail that can run concurrently is called in the same way when it runs alone.
fn calls(rail: &Rail, handler: &Handler, event: &Path) -> TokenStream {
    let library = &rail.library;
    let mut body = if handler.is_plain() { call(rail, handler, event) } else { handled::call(rail, handler, event) };
    if handler.window_at(event).is_some() {
        body = if handler.concurrent {
            quote_spanned! {Span::mixed_site()=>
                #library::for_macros::share_window(payload, <Self as #library::RailOn<#event>>::stream_window(self));
                #body
            }
        } else {
            in_window(library, event, &body)
        };
    }
    // If the future is not `Send`, the error points at the name of the function.
    let future = quote_spanned! {handler.span.resolved_at(Span::mixed_site())=>
        impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send
    };
    let forward = quote_spanned! {Span::mixed_site()=>
        let payload = <#event as #library::Event>::share(payload);
        <Self as #library::RailOn<#event>>::call_concurrent(self, payload, ctx)
    };
    let alone = if handler.concurrent { &forward } else { &body };
    let beside = handler.concurrent.then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[inline]
            fn call_concurrent<'__event>(
                &'__event self,
                payload: <#event as #library::Event>::Shared<'__event>,
                ctx: &'__event #library::RailContext,
            ) -> #future {
                #body
            }
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #[inline]
        fn call<'__event>(
            &'__event self,
            payload: <#event as #library::Payloads>::Payload<'__event>,
            ctx: &'__event mut #library::RailContext,
        ) -> #future {
            #alone
        }

        #beside
    }
}

fn call(rail: &Rail, handler: &Handler, event: &Path) -> TokenStream {
    let library = &rail.library;
    let params = handler.picked();
    let names: Vec<_> = (0..params.len()).map(|i| format_ident!("p{i}", span = Span::mixed_site())).collect();
    let picks = params.iter().zip(&names).map(|(ty, name)| pick(rail, handler, event, ty, name));
    let receiver = handler.takes_self.then(|| quote_spanned!(Span::mixed_site()=> self,));
    let callee = &handler.callee;
    let unpack = (!names.is_empty() && !handler.concurrent).then(|| {
        quote_spanned! {Span::mixed_site()=>
            let mut parts = <#event as #library::Event>::parts(payload);
            let mut ctx = ::core::option::Option::Some(ctx);
        }
    });
    let ignore = names.is_empty().then(|| quote_spanned!(Span::mixed_site()=> let _ = (payload, ctx);));
    let result = quote_spanned!(callee.span()=> #callee(#receiver #(#names),*));
    let future = if handler.is_async { result } else { quote!(::core::future::ready(#result)) };
    quote_spanned!(Span::mixed_site()=> #unpack #ignore #(#picks)* #future)
}

/// Writes a check that no two parameters have the same type. The macro does not recognize one type under two names, but
/// the compiler does.
///
/// The check is a separate item. The compiler would evaluate a `const` inside the function only if the rail is called.
fn disjoint(rail: &Rail, handler: &Handler, event: &Path) -> TokenStream {
    let params = handler.picked();
    // Types of the library with different names are different types. This saves a constant for each rail.
    let names: HashSet<_> = params.iter().filter_map(|ty| part_name(ty)).collect();
    if names.len() == params.len() {
        return TokenStream::new();
    }
    let assertions = params.iter().enumerate().skip(1).map(|(i, ty)| {
        let takes = params[..=i].iter().map(|ty| carried_by(rail, handler, event, ty, "TAKES"));
        // The span is only the name: for a reference, the compiler would mark only the `&`.
        let span = target(ty).span().resolved_at(Span::mixed_site());
        let library = rail.library.located(span);
        quote_spanned!(span=> const _: () = #library::for_macros::once(&[#(#takes),*]);)
    });
    assertions.collect()
}
