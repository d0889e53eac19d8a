//! The guard of data flow.

#![allow(clippy::unwrap_used, reason = "tests may panic")]
#![allow(clippy::format_collect, reason = "tests need not be fast")]

mod clearing;
mod configuration;
mod copies;
mod flows;
mod lifetime;
mod stores;
mod support;
mod trust;
