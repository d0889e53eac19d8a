//! Ends answers that repeat the same text without end. [`Repetition`] is the guard.

mod config;
mod detector;
mod guard;

pub use config::{OnRepetition, RepetitionConfig};
pub use guard::Repetition;
