//! What stands in `#[tool(…)]`, and the doc comment.

use syn::parse::ParseStream;
use syn::{Attribute, DeriveInput, Expr, Meta, Path};

use crate::errors::Errors;
use crate::options::{Options, text};
use crate::paths::Library;

/// The options as they are written: (e.g. `name = "delete_file"`).
#[derive(Default)]
pub(super) struct ToolOptions {
    pub name: Option<Expr>,
    pub description: Option<Expr>,
    /// The lines of the doc comment.
    pub doc: Vec<String>,
    pub schema: Option<Expr>,
    pub library: Library,
    /// Whether what stands in the attribute can be read: a name that cannot be is not also missing.
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
    // Without anything in it, the attribute has told its mistake.
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
    options.named |= written.iter().any(|key| strsim::damerau_levenshtein(&key.to_string(), "name") <= 1);
    options
}

/// (e.g. `#[tool("delete_file")]`).
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

/// (e.g. ` Deletes a file.`).
fn doc_line(attr: &Attribute) -> Option<String> {
    match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => text(&meta.value).map(syn::LitStr::value),
        _ => None,
    }
}
