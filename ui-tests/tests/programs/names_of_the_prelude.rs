//! A module in which the names of the prelude, of crates and of macros mean something else: the expansions do not use them.

#![deny(warnings)]

#[allow(dead_code, unused_macros, non_camel_case_types, reason = "names to be mistaken for others")]
mod every_macro {
    struct Option;
    struct Result;
    struct Send;
    struct Sync;
    struct Box;
    struct Vec;
    struct String;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    struct Clone;
    struct Copy;
    struct Default;
    struct Debug;
    struct Iterator;
    struct IntoIterator;
    struct Into;
    struct From;
    struct AsRef;
    struct Drop;
    struct Fn;
    struct FnMut;
    struct FnOnce;
    struct Future;
    struct Sized;
    struct ToString;
    struct PartialEq;
    struct Extend;
    struct Rail;
    struct RailOn;
    struct RailInfo;
    struct Event;
    struct Events;
    struct Serves;
    struct Row;
    struct Handled;
    struct Returned;
    struct Library;
    struct Sound;
    struct CarriedBy;
    struct PreStart;
    struct Plan;
    struct HookPoint;
    struct Inputs;
    struct ModelCallInputs;
    struct Provided;
    struct Operation;
    struct ToolSet;
    struct Tool;
    mod std {}
    mod core {}
    mod alloc {}
    mod exo_rails {}
    mod serde {}
    mod serde_json {}
    mod diagnostic {}
    fn drop() {}

    macro_rules! assert {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! assert_eq {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! compile_error {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! debug_assert {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! format {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! matches {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! module_path {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! panic {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! stringify {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! unreachable {
        () => {
            ::core::compile_error!("not this one")
        };
    }
    macro_rules! vec {
        () => {
            ::core::compile_error!("not this one")
        };
    }

    ::core::include!("every_macro.rs");
}

#[test]
fn compiles_and_runs() -> Result<(), exo_rails::RunError> {
    every_macro::main()
}
