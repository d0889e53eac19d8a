//! Ready-made guards for LLM agents.
//!
//! A *guard* is a rail that you configure and do not write. The guards of this crate are rails like any other: list them in a
//! chain, or build a chain of all of them from a configuration file.

pub mod config;
mod finding;
#[cfg(feature = "handlers")]
pub mod handlers;
pub mod shape;
pub mod store;

pub use config::ConfigError;
pub use finding::{Finding, Findings, Place, Severity};
pub use store::{StateStore, StoreError};
