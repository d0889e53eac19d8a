//! Content filters: blocked phrases, the length of inputs, and patterns with levels of risk.
//!
//! The page "Content" of the book lists the thirteen patterns.

mod guard;
mod known;

pub use exo_rails_policy::content::{ContentConfig, ContentPattern, ContentPlace, RiskLevel};
pub use guard::ContentFilter;
