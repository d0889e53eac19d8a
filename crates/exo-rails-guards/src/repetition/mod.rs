//! Ends answers that repeat the same text without end. [`Repetition`] is the guard.

mod detector;
mod guard;

pub use exo_rails_policy::repetition::{OnRepetition, RepetitionConfig};
pub use guard::Repetition;
