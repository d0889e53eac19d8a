//! Rate limits: how often an agent may call models and tools.
//!
//! [`RateLimits`] is the guard, and a [`RateLimit`] is one of its limits.

mod gcra;
mod guard;

pub use exo_rails_policy::rate_limits::{Every, RateLimit, RateLimitsConfig, RatedCalls};
pub use guard::{RateLimitError, RateLimits};
