//! The macros of `exo-rails`. Each macro has the same stages: it parses its input, checks it, makes a small model of it,
//! and expands the model item by item.
//!
//! | module | task |
//! |---|---|
//! | `rail` | `#[rail]` and `#[on]`: turn a function or an `impl` block into a rail |
//! | `chain` | `rail_chain!` and `chain_policy!`: turn rails into a chain, in the order of their priorities |
//! | `custom_event` | `#[derive(Event)]`: turns a struct into an event |
//! | `operation` | `#[derive(Operation)]`: turns a struct into an operation, with its events |
//! | `provided` | `#[derive(Provided)]`: makes a type a value that one rail provides and other rails need |
//! | `tool_args` | `#[derive(ToolArgs)]`: makes a struct the arguments of a tool |
//! | `tools` | `tools!`: turns functions into a set of tools |
//! | `apart` | separates types of one name |
//! | `options` | reads named options such as `priority = 10`, for every attribute |
//! | `paths` | names the library, its events and its payloads |
//! | `manifest` | finds the name under which a package depends on the library |
//! | `errors` | collects the mistakes of one macro call, and finds the name that the user may have meant |
//! | `growth` | tests how many tokens the macros write |
//! | `testing` | helpers of the tests, such as the comparison with the expansions in `golden/` |
//!
//! `exo-rails` re-exports and documents the macros. There the examples are compiled and the links resolve.

mod apart;
mod chain;
mod custom_event;
mod errors;
#[cfg(test)]
mod growth;
mod manifest;
mod operation;
mod options;
mod paths;
mod provided;
mod rail;
#[cfg(test)]
mod testing;
mod tool_args;
mod tools;

use proc_macro::TokenStream;

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_attribute]
pub fn rail(args: TokenStream, item: TokenStream) -> TokenStream {
    rail::rail(args.into(), item.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_attribute]
pub fn on(_: TokenStream, item: TokenStream) -> TokenStream {
    rail::on(item.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn rail_chain(input: TokenStream) -> TokenStream {
    chain::rail_chain(input.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn chain_policy(input: TokenStream) -> TokenStream {
    chain::chain_policy(input.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(ToolArgs, attributes(tool))]
pub fn tool_args(item: TokenStream) -> TokenStream {
    tool_args::tool_args(item.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(Provided, attributes(provided))]
pub fn provided(item: TokenStream) -> TokenStream {
    provided::provided(item.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(Event, attributes(event))]
pub fn event(item: TokenStream) -> TokenStream {
    custom_event::event(item.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(Operation, attributes(operation))]
pub fn operation(item: TokenStream) -> TokenStream {
    operation::operation(item.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn tools(input: TokenStream) -> TokenStream {
    tools::tools(input.into()).into()
}
