//! Whose calls count together.

use exo_rails::RunScope;
use exo_rails_policy::Scope;
use serde::{Deserialize, Serialize};

use crate::store::key;

/// The key of a scope.
pub(crate) trait ScopeKey {
    /// Returns the key for the state of a guard in this scope. `name` is the name of the limit, and `what` the kind of the
    /// state.
    fn key(self, guard: &str, name: &str, what: &str, ctx: &RunScope) -> Result<String, ScopeError>;
}

impl ScopeKey for Scope {
    fn key(self, guard: &str, name: &str, what: &str, ctx: &RunScope) -> Result<String, ScopeError> {
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

/// The user of a run, for limits with [`Scope::User`].
///
/// Your program sets the value in [`ctx.run`](RunScope::run) or in [`ctx.session`](RunScope::session) after it has
/// authenticated the user. If both have a value, the value of the run counts. A model cannot change it. A tool that receives a
/// [permit](exo_rails::Permit) can, like all values of the run.
///
/// ```
/// use exo_rails::RunContext;
/// use exo_rails_guards::UserId;
///
/// let ctx = RunContext::new("desk");
/// ctx.run.insert(UserId::new("ada"));
/// ```
///
/// A saved run does not contain this value. Set it again when you resume the run, or add it to the
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

/// The run has no session or no user, and a [`Scope`] needs it.
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
