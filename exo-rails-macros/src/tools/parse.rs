//! The grammar of `tools!`.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Generics, Ident, Path, Token, Type, Visibility, braced};

use crate::errors::Errors;
use crate::options::Options;
use crate::paths::Library;

/// A tool set.
pub(super) struct Set {
    pub library: Library,
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub generics: Generics,
    pub tools: Vec<Tool>,
}

/// A tool of the set, such as `delete_file: DeleteFile`.
pub(super) struct Tool {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    /// The type of its arguments.
    pub ty: Type,
}

const OPTIONS: Options = Options { attribute: "tools", examples: &[("crate", "crate = ::exo_rails")] };

/// Parses a tool set. Returns `None` if the input is not a tool set.
pub(super) fn tools(input: TokenStream, errors: &mut Errors) -> Option<Set> {
    let result = (|input: ParseStream<'_>| set(input, errors)).parse2(input);
    errors.keep(result)
}

/// Reads `tools! { pub struct SupportTools { … } }`.
fn set(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Set> {
    let (options, attrs): (Vec<_>, Vec<_>) =
        input.call(Attribute::parse_outer)?.into_iter().partition(|attr| attr.path().is_ident("tools"));
    let mut library = Library::default();
    OPTIONS.read(&options, errors, |_, input, _| {
        library = Library::at(input.call(Path::parse_mod_style)?);
        Ok(())
    });
    let vis = input.parse()?;
    input.parse::<Token![struct]>().map_err(|error| {
        syn::Error::new(error.span(), "a set of tools is a struct: `tools! { struct MyTools { search: Search } }`")
    })?;
    let (ident, generics) = (input.parse()?, input.parse()?);
    if !input.peek(syn::token::Brace) {
        return Err(input.error("a set of tools lists its tools in braces: `struct MyTools { search: Search }`"));
    }
    let body;
    braced!(body in input);
    let tools = Punctuated::<Tool, Token![,]>::parse_terminated_with(&body, tool)?.into_iter().collect();
    if !input.is_empty() {
        errors.push(input.error("one `tools!` declares one set: write a second `tools!`"));
        input.parse::<TokenStream>()?;
    }
    Ok(Set { library, attrs, vis, ident, generics, tools })
}

const TOOL: &str = "a tool is a field with the type of its arguments: `search: Search`";

fn tool(input: ParseStream<'_>) -> syn::Result<Tool> {
    let (attrs, vis) = (input.call(Attribute::parse_outer)?, input.parse()?);
    let ident: Ident = input.parse().map_err(|error| syn::Error::new(error.span(), TOOL))?;
    if !input.peek(Token![:]) || input.peek(Token![::]) {
        return Err(syn::Error::new(ident.span(), TOOL));
    }
    input.parse::<Token![:]>()?;
    Ok(Tool { attrs, vis, ident, ty: input.parse()? })
}
