//! `#[derive(Event)]`: parse, check, expand.

mod expand;
mod parse;

pub(crate) use parse::{sized, snake_case};

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Fields};

use crate::errors::{self, Errors};

/// Expands `#[derive(Event)]`.
pub(crate) fn event(item: TokenStream) -> TokenStream {
    event_of(item, None)
}

/// Expands an event of this operation. A chain that names the operation serves the event.
pub(crate) fn event_of(item: TokenStream, operation: Option<String>) -> TokenStream {
    let item = match syn::parse2::<DeriveInput>(item) {
        Ok(item) => item,
        Err(error) => return errors::report(&error),
    };
    let mut errors = Errors::default();
    let options = parse::options(&item, operation, &mut errors);
    check(&item, &mut errors);
    let report = errors.finish(()).err().map(|error| errors::report(&error));
    // A generic event would be several types, and their rails could not be told apart. So a generic item is not an event.
    match report {
        Some(report) if !item.generics.params.is_empty() => report,
        report => expand::event(&item.ident, &options, report.as_ref()),
    }
}

/// Checks the item. An event is only a type, and no program makes a value of it.
fn check(item: &DeriveInput, errors: &mut Errors) {
    for param in &item.generics.params {
        errors.at(param, "an event cannot have generic parameters: declare a struct for each event");
    }
    let ident = &item.ident;
    match &item.data {
        Data::Struct(data) if matches!(data.fields, Fields::Unit) => {}
        Data::Enum(data) if !data.variants.is_empty() => {
            let structs: Vec<_> = data.variants.iter().map(|variant| format!("`struct {};`", variant.ident)).collect();
            let message = format!("each event is a unit struct of its own: write {}", structs.join(" and "));
            errors.at(ident, message);
        }
        _ => errors.at(
            ident,
            format_args!(
                "an event is a unit struct: write `struct {ident};`, and put its payload into `#[event(payload = (&Query, &mut Memories))]`"
            ),
        ),
    }
}

#[cfg(test)]
mod tests;
