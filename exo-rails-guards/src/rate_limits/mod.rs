//! Rate limits: how often models and tools may be called.

mod config;
mod gcra;
mod guard;

pub use config::{Every, RateLimit, RateLimitsConfig, RatedCalls};
pub use guard::{RateLimitError, RateLimits};
