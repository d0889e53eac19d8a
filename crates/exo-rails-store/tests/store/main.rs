//! Tests of the state stores. The conformance suite runs against all of them.
//!
//! The tests of Redis start a `redis-server`. If there is none, they are skipped and say so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed"
)]
#![allow(missing_docs, reason = "tests")]

mod conformance;
mod file_lost;
mod file_problems;
mod kills;
mod memory_bounds;
mod redis_problems;
mod redis_server;
mod time_limits;
