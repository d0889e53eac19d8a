//! Tests of the state stores. Each test of behaviour runs against all stores.
//!
//! The tests of Redis start a `redis-server`. If there is none, they are skipped and say so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed"
)]
#![cfg_attr(
    not(all(feature = "file-store", feature = "redis")),
    allow(dead_code, unused_imports, clippy::unnecessary_wraps, reason = "only some stores are tested")
)]
#![allow(missing_docs, reason = "tests")]

mod behaviour;
mod bench;
mod contention;
#[cfg(feature = "redis")]
mod cuts;
mod faults;
#[cfg(feature = "file-store")]
mod file_problems;
#[cfg(any(feature = "file-store", feature = "redis"))]
mod kills;
mod memory_bounds;
mod model;
#[cfg(feature = "redis")]
mod redis_problems;
#[cfg(feature = "redis")]
mod redis_server;
mod speed;
