//! `#[rail]`. Each stage uses only the modules above it:
//!
//! | module | task |
//! |---|---|
//! | `parse` | reads the item: a function, or an `impl` block with its methods |
//! | `dropped` | finds decisions that a body drops |
//! | `swapped` | finds decisions whose reason comes before their condition |
//! | `around` | checks rails around an operation, and finds `next.await` in their bodies |
//! | `args` | reads the arguments of `#[rail]` and `#[on]` |
//! | `model` | the model of a rail: `Rail`, `Handler`, `Param`, `Source` |
//! | `options` | checks the options of a function against its parameters and against each other |
//! | `check` | makes the model from the item and the arguments, and reports all mistakes |
//! | `substitute` | finds functions whose return type leaves out the type of their answer |
//! | `pick` | takes one parameter out of the payload |
//! | `handled` | writes the call of a rail that needs more than parts of its events |
//! | `expand` | writes the items of the model, one function for each item |

mod args;
mod around;
mod check;
mod docs;
mod dropped;
mod expand;
mod handled;
mod model;
mod options;
mod parse;
mod pick;
mod substitute;
mod swapped;

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

pub(crate) use args::{priority, same_event, values};
pub(crate) use expand::{Priority, declared, event_list, unnamed_list};
pub(crate) use handled::of_set;
pub(crate) use parse::without_on;

use crate::errors::{self, Errors};
use crate::paths::Library;

/// Expands `#[rail]`. The output always contains the user's item, even if the item has mistakes. So the editor and the
/// callers of the item continue to work.
pub(crate) fn rail(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (item_tokens, item) = parse::item(item, &mut errors);
    let item_tokens = dropped::decisions(item_tokens, &mut errors);
    let item_tokens = around::awaited(&item_tokens, &mut errors).unwrap_or(item_tokens);
    let item_tokens = swapped::arguments(&item_tokens, &mut errors).unwrap_or(item_tokens);
    let rail = match item {
        Some(item) => check::rail(args, item, &mut errors),
        None => {
            parse::half_typed(item_tokens.clone()).map(|(vis, ident)| check::half_typed(vis, ident)).or_else(|| {
                parse::declared_type(item_tokens.clone()).map(|(ident, generics)| check::declared(&ident, generics))
            })
        }
    };
    let rail = rail.map(|mut rail| {
        rail.stand_apart(parse::first_and_last(&item_tokens));
        rail
    });
    let item_tokens = match &rail {
        Some(rail) => {
            let item_tokens = around::with_operations(item_tokens, rail);
            substitute::types(&item_tokens, rail, &mut errors).unwrap_or(item_tokens)
        }
        None => item_tokens,
    };
    let without_dyn = if errors.any() { around::without_dyn(&item_tokens) } else { None };
    let item_tokens = without_dyn.unwrap_or(item_tokens);
    let beside = match (errors.finish(()), rail) {
        (Ok(()), Some(rail)) => expand::rail(rail),
        (Ok(()), None) => TokenStream::new(),
        (Err(error), Some(rail)) => [errors::report(&error), expand::stub(&rail)].into_iter().collect(),
        (Err(error), None) => errors::report(&error),
    };
    [item_tokens, beside].into_iter().collect()
}

/// Expands an `#[on]` that no `#[rail]` has removed. The message is at a trait that no type implements, except a type with a `#[rail]`
/// above its declaration, which has its own message.
pub(crate) fn on(item: TokenStream) -> TokenStream {
    let library = Library::default();
    let check =
        quote_spanned!(Span::call_site()=> let () = <Self as #library::for_macros::HasRailAboveItsBlock>::IS_SO;);
    if let Some(checked) = parse::with_statement(item.clone(), check) {
        return checked;
    }
    let message = "`#[on(…)]` is for methods of an `impl` block with `#[rail]`: write `#[rail]` above the block";
    let error = errors::report(&syn::Error::new(Span::call_site(), message));
    // Inside an `impl` block, the error can stand only beside the item itself.
    [item, error].into_iter().collect()
}

#[cfg(test)]
mod tests;
