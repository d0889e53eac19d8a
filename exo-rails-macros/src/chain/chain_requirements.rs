//! `chain_requirements!`: requirements that several chains share.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, Path, Token, Visibility, braced};

use super::listed::predicate;
use super::requirements::{self, Requirement, WORDS};
use crate::errors::{self, Errors, expected};
use crate::options::separator;
use crate::paths::Library;

/// Requirements, such as `pub struct Company { require(permission_check on PreToolCall) }`.
struct Shared {
    library: Library,
    attrs: Vec<Attribute>,
    vis: Visibility,
    ident: Ident,
    /// The requirements, each with the condition in its `#[cfg(…)]`.
    requirements: Vec<(Option<TokenStream>, Requirement)>,
}

/// Expands `chain_requirements!`.
pub(crate) fn chain_requirements(input: TokenStream) -> TokenStream {
    match parse.parse2(input) {
        Ok(shared) => expand(&shared),
        Err(error) => errors::report(&error),
    }
}

const SHAPE: &str = "requirements are written as a struct: `chain_requirements! { struct MyRequirements { require(permission_check on PreToolCall) } }`";

fn parse(input: ParseStream<'_>) -> syn::Result<Shared> {
    let mut errors = Errors::default();
    let (options, attrs): (Vec<_>, Vec<_>) =
        input.call(Attribute::parse_outer)?.into_iter().partition(|attr| attr.path().is_ident("chain_requirements"));
    let mut library = Library::default();
    for attr in &options {
        errors.keep(attr.parse_args_with(|input: ParseStream<'_>| {
            library = option(input)?;
            Ok(())
        }));
    }
    let vis = input.parse()?;
    input.parse::<Token![struct]>().map_err(|error| syn::Error::new(error.span(), SHAPE))?;
    let ident: Ident = input.parse()?;
    if !input.peek(syn::token::Brace) {
        return Err(input.error(SHAPE));
    }
    let body;
    braced!(body in input);
    let requirements = all(&body, &mut errors)?;
    if requirements.is_empty() && !errors.any() {
        errors.at(&ident, format_args!("`{ident}` requires nothing: write `require(permission_check on PreToolCall)`"));
    }
    if !input.is_empty() {
        errors.push(input.error("one `chain_requirements!` declares one struct: write a second `chain_requirements!`"));
    }
    errors.finish(Shared { library, attrs, vis, ident, requirements })
}

/// Reads `crate = path`.
fn option(input: ParseStream<'_>) -> syn::Result<Library> {
    let key = input.call(Ident::parse_any)?;
    if key != "crate" {
        let name = key.to_string();
        let message = format!("`#[chain_requirements]` has no option `{name}`; {}", expected(&name, &["crate"]));
        return Err(syn::Error::new_spanned(&key, message));
    }
    input.parse::<Token![=]>()?;
    Ok(Library::at(input.call(Path::parse_mod_style)?))
}

fn all(body: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Vec<(Option<TokenStream>, Requirement)>> {
    let mut requirements = Vec::new();
    while !body.is_empty() {
        let attrs = body.call(Attribute::parse_outer)?;
        let cfg = predicate(&attrs)?;
        for attr in attrs.iter().filter(|attr| !attr.path().is_ident("cfg") && !attr.path().is_ident("doc")) {
            errors.at(attr, "a requirement takes only `#[cfg(…)]` and doc comments: leave this attribute out");
        }
        let word = body.call(Ident::parse_any).map_err(|error| syn::Error::new(error.span(), SHAPE))?;
        let name = word.to_string();
        if !WORDS.contains(&name.as_str()) {
            let message = format!("there is no requirement `{name}`; {}", expected(&name, &WORDS));
            return Err(syn::Error::new_spanned(&word, message));
        }
        let parsed = errors.keep(requirements::parse(&word, body)).into_iter().flatten();
        requirements.extend(parsed.map(|requirement| (cfg.clone(), requirement)));
        separator(body, errors);
    }
    Ok(requirements)
}

fn expand(shared: &Shared) -> TokenStream {
    let Shared { library, attrs, vis, ident, requirements } = shared;
    let name = ident.unraw().to_string();
    let requirements = requirements.iter().map(|(cfg, requirement)| {
        let (cfg, requirement) = (cfg.iter(), requirement.value(library, &[]));
        quote!(#(#[cfg(#cfg)])* #requirement)
    });
    let implementation = quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #library::ChainRequirements for #ident {
            const NAME: &'static str = #name;
            const REQUIREMENTS: &'static [#library::Requirement] = &[#(#requirements),*];
        }

        // This constant checks the requirements even if no chain meets the requirements.
        const _: &[#library::Requirement] = <#ident as #library::ChainRequirements>::REQUIREMENTS;
    };
    quote! {
        #(#attrs)*
        #vis struct #ident;
        #implementation
    }
}
