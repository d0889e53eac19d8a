//! `#[derive(Provided)]`: parse, check, expand.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{DeriveInput, Path};

use crate::errors::{self, Errors};
use crate::options::Options;
use crate::paths::Library;
use crate::rail::declared;

const OPTIONS: Options = Options { attribute: "provided", examples: &[("crate", "crate = ::exo_rails")] };

/// Expands `#[derive(Provided)]`.
pub(crate) fn provided(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(item) = errors.keep(syn::parse2::<DeriveInput>(item)) else { return finish(errors, TokenStream::new()) };
    let library = library(&item, &mut errors);
    check(&item, &mut errors);
    let tokens = expand(&item, &library);
    finish(errors, tokens)
}

/// Adds the errors to the tokens. With errors, the type is still a value, so that the rails that need it do not report it
/// again. `expand` gives a generic type a `where` clause, because its instances may not meet the bounds of a value.
fn finish(errors: Errors, tokens: TokenStream) -> TokenStream {
    match errors.finish(()) {
        Ok(()) => tokens,
        Err(error) => [errors::report(&error), tokens].into_iter().collect(),
    }
}

fn library(item: &DeriveInput, errors: &mut Errors) -> Library {
    let mut library = Library::default();
    let attrs: Vec<_> = item.attrs.iter().filter(|attr| attr.path().is_ident("provided")).cloned().collect();
    OPTIONS.read(&attrs, errors, |_, input: ParseStream<'_>, _| {
        library = Library::at(input.call(Path::parse_mod_style)?);
        Ok(())
    });
    library
}

/// Checks the item. The name and the place of a type identify a value, and all instances of a generic type share them.
fn check(item: &DeriveInput, errors: &mut Errors) {
    for param in &item.generics.params {
        errors.at(
            param,
            "a provided value cannot have generic parameters, because its instances would have one name: \
             wrap an instance in another struct",
        );
    }
}

fn expand(item: &DeriveInput, library: &Library) -> TokenStream {
    let (ident, name) = (&item.ident, item.ident.unraw().to_string());
    // The error is reported already. A type that borrows cannot be a value, whatever its bounds are.
    if item.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let (impl_generics, ty_generics, _) = item.generics.split_for_impl();
    let mut where_clause = item.generics.where_clause.clone();
    if !item.generics.params.is_empty() {
        let is_value = syn::parse_quote!(Self: ::core::marker::Send + ::core::marker::Sync + 'static);
        where_clause.get_or_insert_with(|| syn::parse_quote!(where)).predicates.push(is_value);
    }
    let declared = declared(library, ident.span());
    quote! {
        #[automatically_derived]
        impl #impl_generics #library::for_macros::DerivedProvided for #ident #ty_generics #where_clause {
            const VALUE: #library::for_macros::ValueInfo =
                #library::for_macros::ValueInfo { name: #name, declared: #declared };
        }
    }
}

#[cfg(test)]
mod tests;
