//! The macros of `exo-rails-machine`. Each macro parses its input, checks it, and generates code.
//!
//! | module | task |
//! |---|---|
//! | `machine` | `machine!`: a machine written in Rust |
//! | `machine_file` | `machine_file!`: reads a DyGram file, and makes a type from its machine |
//! | `node_types` | generates the types of the nodes, for both macros |
//!
//! `exo-rails-machine` re-exports the macros. Their documentation is at the re-exports, so that examples can use the library.
#![allow(clippy::doc_markdown, reason = "DyGram is a name, and no item of the code")]

mod machine;
mod machine_file;
mod node_types;

use proc_macro::TokenStream;

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn machine_file(input: TokenStream) -> TokenStream {
    machine_file::machine_file(input.into(), None).into()
}

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn machine(input: TokenStream) -> TokenStream {
    machine::machine(input.into()).into()
}
