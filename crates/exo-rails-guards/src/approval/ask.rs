//! How people are asked.

use std::fmt;
use std::pin::Pin;

use exo_rails::{Question, RailContext, Reason};

use super::request::{ApprovalRequest, Reply};
use super::{Approvals, ReplyError};
use crate::store::StoreError;

/// The result of asking.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Somebody has replied.
    Now(Reply),
    /// Nobody has replied yet. The run is suspended with this question, and the guard asks again when it resumes. Use
    /// [`ApprovalRequest::question`]: the guard then reads the answer itself.
    Later(Question),
    /// Nobody will reply. The call does not run, and the model reads this reason.
    Nobody(Reason),
}

/// The future of [`Ask::ask`].
pub type AskFuture<'a> = Pin<Box<dyn Future<Output = Result<Answer, AskError>> + Send + 'a>>;

/// A type that asks a person for an approval.
///
/// It must limit the time that it waits. The guards do the rest: they ask nobody about a request whose
/// [scope](ApprovalRequest::scope) a person has approved for the session or for ever, they act on the reply, and a retry of the
/// call does not ask again.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskFuture, Reply};
///
/// /// Nobody watches the nightly run, so it may do nothing that a person must approve.
/// #[derive(Debug)]
/// struct Nobody;
///
/// impl Ask for Nobody {
///     fn ask<'a>(&'a self, _request: &'a ApprovalRequest, _ctx: &'a mut RailContext) -> AskFuture<'a> {
///         Box::pin(async { Ok(Answer::Now(Reply::deny("nobody can approve calls at night"))) })
///     }
/// }
/// ```
pub trait Ask: fmt::Debug + Send + Sync {
    /// Asks about the request, and waits for the reply.
    ///
    /// # Errors
    /// An error is a fault of the guard that asks. By default, the run ends.
    fn ask<'a>(&'a self, request: &'a ApprovalRequest, ctx: &'a mut RailContext) -> AskFuture<'a>;

    /// Returns the place where approvals for the session and for ever are remembered.
    ///
    /// Default: none. The approvals are then values in [`ctx.session`](exo_rails::RunScope::session), and end with it.
    fn approvals(&self) -> Option<&Approvals> {
        None
    }
}

/// The reason why a person could not be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The answer to the question of a suspended run is not a [`Reply`].
    #[error("the answer is not a reply such as {{\"reply\":\"approve_once\"}}: {0}")]
    Unreadable(#[source] serde_json::Error),
    /// The request does not offer this reply.
    #[error(transparent)]
    Refused(#[from] ReplyError),
    /// The state store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The channel to the person failed.
    #[error("nobody can be asked: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}
