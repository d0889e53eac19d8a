//! Helpers that several tests share. The tests are in `tests/`, a file for each capability.

mod agent;
mod always;
mod erased;
mod journal;
mod listed;
mod operations;
mod polls;
mod rails;
mod spans;
mod warnings;

pub use agent::{AnyModel, Model, agent, asks_for, run_agent};
pub use always::AlwaysOnly;
pub use erased::GuardDyn;
pub use journal::{note, notes, take_notes};
pub use listed::{Listed, listed_first, listed_last, plan_of_listed};
pub use operations::{broken_model, broken_run, broken_tool, fails_first, model, prompt, run, tool};
pub use polls::{Polls, yields};
pub use rails::add;
pub use spans::Spans;
pub use warnings::{Collecting, Warnings};
