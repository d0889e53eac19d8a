//! `#[derive(Operation)]`: parse, check, expand.

mod expand;
mod parse;

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Fields};

use crate::errors::{self, Errors};

/// The whole of `#[derive(Operation)]`.
pub(crate) fn operation(item: TokenStream) -> TokenStream {
    let item = match syn::parse2::<DeriveInput>(item) {
        Ok(item) => item,
        Err(error) => return errors::report(&error),
    };
    let mut errors = Errors::default();
    check(&item, &mut errors);
    let options = parse::options(&item, &mut errors);
    match errors.finish(options) {
        Ok(Some(options)) => expand::operation(&item, &options),
        Ok(None) => TokenStream::new(),
        Err(error) => errors::report(&error),
    }
}

/// An operation is known by its type alone: there is never a value of it.
fn check(item: &DeriveInput, errors: &mut Errors) {
    let ident = &item.ident;
    let unit = matches!(&item.data, Data::Struct(data) if matches!(data.fields, Fields::Unit));
    if !unit {
        errors.at(
            ident,
            format_args!(
                "an operation is a name, `struct {ident};`: what it takes and yields stands in `#[operation(inputs = Document, output = Receipt)]`"
            ),
        );
    } else if let Some(param) = item.generics.params.first() {
        errors.at(param, "an operation has no generic parameters: its events are those of one type");
    }
}
