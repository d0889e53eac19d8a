//! Rate limits: how often an agent may call models and tools.
//!
//! [`RateLimits`] is the guard, and a [`RateLimit`] is one of its limits.

mod config;
mod gcra;
mod guard;

pub use config::{Every, RateLimit, RateLimitsConfig, RatedCalls};
pub use guard::{RateLimitError, RateLimits};
