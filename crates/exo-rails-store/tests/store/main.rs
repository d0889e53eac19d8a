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
#[cfg(feature = "file")]
mod file_problems;
#[cfg(any(feature = "file", feature = "redis"))]
mod kills;
mod memory_bounds;
#[cfg(feature = "redis")]
mod redis_problems;
#[cfg(feature = "redis")]
mod redis_server;
mod time_limits;
