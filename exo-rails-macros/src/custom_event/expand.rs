//! Writes the traits of a custom event.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::parse::{Allows, EventOptions, Part};
use crate::alias;
use crate::paths::Library;

/// Writes the items of an event. If the event has a mistake, the items include its report. The type is still an event,
/// and no other item reports a mistake of it.
pub(super) fn event(ident: &Ident, options: &EventOptions, report: Option<&TokenStream>) -> TokenStream {
    let (aliases, options) = &aliased(options);
    let carried = report.map(reported).or_else(|| carried(options));
    let payloads = payloads(ident, options, carried.is_some());
    let returns = returns(options, report.is_some());
    // If the event has a mistake, a constant that names its point has no value, so the compiler checks nothing of the
    // event.
    let wrong = report.map(|_| quote_spanned!(Span::mixed_site()=> let _: ::core::primitive::bool = CARRIED;));
    let event = event_impl(ident, options, &returns, wrong.as_ref(), carried.is_some());
    let (point, params) = (point(ident, options), params(ident, options));
    let (allows, substitute) = (allows(ident, options), substitute(ident, options));
    quote! {
        const _: () = {
            #aliases
            #point
            #carried
            #payloads
            #event
            #params
            #allows
            #substitute
        };
    }
}

/// Returns aliases of the types in the options, and the options with the aliases in the place of the types.
fn aliased(options: &EventOptions) -> (TokenStream, EventOptions) {
    let mut items = TokenStream::new();
    let mut aliased = |place: usize, ty: &Type| -> Type {
        let name = alias::named(alias::path_of(ty), place, ty.span());
        items.extend(quote_spanned!(Span::mixed_site()=> type #name = #ty;));
        Type::Verbatim(alias::at(&name, ty))
    };
    let EventOptions { name, parts, allows, substitute, after, operation, library } = options;
    let parts =
        parts.iter().enumerate().map(|(place, part)| Part { ty: aliased(place, &part.ty), mutable: part.mutable });
    let parts: Vec<_> = parts.collect();
    let substitute = substitute.as_ref().map(|ty| aliased(parts.len(), ty));
    let (name, operation, library) = (name.clone(), operation.clone(), library.clone());
    (items, EventOptions { name, parts, allows: *allows, substitute, after: *after, operation, library })
}

fn point(ident: &Ident, EventOptions { name, after, operation, library, .. }: &EventOptions) -> TokenStream {
    let event = ident.unraw().to_string();
    let operation = operation.as_ref().map(|operation| quote_spanned!(Span::mixed_site()=> .of_operation(#operation)));
    quote_spanned! {Span::mixed_site()=>
        const POINT: #library::CustomPoint =
            #library::CustomPoint::new(#name, #event, ::core::module_path!(), #after) #operation;
    }
}

/// Writes a constant that checks, at the type of each part, that an event can carry it. The payload depends on this
/// constant. If a part is wrong, the compiler does not know the payload and reports no further errors about it.
fn carried(EventOptions { parts, library, .. }: &EventOptions) -> Option<TokenStream> {
    let checks = parts.iter().map(|Part { ty, .. }| {
        let library = library.located(ty.span());
        quote_spanned!(ty.span()=> <#ty as #library::for_macros::Carried>::CARRIED)
    });
    let constant = quote_spanned!(Span::mixed_site()=> const CARRIED: bool = #(#checks)&&*;);
    (!parts.is_empty()).then_some(constant)
}

/// Writes the same constant for an event with a mistake in its declaration.
fn reported(report: &TokenStream) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> const CARRIED: bool = { #report };)
}

/// Returns a name for each part.
fn names(parts: &[Part]) -> Vec<Ident> {
    (0..parts.len()).map(|i| format_ident!("part{i}", span = Span::mixed_site())).collect()
}

/// Joins the parts: several parts become a tuple, and a single part stays as it is.
fn together(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [one] => one.clone(),
        several => quote!((#(#several),*)),
    }
}

impl Part {
    fn borrowed(&self, lifetime: &TokenStream) -> TokenStream {
        let (ty, mutable) = (&self.ty, self.mutable.then(|| quote!(mut)));
        quote!(& #lifetime #mutable #ty)
    }

    fn lent(&self, name: &Ident) -> TokenStream {
        let mutable = self.mutable.then(|| quote!(mut));
        quote_spanned!(Span::mixed_site()=> & #mutable **#name)
    }

    /// Converts a part to the type that all parts share. [`Self::restored`] converts it back.
    fn erased(&self, library: &Library, value: &TokenStream) -> TokenStream {
        let kind = Ident::new(if self.mutable { "Mut" } else { "Ref" }, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> #library::for_macros::CustomPart::#kind(#value))
    }

    fn restored(&self) -> TokenStream {
        let into = Ident::new(if self.mutable { "into_mut" } else { "into_ref" }, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> ::core::iter::Iterator::next(&mut parts)?.#into()?)
    }
}

fn payloads(ident: &Ident, options: &EventOptions, checked: bool) -> TokenStream {
    let EventOptions { parts, substitute, library, .. } = options;
    let names = names(parts);
    let lifetime = quote_spanned!(Span::mixed_site()=> '__event);
    let payload = together(&parts.iter().map(|part| part.borrowed(&lifetime)).collect::<Vec<_>>());
    let lent = together(&parts.iter().zip(&names).map(|(part, name)| part.lent(name)).collect::<Vec<_>>());
    let bound = together(&names.iter().map(|name| quote!(#name)).collect::<Vec<_>>());
    let sound = quote_spanned!(Span::mixed_site()=> #library::for_macros::Sound<#payload, Self, { CARRIED }>);
    let payload = if checked { sound } else { payload };
    let substitute = substitute.as_ref().map_or_else(|| quote!(#library::NoSubstitute), |ty| quote!(#ty));
    let allowed = |least, held: TokenStream, otherwise: TokenStream| {
        if options.allows >= least { held } else { otherwise }
    };
    let skip = allowed(Allows::Skip, quote!(#library::RailSkip<#substitute>), quote!(#library::EventCannotSkip));
    let retry = allowed(Allows::Retry, quote!(#library::RailRetry), quote!(#library::EventCannotRetry));
    let abort = allowed(Allows::Abort, quote!(#library::RailAbortError), quote!(#library::EventCannotAbort));
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #library::Payloads for #ident {
            type Payload<'__event> = #payload;
            type Substitute = #substitute;
            type Skip = #skip;
            type Retry = #retry;
            type Abort = #abort;

            #[inline]
            fn reborrow<'__lent>(payload: &'__lent mut Self::Payload<'_>) -> Self::Payload<'__lent> {
                let #bound = payload;
                #lent
            }
        }
    }
}

fn event_impl(
    ident: &Ident,
    options: &EventOptions,
    returns: &TokenStream,
    wrong: Option<&TokenStream>,
    checked: bool,
) -> TokenStream {
    let EventOptions { parts, library, .. } = options;
    let names = names(parts);
    let lifetime = quote_spanned!(Span::mixed_site()=> '__event);
    let types = parts.iter().map(|part| part.borrowed(&lifetime));
    let bound = together(&names.iter().map(|name| quote!(#name)).collect::<Vec<_>>());
    let indices = (0..parts.len()).map(Literal::usize_unsuffixed);
    let taken = indices.map(|index| quote_spanned!(Span::mixed_site()=> parts.#index.take()?));
    let taken = together(&taken.collect::<Vec<_>>());
    let erased = parts.iter().zip(&names).map(|(part, name)| part.erased(library, &quote!(#name)));
    let restored = together(&parts.iter().map(Part::restored).collect::<Vec<_>>());
    let allows = Ident::new(options.allows.name(), Span::mixed_site());
    let shared = parts.iter().map(|part| Part { ty: part.ty.clone(), mutable: false }.borrowed(&lifetime));
    let shared = together(&shared.collect::<Vec<_>>());
    // If a part cannot be carried, another item has reported that.
    let sound = quote_spanned!(Span::mixed_site()=> #library::for_macros::Sound<#shared, Self, { CARRIED }>);
    let shared = if checked { sound } else { shared };
    let point = quote_spanned!(Span::mixed_site()=> #library::HookPoint::Custom(&POINT));
    let point = wrong.map_or_else(|| point.clone(), |wrong| quote!({ #wrong #point }));
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        #[allow(unused_variables, unused_mut, clippy::unused_unit, clippy::needless_question_mark)]
        impl #library::for_macros::DerivedEvent for #ident {
            const POINT: #library::HookPoint = #point;
            const ALLOWS: #library::Allows = #library::Allows::#allows;
            type Returns = #returns;
            type Parts<'__event> = (#(::core::option::Option<#types>,)*);

            #[inline]
            fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_> {
                let #bound = payload;
                (#(::core::option::Option::Some(#names),)*)
            }

            type Shared<'__event> = #shared;

            #[inline]
            fn share(payload: Self::Payload<'_>) -> Self::Shared<'_> {
                let #bound = payload;
                #bound
            }

            fn whole<'__event>(
                parts: &mut Self::Parts<'__event>,
            ) -> ::core::option::Option<#library::Inputs<'__event>> {
                ::core::option::Option::Some(<Self as #library::for_macros::DerivedEvent>::inputs(#taken))
            }

            fn inputs(payload: Self::Payload<'_>) -> #library::Inputs<'_> {
                let #bound = payload;
                let parts = ::core::convert::From::from([#(#erased),*]);
                #library::Inputs::Custom(#library::CustomInputs::new(&POINT, parts))
            }

            fn payload(inputs: #library::Inputs<'_>) -> ::core::option::Option<Self::Payload<'_>> {
                let #library::Inputs::Custom(inputs) = inputs else { return ::core::option::Option::None };
                let mut parts = inputs.of(&POINT)?;
                ::core::option::Option::Some(#restored)
            }
        }
    }
}

/// Returns the types that a rail on the event may return, for the message about a wrong type. Returns none for an event
/// with a mistake.
fn returns(EventOptions { allows, substitute, library, .. }: &EventOptions, wrong: bool) -> TokenStream {
    let no_retry = (*allows == Allows::Skip).then(|| quote!(, #library::NoRetry));
    let bare = quote!(#library::RailAction<#library::NoSubstitute #no_retry>);
    let with = substitute.as_ref().map(|ty| quote!(#library::RailAction<#ty #no_retry>,));
    let returns = match allows {
        Allows::Nothing => quote!(()),
        Allows::Abort => quote!((#library::Verdict, ())),
        Allows::Skip | Allows::Retry => quote!((#bare, #with #library::Verdict, ())),
    };
    let unknown = quote_spanned!(Span::mixed_site()=> #library::for_macros::Sound<#returns, Self, { CARRIED }>);
    if wrong { unknown } else { returns }
}

impl Allows {
    const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "Nothing",
            Self::Abort => "Abort",
            Self::Skip => "Skip",
            Self::Retry => "Retry",
        }
    }
}

/// Writes the parameters of rails: each part by `&`, and by `&mut` if the event carries the part so.
fn params(ident: &Ident, EventOptions { parts, library, .. }: &EventOptions) -> TokenStream {
    let names = names(parts);
    let all = together(&names.iter().map(|name| quote!(#name)).collect::<Vec<_>>());
    let param = |(i, Part { ty, mutable }): (usize, &Part)| {
        let index = Literal::usize_unsuffixed(i);
        let bit = Literal::u8_unsuffixed(1 << i);
        let taking = |by: TokenStream, take: TokenStream| {
            quote_spanned! {Span::mixed_site()=>
                #[automatically_derived]
                impl<'__event> #library::for_macros::Param<'__event, #ident> for #by {
                    const TAKES: u8 = #bit;

                    #[inline]
                    fn take(
                        parts: &mut <#ident as #library::Event>::Parts<'__event>,
                        _: &mut ::core::option::Option<&'__event mut #library::RailContext>,
                    ) -> ::core::option::Option<Self> {
                        #take
                    }
                }
            }
        };
        let by_ref = taking(
            quote_spanned!(Span::mixed_site()=> &'__event #ty),
            quote_spanned!(Span::mixed_site()=> parts.#index.take().map(|part| &*part)),
        );
        let by_mut = mutable.then(|| {
            taking(
                quote_spanned!(Span::mixed_site()=> &'__event mut #ty),
                quote_spanned!(Span::mixed_site()=> parts.#index.take()),
            )
        });
        let part = &names[i];
        let looking = quote_spanned! {Span::mixed_site()=>
            #[automatically_derived]
            #[allow(unused_variables)]
            impl<'__event> #library::for_macros::SharedParam<'__event, #ident> for &'__event #ty {
                #[inline]
                fn look(
                    payload: <#ident as #library::Event>::Shared<'__event>,
                    _: &'__event #library::RailContext,
                ) -> Self {
                    let #all = payload;
                    #part
                }
            }
        };
        quote!(#by_ref #by_mut #looking)
    };
    parts.iter().enumerate().map(param).collect()
}

/// Writes the marker traits for the actions that the event allows.
fn allows(ident: &Ident, EventOptions { allows, library, .. }: &EventOptions) -> TokenStream {
    let markers = [(Allows::Abort, "AllowsAbort"), (Allows::Skip, "AllowsSkip"), (Allows::Retry, "AllowsRetry")];
    let markers = markers.into_iter().filter(|(level, _)| level <= allows).map(|(_, name)| {
        let name = Ident::new(name, Span::mixed_site());
        quote!(#[automatically_derived] impl #library::#name for #ident {})
    });
    markers.collect()
}

fn substitute(ident: &Ident, EventOptions { substitute, library, .. }: &EventOptions) -> Option<TokenStream> {
    let substitute = substitute.as_ref()?;
    Some(quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #library::SubstituteFor<#ident> for #substitute {
            fn into_substitute(self) -> Self {
                self
            }
        }
    })
}
