//! What a rule set decides about a command.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a rule set decides about a shell command. The order is from the mildest decision to the strictest.
///
/// ```
/// use exo_rails_shell::ShellDecision;
///
/// assert!(ShellDecision::Deny > ShellDecision::Ask);
/// assert!(ShellDecision::Notify.passes() && !ShellDecision::Ask.passes());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellDecision {
    /// The command runs.
    #[default]
    Allow,
    /// The command runs, and the library reports it.
    Notify,
    /// A person must agree first.
    Ask,
    /// The command does not run.
    Deny,
}

impl ShellDecision {
    /// Returns whether the command runs without a question.
    #[must_use]
    pub const fn passes(self) -> bool {
        matches!(self, Self::Allow | Self::Notify)
    }

    /// Returns the name in configuration files, such as `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Notify => "notify",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for ShellDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a rule set decides where it cannot know what a command does. It cannot let such a command run without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caution {
    /// A person must agree first.
    #[default]
    Ask,
    /// The command does not run.
    Deny,
}

impl From<Caution> for ShellDecision {
    fn from(caution: Caution) -> Self {
        match caution {
            Caution::Ask => Self::Ask,
            Caution::Deny => Self::Deny,
        }
    }
}
