//! Circuit breakers: stop calling a model or a tool that has failed several times.
//!
//! [`CircuitBreaker`] is the guard, and a [`Breaker`] is one of its settings.

mod circuit;
mod guard;

pub use exo_rails_policy::circuit_breaker::{Breaker, CircuitBreakerConfig};
pub use guard::CircuitBreaker;
