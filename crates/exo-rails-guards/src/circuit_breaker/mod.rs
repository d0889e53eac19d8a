//! Circuit breakers: stop calling a model or a tool that has failed several times.
//!
//! [`CircuitBreaker`] is the guard, and a [`Breaker`] is one of its settings.

mod circuit;
mod config;
mod guard;

pub use config::{Breaker, CircuitBreakerConfig};
pub use guard::CircuitBreaker;
