//! Retries, fallbacks, circuit breakers, and answers that repeat themselves.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod circuit_breaker;
mod repetition;
mod retry;
mod together;
