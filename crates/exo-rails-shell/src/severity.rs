//! How serious something is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How serious something is: what a command would do, or what a guard has found.
///
/// The variants are ordered, so `severity >= Severity::High` is true for `High` and `Critical`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A fact without risk, such as a match of a rule that only notifies.
    #[default]
    Info,
    /// A small risk.
    Low,
    /// A risk that a person should know about.
    Medium,
    /// Harm is likely.
    High,
    /// Harm is certain, or nobody can undo it.
    Critical,
}

impl Severity {
    /// Returns the name in configuration files and logs, such as `high`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
