//! Programs that must compile without a warning, and run, with the guards. Each module denies warnings.

#![allow(missing_docs, unreachable_pub, reason = "these are programs, and not libraries")]
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "these programs are as short as a question to the compiler"
)]

mod advice;
pub mod sequence_rules;
pub mod stranger;
