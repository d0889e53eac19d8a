//! Whose calls count together.

use std::fmt;

use exo_rails::RunScope;
use serde::{Deserialize, Serialize};

use crate::store::key;

/// Whose calls count together in a budget or a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Each run by itself. The calls of agents inside the run, with a context of the run, belong to it.
    #[default]
    Run,
    /// All runs of a session. A run without a session is a fault.
    Session,
    /// All runs of a user: see [`UserId`]. A run without a user is a fault.
    User,
    /// All runs of agents with the same name.
    Agent,
    /// All runs that use the store.
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

    /// Returns the key of a state of a guard for this scope.
    pub(crate) fn key(self, guard: &str, name: &str, what: &str, ctx: &RunScope) -> Result<String, ScopeError> {
        let user;
        let id = match self {
            Self::Run => ctx.run_id(),
            Self::Session => ctx.session_id().ok_or(ScopeError::NoSession)?,
            Self::User => {
                user = UserId::of(ctx).ok_or(ScopeError::NoUser)?;
                &user.0
            }
            Self::Agent => ctx.agent(),
            Self::Global => "",
        };
        Ok(key([guard, name, what, self.name(), id]))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The user of a run, for budgets and limits of users: a value in [`ctx.run`](RunScope::run) or in
/// [`ctx.session`](RunScope::session). The value of the run has precedence.
///
/// The program puts the value there, because it has authenticated the user. Nothing that a model or a tool says changes it.
///
/// ```
/// use exo_rails::RunContext;
/// use exo_rails_guards::UserId;
///
/// let ctx = RunContext::new("desk");
/// ctx.run.insert(UserId::new("ada"));
/// ```
///
/// A run that is saved loses the values of its types. To keep this one, add it to the
/// [`KeptValues`](exo_rails::KeptValues) of the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UserId(pub String);

impl UserId {
    /// Makes the id of a user.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    fn of(ctx: &RunScope) -> Option<Self> {
        ctx.run.get().or_else(|| ctx.session.get()).filter(|Self(id)| !id.is_empty())
    }
}

/// A run does not have what a [`Scope`] needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// The run has no session.
    #[error("a limit of the guard is per session, and the run has no session: start the run in a session")]
    NoSession,
    /// The run has no user.
    #[error(
        "a limit of the guard is per user, and the run has no user: put a `UserId` into `ctx.run` or `ctx.session`"
    )]
    NoUser,
}
