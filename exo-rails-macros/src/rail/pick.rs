//! How a parameter is taken out of what an event carries.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::model::Handler;
use crate::paths::Library;

/// Takes one parameter out of the payload; an error about it points at the type that the user wrote.
pub(super) fn pick(library: &Library, handler: &Handler, event: &Path, ty: &Type, name: &Ident) -> TokenStream {
    if handler.concurrent {
        let span = ty.span().resolved_at(Span::mixed_site());
        let library = library.located(span);
        let shared = quote_spanned!(span=> <#event as #library::Event>::Shared<'_>);
        let look = quote_spanned!(span=> <#ty as #library::__private::SharedBy<'_, #event, #shared>>::look);
        return quote_spanned!(Span::mixed_site()=> let #name = #look(payload, ctx););
    }
    let pick = carried_by(library, event, ty, "pick");
    quote_spanned!(Span::mixed_site()=> let #name = #pick(&mut parts, &mut ctx);)
}

/// What the library knows of a parameter at an event; an error about it points at the parameter's type.
pub(super) fn carried_by(library: &Library, event: &Path, ty: &Type, what: &str) -> TokenStream {
    let span = ty.span().resolved_at(Span::mixed_site());
    let (library, event, what) = (library.located(span), event, Ident::new(what, span));
    quote_spanned! {span=>
        <#ty as #library::__private::CarriedBy<'_, #event, <#event as #library::Payloads>::Payload<'_>>>::#what
    }
}
