//! A crate without a prelude: the expansions name all they need by paths from the root.

#![no_implicit_prelude]
#![deny(warnings, missing_docs, unused, missing_debug_implementations, missing_copy_implementations)]
#![deny(single_use_lifetimes, unused_qualifications, unused_lifetimes)]
#![allow(unreachable_pub, missing_copy_implementations, reason = "the types of the program")]

mod every_macro {
    ::core::include!("every_macro.rs");
}

#[test]
fn compiles_and_runs() -> ::core::result::Result<(), ::exo_rails::RunError> {
    every_macro::main()
}
