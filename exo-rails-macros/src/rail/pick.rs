//! Takes parameters out of the payload.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::model::{Handler, Rail, Source, ends_with, target, ungrouped};
use crate::paths::{Library, PAYLOADS};

/// Takes one parameter out of the payload. An error points at the type that the user wrote.
pub(super) fn pick(rail: &Rail, handler: &Handler, event: &Path, ty: &Type, name: &Ident) -> TokenStream {
    if handler.concurrent {
        let span = ty.span().resolved_at(Span::mixed_site());
        let (library, ty) = (rail.library.located(span), checked(rail, handler, ty));
        let shared = quote_spanned!(span=> <#event as #library::Event>::Shared<'_>);
        let look = quote_spanned!(span=> <#ty as #library::for_macros::SharedBy<'_, #event, #shared>>::look);
        return quote_spanned!(Span::mixed_site()=> let #name = #look(payload, ctx););
    }
    let pick = carried_by(rail, handler, event, ty, "pick");
    quote_spanned!(Span::mixed_site()=> let #name = #pick(&mut parts, &mut ctx);)
}

/// Writes a constant of the library for a parameter at an event. An error points at the type of the parameter.
pub(super) fn carried_by(rail: &Rail, handler: &Handler, event: &Path, ty: &Type, what: &str) -> TokenStream {
    asked(&rail.library, event, (ty, &checked(rail, handler, ty)), what)
}

/// Writes the same for a parameter in two forms: as the user wrote it, and as a type.
fn asked(library: &Library, event: &Path, (written, ty): (&Type, &TokenStream), what: &str) -> TokenStream {
    let span = written.span().resolved_at(Span::mixed_site());
    let by = Ident::new(if is_foreign(written) { "CarriesForeign" } else { "CarriedBy" }, span);
    let (library, what) = (library.located(span), Ident::new(what, span));
    quote_spanned! {span=>
        <#ty as #library::for_macros::#by<'_, #event, <#event as #library::Payloads>::Payload<'_>>>::#what
    }
}

/// Returns `true` if the library has no type of this name. The type may be a state of the application, or a value of
/// another rail.
fn is_foreign(ty: &Type) -> bool {
    !is_part(ty) && !ends_with(target(ty), "Inputs")
}

/// Returns `true` if the type has the name of a part of an event, or of the context.
pub(super) fn is_part(ty: &Type) -> bool {
    part_name(ty).is_some()
}

/// Returns the name of the part of an event, or of the context.
pub(super) fn part_name(ty: &Type) -> Option<String> {
    let mut part = target(ty);
    while let Type::Reference(reference) = part {
        part = ungrouped(&reference.elem);
    }
    let Type::Path(path) = part else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    (name == "RailContext" || PAYLOADS.contains(&&*name)).then_some(name)
}

/// Writes a constant that checks, for each parameter that no event of the library carries, that the first event of its
/// function carries it. If it does not, rustc reports the parameter once, and not for each event.
pub(super) fn foreign_params(rail: &Rail) -> Option<TokenStream> {
    let checks = rail.handlers.iter().flat_map(|handler| {
        let foreign = handler.params.iter().filter(|param| is_checked(rail, handler, &param.ty));
        foreign.filter(|param| matches!(param.source, Source::Event)).filter_map(|param| {
            let takes =
                asked(&rail.library, handler.events.first()?, (&param.ty, &param.ty.to_token_stream()), "TAKES");
            Some(quote_spanned!(param.ty.span().resolved_at(Span::mixed_site())=> let _ = #takes;))
        })
    });
    let checks: Vec<_> = checks.collect();
    let constant = quote_spanned!(Span::mixed_site()=> const __CARRIED: bool = { #(#checks)* true };);
    (!checks.is_empty()).then_some(constant)
}

/// Returns `true` if the constant can check the type. A constant cannot name a type of the `impl` block, and a function
/// with one event needs no constant.
fn is_checked(rail: &Rail, handler: &Handler, ty: &Type) -> bool {
    handler.events.len() > 1 && is_foreign(ty) && !rail.is_generic_in(ty)
}

fn checked(rail: &Rail, handler: &Handler, ty: &Type) -> TokenStream {
    if !is_checked(rail, handler, ty) {
        return ty.to_token_stream();
    }
    let (library, here) = (&rail.library, rail.self_ty());
    quote_spanned! {ty.span().resolved_at(Span::mixed_site())=>
        #library::for_macros::Sound<#ty, #here, { __CARRIED }>
    }
}
