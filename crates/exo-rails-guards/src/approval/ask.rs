//! How people are asked.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

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

/// A type that asks a person for an approval.
///
/// It must limit the time that it waits. The guards do the rest: they ask nobody about a request whose
/// [scope](ApprovalRequest::scope) a person has approved for the session or for ever, they act on the reply, and a retry of the
/// call does not ask again.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, Reply};
///
/// /// Nobody watches the nightly run, so it may do nothing that a person must approve.
/// #[derive(Debug)]
/// struct Nobody;
///
/// impl Ask for Nobody {
///     async fn ask(&self, _request: &ApprovalRequest, _ctx: &mut RailContext) -> Result<Answer, AskError> {
///         Ok(Answer::Now(Reply::deny("nobody can approve calls at night")))
///     }
/// }
/// ```
pub trait Ask: fmt::Debug + Send + Sync {
    /// Asks about the request, and waits for the reply.
    ///
    /// # Errors
    /// An error is a fault of the guard that asks. By default, the run ends.
    fn ask(
        &self,
        request: &ApprovalRequest,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<Answer, AskError>> + Send;

    /// Returns the place where approvals for the session and for ever are remembered.
    ///
    /// Default: none. The approvals are then values in [`ctx.session`](exo_rails::RunScope::session), and end with it.
    fn approvals(&self) -> Option<&Approvals> {
        None
    }
}

impl<T: Ask> Ask for Arc<T> {
    async fn ask(&self, request: &ApprovalRequest, ctx: &mut RailContext) -> Result<Answer, AskError> {
        T::ask(self, request, ctx).await
    }

    fn approvals(&self) -> Option<&Approvals> {
        T::approvals(self)
    }
}

/// Any [`Ask`], as guards hold it. Clones share it, so several guards can ask through one.
///
/// ```
/// use exo_rails_guards::Kit;
/// use exo_rails_guards::approval::{Asker, SuspendRun};
///
/// let asker = Asker::from(SuspendRun);
/// let kit = Kit::builder().asker(asker.clone()).from_toml("[approval]\nrules = [{ tool = 'deploy' }]")?;
/// # drop(kit);
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Asker(Arc<dyn ErasedAsk>);

impl<A: Ask + 'static> From<A> for Asker {
    fn from(ask: A) -> Self {
        Self(Arc::new(ask))
    }
}

/// What the guards can ask: an [`Asker`], or a type that implements [`Ask`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot ask a person",
    label = "not an `Ask`",
    note = "a type that asks implements `exo_rails_guards::approval::Ask`, and is not a function or a closure",
    note = "`Desk`, `Inbox` and `SuspendRun` in `exo_rails_guards::approval` implement it: `.asker(Desk::new())`"
)]
pub trait IntoAsker {
    /// Returns the asker.
    fn into_asker(self) -> Asker;
}

#[diagnostic::do_not_recommend]
impl<T: Into<Asker>> IntoAsker for T {
    fn into_asker(self) -> Asker {
        self.into()
    }
}

impl Asker {
    pub(super) fn ask<'a>(&'a self, request: &'a ApprovalRequest, ctx: &'a mut RailContext) -> AskFuture<'a> {
        self.0.ask_boxed(request, ctx)
    }

    pub(super) fn approvals(&self) -> Option<&Approvals> {
        self.0.kept_approvals()
    }
}

type AskFuture<'a> = Pin<Box<dyn Future<Output = Result<Answer, AskError>> + Send + 'a>>;

/// [`Ask`] behind `dyn`, which cannot have a method with an `impl Future`.
trait ErasedAsk: fmt::Debug + Send + Sync {
    fn ask_boxed<'a>(&'a self, request: &'a ApprovalRequest, ctx: &'a mut RailContext) -> AskFuture<'a>;

    fn kept_approvals(&self) -> Option<&Approvals>;
}

impl<A: Ask> ErasedAsk for A {
    fn ask_boxed<'a>(&'a self, request: &'a ApprovalRequest, ctx: &'a mut RailContext) -> AskFuture<'a> {
        Box::pin(self.ask(request, ctx))
    }

    fn kept_approvals(&self) -> Option<&Approvals> {
        self.approvals()
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
