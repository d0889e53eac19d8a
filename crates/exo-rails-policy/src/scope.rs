//! Whose calls a limit counts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose calls count together in a budget or a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The calls of one run. The calls of other agents inside the run, in a child context or in
    /// the context of a tool call, belong to the run too, if their chains have the guard. Runs with the same name count as one run. The default names are
    /// random.
    #[default]
    Run,
    /// The calls of all runs of a session. In a run without a session, the guard faults.
    Session,
    /// The calls of all runs of a user: see `UserId`. In a run without a user, the guard faults.
    User,
    /// The calls of all runs of agents with the same name. An agent inside the run of another one counts under the name of the
    /// outer agent.
    Agent,
    /// The calls of all runs that use the store.
    Global,
}

impl Scope {
    /// Returns the name in configuration files, such as `user`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Session => "session",
            Self::User => "user",
            Self::Agent => "agent",
            Self::Global => "global",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
