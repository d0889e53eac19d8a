//! Tests of machines, with a scripted model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![allow(clippy::needless_pass_by_value, clippy::format_push_string, reason = "tests are short to write")]

mod conditions;
mod contexts;
mod draw;
mod helper;
mod hostile;
mod meta;
mod oracle;
mod oracle_paths;
mod paths;
mod plan;
mod questions;
mod registry;
mod resume;
mod seed;
mod steps;
#[cfg(feature = "svg")]
mod svg;
mod upstream;
mod visits;
