//! Loops of calls.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod agents;
mod configuration;
mod costs;
mod escalation;
mod histories;
mod support;
mod waiting;
