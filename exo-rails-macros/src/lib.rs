//! The macros of `exo-rails`. Each goes through the same stages: parse, check, expand.
//!
//! They are documented where `exo-rails` re-exports them, so that the examples there are compiled and the
//! links resolve.

mod chain;
mod custom_event;
mod errors;
#[cfg(test)]
mod growth;
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
#[proc_macro]
pub fn tools(input: TokenStream) -> TokenStream {
    tools::tools(input.into()).into()
}
