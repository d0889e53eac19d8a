//! The macros of `exo-rails-machine`. Each macro parses its input, checks it, and generates code.
//!
//! | module | task |
//! |---|---|
//! | `machine_file` | `machine_file!`: reads a DyGram file, and makes a type of its machine |
//!
//! `exo-rails-machine` re-exports the macros. Their documentation is at the re-exports, where the examples can use the library.

mod machine_file;

use proc_macro::TokenStream;

#[allow(missing_docs, reason = "documented at the re-export")]
#[proc_macro]
pub fn machine_file(input: TokenStream) -> TokenStream {
    let file = proc_macro::Span::call_site().local_file();
    machine_file::machine_file(input.into(), file.as_deref()).into()
}
