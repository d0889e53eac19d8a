//! Sequence rules: traces with their verdicts, a naive reference, the text form, and calls with all their ends.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]
#![allow(clippy::unused_self, reason = "a rail of a struct takes it")]

mod calls;
mod configuration;
mod generated;
mod ledger;
mod reference;
mod text;
mod traces;
mod typed;
mod world;
