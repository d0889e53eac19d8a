//! The input of `machine_file!`.

use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, LitStr, Path, Result, Token, Visibility};

/// The parsed input: the path of the library, which the wrapper of the macro adds, then what the user writes.
pub(super) struct Input {
    pub(super) library: Path,
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) path: LitStr,
    pub(super) is_strict: bool,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let library = input.call(Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let path = input.fork().parse::<LitStr>().map_or_else(|_| "flow.dygram".to_owned(), |path| path.value());
        input.parse::<Token![struct]>().map_err(|error| {
            let what = if input.peek(LitStr) { "the machine needs a name" } else { "a machine is a struct" };
            syn::Error::new(error.span(), format!("{what}: write `machine_file!(struct Flow = \"{path}\");`"))
        })?;
        let name: Ident = input.parse()?;
        if !input.peek(Token![=]) {
            return Err(input.error("write `= \"flow.dygram\"` after the name"));
        }
        input.parse::<Token![=]>()?;
        if !input.peek(LitStr) {
            return Err(input.error("write the path of a DyGram file, such as \"flow.dygram\""));
        }
        let path = input.parse()?;
        let is_strict = is_strict(input)?;
        input.parse::<Option<Token![;]>>()?;
        if !input.is_empty() {
            return Err(input.error("write one machine for each call of `machine_file!`"));
        }
        Ok(Self { library, attrs, vis, name, path, is_strict })
    }
}

fn is_strict(input: ParseStream<'_>) -> Result<bool> {
    if input.parse::<Option<Token![,]>>()?.is_none() || input.is_empty() {
        return Ok(false);
    }
    match input.parse::<Ident>() {
        Ok(word) if word == "strict" => Ok(true),
        Ok(word) => Err(syn::Error::new(word.span(), "write `strict`, or nothing after the path")),
        Err(error) => Err(error),
    }
}
