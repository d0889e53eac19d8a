//! Loops: an agent makes the same tool calls again and again, and learns nothing new.
//!
//! The guard [`Loops`] finds six patterns:
//!
//! | pattern | what the agent does |
//! |---|---|
//! | [repetition](field@LoopsConfig::repetition) | makes the same call several times in a row, and the result does not change |
//! | [polling](field@LoopsConfig::polling) | makes the same call many times in a row, even if the results differ |
//! | [oscillation](field@LoopsConfig::oscillation) | makes the same calls in turn (A, B, A, B, or A, B, C, A, B, C), and their results do not change |
//! | [stagnation](field@LoopsConfig::stagnation) | makes calls in any order, and each of them was made before with the same result |
//! | [redundancy](field@LoopsConfig::redundancy) | makes the same call again and again, also with new calls in between, and the result does not change |
//! | [drift](field@LoopsConfig::drift) | makes calls that do not raise the [`Progress`] that your program measures |
//!
//! Two calls are the same if they have the same tool and equal arguments. The order of the keys and the form of numbers (`1` or
//! `1.0`) do not matter. Two results are the same if they have the same text. In the texts of errors, the guard ignores words
//! with digits, because they are often times or the ids of requests.
//!
//! # Escalation
//!
//! Each pattern has three [`Levels`]. At the first level, the model reads a warning. At the second, the guard refuses the
//! calls. At the third, the run ends.
//!
//! The page "Loops" of the book says what is not a loop, and how agents in tools share a history.

mod canonical;
mod guard;
mod history;
mod judge;
mod progress;

pub use exo_rails_policy::loops::{Levels, LoopScope, LoopsConfig};
pub use guard::{LoopError, Loops};
pub use history::LoopHistory;
pub use progress::Progress;
