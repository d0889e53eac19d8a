//! Budgets, rate limits, limits of calls at once, and time limits.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod around;
mod calls;
mod configuration;
mod ends;
mod faults;
mod ledger;
mod rates;
mod released;
mod scopes;
mod support;
mod tasks;
