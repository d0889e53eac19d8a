//! Makes the model of the arguments of a tool from the user's code, and checks all rules that the macro can check.

use proc_macro2::TokenTree;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, GenericParam, Generics, Ident};

use super::parse::{ToolOptions, is_tool};
use super::renamed;
use crate::errors::Errors;
use crate::options::text;
use crate::paths::Library;

/// The arguments of a tool.
pub(super) struct ToolArgs {
    pub library: Library,
    pub ident: Ident,
    pub generics: Generics,
    pub name: String,
    pub description: String,
    /// The fields with other names in JSON.
    pub renamed: Vec<(String, String)>,
    /// The schema that replaces the schema of `JsonSchema`.
    pub schema: Option<Expr>,
}

/// Checks the options and the item, and reports all mistakes in both. A value with mistakes is still good for a stub.
pub(super) fn tool_args(item: DeriveInput, options: ToolOptions, errors: &mut Errors) -> ToolArgs {
    if options.name.is_none() && !options.named {
        let (ident, name) = (&item.ident, snake(&item.ident));
        errors.at(ident, format_args!("the tool has no name: write `#[tool(name = \"{name}\")]` above `{ident}`"));
    }
    let name = options.name.and_then(|name| tool_name(&name, errors)).unwrap_or_else(|| snake(&item.ident));
    let description = options.description.and_then(|text| description(&text, errors));
    generics(&item.generics, errors);
    shape(&item, errors);
    let renamed = match &item.data {
        Data::Struct(data) => renamed::fields(&item.attrs, &data.fields),
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    };
    ToolArgs {
        renamed,
        library: options.library,
        ident: item.ident,
        generics: item.generics,
        name,
        description: description.unwrap_or_else(|| paragraphs(&options.doc)),
        schema: options.schema,
    }
}

const LONGEST_NAME: usize = 64;

/// Reads a name that the common model APIs accept.
fn tool_name(expr: &Expr, errors: &mut Errors) -> Option<String> {
    let Some(name) = text(expr).map(syn::LitStr::value) else {
        errors.at(expr, "the name of a tool is a string: write `name = \"delete_file\"`");
        return None;
    };
    let length = name.chars().count();
    if name.trim().is_empty() {
        errors.at(expr, "the name of a tool cannot be blank: write `name = \"delete_file\"`");
    } else if let Some(other) = name.chars().find(|&char| !is_in_names(char)) {
        let advice = advice(&name);
        let allowed = "use only letters from a to z, digits, `_` and `-`";
        errors.at(expr, format_args!("model APIs reject `{other}` in the name of a tool: {allowed}{advice}"));
    } else if length > LONGEST_NAME {
        errors.at(
            expr,
            format_args!("this name of a tool has {length} characters, and model APIs accept at most {LONGEST_NAME}"),
        );
    }
    Some(name)
}

const fn is_in_names(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-')
}

/// Returns the name with its forbidden characters replaced, if the result is still meaningful.
fn advice(name: &str) -> String {
    let allowed: String = name.trim().chars().map(|char| if is_in_names(char) { char } else { '_' }).collect();
    if name.chars().filter(|char| is_in_names(*char)).count() * 2 > name.chars().count() {
        format!("; write `{allowed}`")
    } else {
        String::new()
    }
}

fn description(expr: &Expr, errors: &mut Errors) -> Option<String> {
    let description = text(expr).map(syn::LitStr::value).filter(|text| !text.trim().is_empty());
    if description.is_none() {
        errors.at(expr, "a description is a string that is not blank: write `description = \"Deletes a file.\"`");
    }
    description
}

/// Returns the text of a doc comment.
fn paragraphs(doc: &[String]) -> String {
    let lines: Vec<_> = doc.iter().flat_map(|line| line.lines().chain(line.is_empty().then_some(""))).collect();
    let lines: Vec<_> = lines.into_iter().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    lines.join("\n").trim().to_owned()
}

fn generics(generics: &Generics, errors: &mut Errors) {
    for param in &generics.params {
        let message = match param {
            GenericParam::Lifetime(_) => "the arguments of a tool must own their data: write `String`, not `&str`",
            _ => "the arguments of a tool cannot have generic parameters: write a struct for each tool",
        };
        errors.at(param, message);
    }
}

fn shape(item: &DeriveInput, errors: &mut Errors) {
    let advice = |what: &str| {
        let ident = &item.ident;
        format!(
            "the arguments of a tool need names: write `struct {ident} {{ … }}` with named fields; {what} can be the type of a field"
        )
    };
    let fields = match &item.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => return errors.at(data.enum_token, advice("an enum")),
        Data::Union(data) => return errors.at(data.union_token, "the arguments of a tool are a struct, not a union"),
    };
    match fields {
        Fields::Named(_) => {}
        Fields::Unnamed(fields) => {
            errors.push(syn::Error::new(fields.span(), advice("a struct without names")));
        }
        Fields::Unit => {
            let ident = &item.ident;
            errors.at(
                ident,
                format_args!("the arguments of a tool are an object, even without fields: write `struct {ident} {{}}`"),
            );
        }
    }
    for attr in fields.iter().flat_map(|field| &field.attrs).filter(|attr| is_not_written(attr)) {
        errors.at(
            attr,
            "`skip_serializing` would lose the changes that a rail makes to the arguments: leave it out, \
             or write `skip`",
        );
    }
    for attr in fields.iter().flat_map(|field| &field.attrs).filter(|attr| is_tool(attr)) {
        errors.at(
            attr,
            "`#[tool(…)]` is for the struct: describe a field with a doc comment, or with attributes of serde and schemars",
        );
    }
}

/// Returns `true` if serde reads the field but does not write it: `#[serde(skip_serializing)]`.
fn is_not_written(attr: &Attribute) -> bool {
    let words = attr.meta.require_list().map(|list| list.tokens.clone()).unwrap_or_default();
    attr.path().is_ident("serde")
        && words.into_iter().any(|word| matches!(&word, TokenTree::Ident(word) if word == "skip_serializing"))
}

/// Turns `DeleteFile` into `delete_file`.
fn snake(ident: &Ident) -> String {
    let mut name = String::new();
    for char in ident.to_string().trim_start_matches("r#").chars() {
        if char.is_uppercase() && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        name.extend(char.to_lowercase());
    }
    name
}
