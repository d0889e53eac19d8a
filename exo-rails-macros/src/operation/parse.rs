//! The options in `#[operation(…)]`.

use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{DeriveInput, Ident, Path, Type};

use crate::chain::lifetime;
use crate::custom_event::sized;
use crate::errors::{Errors, shown};
use crate::options::{Options, name};
use crate::paths::{Library, OPERATIONS};

/// The options of an operation.
pub(super) struct OperationOptions {
    /// The name of the operation at run time, if it is not the name of the type.
    pub name: Option<String>,
    pub inputs: Type,
    pub output: Type,
    /// The names of its events.
    pub pre: Ident,
    pub post: Ident,
    pub failed: Ident,
    pub library: Library,
}

const OPTIONS: Options = Options {
    attribute: "operation",
    examples: &[
        ("inputs", "inputs = Document"),
        ("output", "output = Receipt"),
        ("pre", "pre = PreStoreDocument"),
        ("post", "post = PostStoreDocument"),
        ("failed", "failed = StoreDocumentError"),
        ("name", "name = \"store_document\""),
        ("crate", "crate = ::exo_rails"),
    ],
};

const NAME: &str = "the name of an operation is a string that is not blank: write `name = \"store_document\"`";

/// Reads the options. `is_reported` is true if another message already says how to write an operation.
pub(super) fn options(item: &DeriveInput, is_reported: bool, errors: &mut Errors) -> Option<OperationOptions> {
    let attrs: Vec<_> = item.attrs.iter().filter(|attr| attr.path().is_ident("operation")).cloned().collect();
    let ident = item.ident.unraw();
    let (mut inputs, mut output, mut run_time_name, mut library) = (None, None, None, Library::default());
    // The names have the span of the operation's name, where the user looks for them.
    let mut pre = format_ident!("Pre{ident}", span = item.ident.span());
    let mut post = format_ident!("Post{ident}", span = item.ident.span());
    let mut failed = format_ident!("{ident}Error", span = item.ident.span());
    OPTIONS.read(&attrs, errors, |key, input: ParseStream<'_>, errors| {
        match key {
            "inputs" => inputs = Some(owned(input.parse()?, errors)),
            "output" => output = Some(owned(input.parse()?, errors)),
            "pre" => pre = event(input)?,
            "post" => post = event(input)?,
            "failed" => failed = event(input)?,
            "name" => run_time_name = Some(name(&input.parse()?, NAME)?.value()),
            _ => library = Library::at(input.call(Path::parse_mod_style)?),
        }
        Ok(())
    });
    if OPERATIONS.iter().any(|operation| ident == operation) {
        errors
            .at(&item.ident, format_args!("`{ident}` is the name of an operation of the library: choose another name"));
    }
    let (Some(inputs), Some(output)) = (inputs, output) else {
        if is_reported || errors.any() {
            return None;
        }
        errors.at(
            &item.ident,
            format_args!(
                "`{ident}` needs types for its inputs and its output: write `#[operation(inputs = Document, output = Receipt)]`"
            ),
        );
        return None;
    };
    if inputs == output {
        let what = shown(&inputs);
        errors.at(
            &output,
            format_args!(
                "the inputs and the output are both `{what}`, and rails select parts by their types: wrap one of them in another type"
            ),
        );
    }
    Some(OperationOptions { name: run_time_name, inputs, output, pre, post, failed, library })
}

/// Reads the name of an event.
fn event(input: ParseStream<'_>) -> syn::Result<Ident> {
    let wrong = "the derive declares the events of an operation: write a name for the event, `pre = PreStoreDocument`";
    input.parse().map_err(|error: syn::Error| syn::Error::new(error.span(), wrong))
}

/// Reports a type that borrows. The inputs and the output of an operation must be owned.
fn owned(ty: Type, errors: &mut Errors) -> Type {
    if let Type::Reference(reference) = &ty {
        let what = sized(&reference.elem).unwrap_or_else(|| shown(&reference.elem));
        errors.at(&ty, format_args!("an operation owns its inputs and its output: write `{what}`, not a reference"));
    } else if let Some(sized) = sized(&ty) {
        let what = shown(&ty);
        errors.at(
            &ty,
            format_args!(
                "an operation owns its inputs and its output, and `{what}` has no known size: write `{sized}`"
            ),
        );
    } else if let Some(lifetime) = lifetime(ty.to_token_stream()) {
        let message = "an operation owns its inputs and its output: write a type without the lifetime";
        errors.at(&lifetime, format_args!("{message} `{lifetime}`"));
    }
    ty
}
