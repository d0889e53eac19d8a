//! The chain of all guards, its configuration, and changes of the configuration.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

#[cfg(feature = "audit")]
mod audit;
mod configuration;
mod modes;
mod watching;
