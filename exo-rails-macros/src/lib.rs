//! The macros of `exo-rails`. Each macro parses its input, checks it, builds a small model of it, and generates code from
//! the model.
//!
//! | module | task |
//! |---|---|
//! | `rail` | `#[rail]` and `#[on]`: turn a function or an `impl` block into a rail |
//! | `chain` | `rail_chain!` and `chain_requirements!`: turn rails into a chain, in the order of their priorities |
//! | `custom_event` | `#[derive(Event)]`: turns a struct into an event |
//! | `operation` | `#[derive(Operation)]`: turns a struct into an operation, with its events |
//! | `provided` | `#[derive(Provided)]`: declares a type of values that one rail provides and other rails need |
//! | `tool_args` | `#[derive(ToolArgs)]`: declares a struct with the arguments of a tool |
//! | `tools` | `tools!`: turns functions into a set of tools |
//! | `sequence_rules` | `sequence_rules!` of `exo-rails-guards`: checks rules about the order of tool calls |
//! | `alias` | names the types of the user once, so that the compiler reports a wrong type once |
//! | `apart` | puts the generated type into a separate module if the crate has another rail with the same name |
//! | `options` | parses named options such as `priority = 10`, for every attribute |
//! | `paths` | writes the paths of the library and of its items in the generated code |
//! | `manifest` | finds the name under which a package depends on the library |
//! | `errors` | collects all errors of one macro call, and suggests the correct name for a misspelled one |
//! | `growth` | a test that limits the number of tokens that the macros generate |
//! | `testing` | helpers for the tests, such as the comparison with the expansions in `golden/` |
//!
//! `exo-rails` re-exports the macros. Their documentation is at the re-exports, where the examples can use the library.

mod absent;
mod alias;
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
mod sequence_rules;
#[cfg(test)]
mod testing;
mod tool_args;
mod tools;

use proc_macro::TokenStream;

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_attribute]
pub fn rail(args: TokenStream, item: TokenStream) -> TokenStream {
    absent::rail(&args.clone().into(), &item.clone().into())
        .unwrap_or_else(|| rail::rail(args.into(), item.into()))
        .into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_attribute]
pub fn on(_: TokenStream, item: TokenStream) -> TokenStream {
    rail::on(item.into()).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn rail_chain(input: TokenStream) -> TokenStream {
    absent::chain(input.clone().into()).unwrap_or_else(|| chain::rail_chain(input.into())).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn chain_requirements(input: TokenStream) -> TokenStream {
    absent::chain(input.clone().into()).unwrap_or_else(|| chain::chain_requirements(input.into())).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(ToolArgs, attributes(tool))]
pub fn tool_args(item: TokenStream) -> TokenStream {
    absent::other(&item.clone().into()).unwrap_or_else(|| tool_args::tool_args(item.into())).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(Provided, attributes(provided))]
pub fn provided(item: TokenStream) -> TokenStream {
    absent::other(&item.clone().into()).unwrap_or_else(|| provided::provided(item.into())).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(Event, attributes(event))]
pub fn event(item: TokenStream) -> TokenStream {
    absent::other(&item.clone().into()).unwrap_or_else(|| custom_event::event(item.into())).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro_derive(Operation, attributes(operation))]
pub fn operation(item: TokenStream) -> TokenStream {
    absent::other(&item.clone().into()).unwrap_or_else(|| operation::operation(item.into())).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn tools(input: TokenStream) -> TokenStream {
    absent::other(&input.clone().into()).unwrap_or_else(|| tools::tools(input.into())).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn sequence_rules(input: TokenStream) -> TokenStream {
    sequence_rules::sequence_rules(input.into()).into()
}
