//! Tests of guards on state stores that fail. The tests of the stores are in `exo-rails-store`.
//!
//! The tests of Redis start a `redis-server`. If there is none, they are skipped and say so.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(missing_docs, reason = "tests")]

#[cfg(feature = "redis")]
mod cuts;
mod faults;
#[cfg(feature = "redis")]
#[path = "../../../../exo-rails-store/tests/store/redis_server.rs"]
#[allow(dead_code, reason = "the tests of the stores use all of it")]
mod redis_server;
