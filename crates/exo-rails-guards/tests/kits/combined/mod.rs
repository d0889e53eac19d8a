//! Guards together: agents inside of tools, runs that go on elsewhere, windows, processes, and new configurations.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on has failed"
)]
#![allow(missing_docs, reason = "tests")]

mod crashed;
mod nested;
mod others;
mod reloaded;
mod resumed;
mod spellings;
mod windows;
