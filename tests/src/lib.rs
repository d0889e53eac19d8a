//! The behaviour of the whole: see `tests/`, a file for each capability. Here is what they share.
#![allow(clippy::unused_async, reason = "an operation is an async function, also where it has nothing to wait for")]

mod agent;
mod journal;
mod operations;
mod polls;
mod warnings;

pub use agent::{Model, asks_for, run_agent};
pub use journal::{note, notes, take_notes};
pub use operations::{broken_model, broken_run, broken_tool, fails_first, model, prompt, run, tool};
pub use polls::{Polls, yields};
pub use warnings::Warnings;
