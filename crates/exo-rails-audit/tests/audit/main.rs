//! Tests of the audit log. Run them with `cargo test -p exo-rails-audit`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod bench;
mod canary;
mod changes;
mod failures;
mod files;
mod kills;
mod memory;
mod nested;
mod records;
#[cfg(unix)]
mod replaced;
mod signatures;
