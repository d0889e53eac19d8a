//! The program, as a person runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod browser;
mod desk;
mod exec;
mod files;
mod live;
mod serve;
