//! Reads the options in `#[tool(…)]` and the doc comment.

use exo_rails_text::names::distance;
use syn::parse::ParseStream;
use syn::{Attribute, DeriveInput, Expr, Meta, Path};

use crate::errors::Errors;
use crate::options::{Options, text};
use crate::paths::Library;

/// The options as the user wrote them, such as `name = "delete_file"`.
#[derive(Default)]
pub(super) struct ToolOptions {
    pub name: Option<Expr>,
    pub description: Option<Expr>,
    /// The lines of the doc comment.
    pub doc: Vec<String>,
    pub schema: Option<Expr>,
    pub library: Library,
    /// Whether the attribute has content that cannot be read. It may be the name, so a missing name is not reported too.
    pub named: bool,
}

const OPTIONS: Options = Options {
    attribute: "tool",
    examples: &[
        ("name", "name = \"delete_file\""),
        ("description", "description = \"Deletes a file.\""),
        ("schema", "schema = json!({ \"type\": \"object\" })"),
        ("crate", "crate = ::exo_rails"),
    ],
};

pub(super) fn options(item: &DeriveInput, errors: &mut Errors) -> ToolOptions {
    let attrs: Vec<_> = item.attrs.iter().filter(|attr| is_tool(attr)).cloned().collect();
    let mut options = ToolOptions { doc: item.attrs.iter().filter_map(doc_line).collect(), ..ToolOptions::default() };
    // An attribute without a list of options has already reported its mistake.
    options.named = attrs.iter().any(|attr| attr.meta.require_list().is_err() || is_literal(attr));
    let written = OPTIONS.read(&attrs, errors, |name, input: ParseStream<'_>, _| {
        match name {
            "name" => options.name = Some(input.parse()?),
            "description" => options.description = Some(input.parse()?),
            "schema" => options.schema = Some(input.parse()?),
            _ => options.library = Library::at(input.call(Path::parse_mod_style)?),
        }
        Ok(())
    });
    options.named |= written.iter().any(|key| distance(&key.to_string(), "name").is_some_and(|distance| distance <= 1));
    options
}

/// Returns `true` for an attribute such as `#[tool("delete_file")]`.
fn is_literal(attr: &Attribute) -> bool {
    let literal = |input: ParseStream<'_>| {
        let literal = input.peek(syn::Lit);
        input.parse::<proc_macro2::TokenStream>().map(|_| literal)
    };
    attr.parse_args_with(literal).unwrap_or(false)
}

pub(super) fn is_tool(attr: &Attribute) -> bool {
    attr.path().is_ident("tool")
}

/// Returns a line of the doc comment, such as ` Deletes a file.`.
fn doc_line(attr: &Attribute) -> Option<String> {
    match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => text(&meta.value).map(syn::LitStr::value),
        _ => None,
    }
}
