//! How a parameter is taken out of what an event carries.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::model::{Handler, Rail, Source, ends_with, target, ungrouped};
use crate::paths::{Library, PAYLOADS};

/// Takes one parameter out of the payload; an error about it points at the type that the user wrote.
pub(super) fn pick(rail: &Rail, handler: &Handler, event: &Path, ty: &Type, name: &Ident) -> TokenStream {
    if handler.concurrent {
        let span = ty.span().resolved_at(Span::mixed_site());
        let (library, ty) = (rail.library.located(span), checked(rail, handler, ty));
        let shared = quote_spanned!(span=> <#event as #library::Event>::Shared<'_>);
        let look = quote_spanned!(span=> <#ty as #library::__private::SharedBy<'_, #event, #shared>>::look);
        return quote_spanned!(Span::mixed_site()=> let #name = #look(payload, ctx););
    }
    let pick = carried_by(rail, handler, event, ty, "pick");
    quote_spanned!(Span::mixed_site()=> let #name = #pick(&mut parts, &mut ctx);)
}

/// What the library knows of a parameter at an event; an error about it points at the parameter's type.
pub(super) fn carried_by(rail: &Rail, handler: &Handler, event: &Path, ty: &Type, what: &str) -> TokenStream {
    asked(&rail.library, event, (ty, &checked(rail, handler, ty)), what)
}

/// The parameter as it is written, and as a type.
fn asked(library: &Library, event: &Path, (written, ty): (&Type, &TokenStream), what: &str) -> TokenStream {
    let span = written.span().resolved_at(Span::mixed_site());
    let by = Ident::new(if is_foreign(written) { "CarriesForeign" } else { "CarriedBy" }, span);
    let (library, what) = (library.located(span), Ident::new(what, span));
    quote_spanned! {span=>
        <#ty as #library::__private::#by<'_, #event, <#event as #library::Payloads>::Payload<'_>>>::#what
    }
}

/// Whether the library has no type of this name: the state of an application, say, or the value of another rail.
fn is_foreign(ty: &Type) -> bool {
    !is_part(ty) && !ends_with(target(ty), "Inputs")
}

/// Whether it has the name of a part of some event, or of the context.
pub(super) fn is_part(ty: &Type) -> bool {
    part_name(ty).is_some()
}

/// The name of a part of some event, or of the context.
pub(super) fn part_name(ty: &Type) -> Option<String> {
    let mut part = target(ty);
    while let Type::Reference(reference) = part {
        part = ungrouped(&reference.elem);
    }
    let Type::Path(path) = part else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    (name == "RailContext" || PAYLOADS.contains(&&*name)).then_some(name)
}

/// Says once, of each parameter that no event of the library carries, that the first event of its function carries it. Where
/// it does not, nothing is reported of the other events.
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

/// A type of the `impl` block's cannot be named in a constant, and one event needs none.
fn is_checked(rail: &Rail, handler: &Handler, ty: &Type) -> bool {
    handler.events.len() > 1 && is_foreign(ty) && !rail.is_generic_in(ty)
}

fn checked(rail: &Rail, handler: &Handler, ty: &Type) -> TokenStream {
    if !is_checked(rail, handler, ty) {
        return ty.to_token_stream();
    }
    let (library, here) = (&rail.library, rail.self_ty());
    quote_spanned! {ty.span().resolved_at(Span::mixed_site())=>
        #library::__private::Sound<#ty, #here, { __CARRIED }>
    }
}
