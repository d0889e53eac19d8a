//! Programs that must compile without a warning, and run, with the agent. Each module denies warnings.

#![allow(missing_docs, unreachable_pub, reason = "these are programs, and not libraries")]
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "these programs are as short as a question to the compiler"
)]

pub mod advice;
pub mod agents_of_any_guard_set;
pub mod around;
pub mod models_of_any_kind;
pub mod stranger;
