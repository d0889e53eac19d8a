//! Programs that must compile without a warning, and run. Each module denies warnings.

#![allow(missing_docs, unreachable_pub, reason = "these are programs, and not libraries")]
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "these programs are as short as a question to the compiler"
)]

pub mod all_forms;
pub mod always;
pub mod attributes;
pub mod cfg_in_chains;
pub mod crate_path;
pub mod custom_events;
pub mod dyn_guard_sets;
pub mod faults;
pub mod generic_rails;
pub mod identifiers_and_lifetimes;
pub mod in_macro_rules;
pub mod names_of_the_prelude;
pub mod names_that_shadow;
pub mod nested_chains;
pub mod no_implicit_prelude;
pub mod of_another_crate;
pub mod one_rail_in_many_chains;
pub mod order;
pub mod order_around;
pub mod parameters;
pub mod prelude_beside_others;
pub mod priorities;
pub mod proofs;
pub mod rails_from_elsewhere;
pub mod rails_of_one_name;
pub mod reasons;
pub mod require_a_generic_rail;
pub mod return_types;
pub mod shared_requirements;
pub mod stranger;
pub mod sync_rails;
pub mod tool_args;
pub mod tool_rails;
pub mod tools;
pub mod unnamed_chains;
pub mod values;
