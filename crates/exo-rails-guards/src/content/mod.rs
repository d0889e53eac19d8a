//! Content filters: blocked phrases, the length of inputs, and patterns with levels of risk.
//!
//! The page "Content" of the book lists the thirteen patterns.

mod config;
mod guard;
mod known;
mod level;

pub use config::{ContentConfig, ContentPattern, ContentPlace};
pub use guard::Content;
pub use level::RiskLevel;
