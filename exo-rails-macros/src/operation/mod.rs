//! `#[derive(Operation)]`: parse, check, expand.

mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields};

use crate::errors::{self, Errors};

/// Expands `#[derive(Operation)]`.
pub(crate) fn operation(item: TokenStream) -> TokenStream {
    let item = match syn::parse2::<DeriveInput>(item) {
        Ok(item) => item,
        Err(error) => return errors::report(&error),
    };
    let (mut of_shape, mut of_options) = (Errors::default(), Errors::default());
    check(&item, &mut of_shape);
    let options = parse::options(&item, of_shape.any(), &mut of_options);
    // An item with a wrong shape is still an operation, so that rustc does not also report its rails, its chains and its
    // calls.
    let is_one = !of_options.any() && item.generics.params.is_empty();
    let operation = options.filter(|_| is_one).map(|options| expand::operation(&item, &options));
    let reports = [of_shape, of_options].map(|errors| errors.finish(()).err().map(|error| errors::report(&error)));
    let [of_shape, of_options] = reports;
    quote!(#of_shape #of_options #operation)
}

/// Checks the item. An operation is only a type, and no program makes a value of it.
fn check(item: &DeriveInput, errors: &mut Errors) {
    let ident = &item.ident;
    let unit = matches!(&item.data, Data::Struct(data) if matches!(data.fields, Fields::Unit));
    if !unit {
        errors.at(
            ident,
            format_args!(
                "an operation is a unit struct: write `struct {ident};`, and put its inputs and its output into `#[operation(inputs = Document, output = Receipt)]`"
            ),
        );
    } else if let Some(param) = item.generics.params.first() {
        errors.at(param, "an operation cannot have generic parameters: declare a struct for each operation");
    }
}
