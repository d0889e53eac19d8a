//! The slot of a request: it takes one reply.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::approval::request::{ApprovalRequest, Reply};
use crate::approval::{ReplyError, UserAnswer, UserQuestion};

/// What a [`Desk`](super::Desk) asks people.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
// Features of `serde_json` that another crate enables make a request larger.
#[allow(clippy::large_enum_variant, reason = "a desk has few requests at a time")]
pub enum Request {
    /// A guard asks whether the agent may make a tool call. Reply with a [`Reply`].
    Approval(ApprovalRequest),
    /// The model asks a question. Reply with a [`UserAnswer`].
    Question(UserQuestion),
}

impl Request {
    fn check(&self, response: &Response) -> Result<(), ReplyError> {
        match (self, response) {
            (Self::Approval(request), Response::Reply(reply)) => request.check(reply),
            (Self::Question(question), Response::Answer(answer)) => question.check(answer),
            (Self::Approval(_), Response::Answer(_)) => {
                Err(ReplyError::OtherKind { request: "about a tool call", expected: "Reply" })
            }
            (Self::Question(_), Response::Reply(_)) => {
                Err(ReplyError::OtherKind { request: "a question of the model", expected: "UserAnswer" })
            }
        }
    }
}

/// What a person replies at a [`Desk`](super::Desk).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Response {
    /// The reply about a tool call.
    Reply(Reply),
    /// The answer to a question of the model.
    Answer(UserAnswer),
}

/// What [`Pending::reply`](super::Pending::reply) takes: a [`Reply`], a [`UserAnswer`], or a [`Response`] with one of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reply",
    label = "not a reply",
    note = "to a request for an approval, write `Reply::ApproveOnce` or `Reply::deny(\"…\")`, and to a question of the model, a `UserAnswer`"
)]
pub trait IntoResponse {
    /// Returns the response.
    fn into_response(self) -> Response;
}

// Without this attribute, the message would be about `From`.
#[diagnostic::do_not_recommend]
impl<T: Into<Response>> IntoResponse for T {
    fn into_response(self) -> Response {
        self.into()
    }
}

impl From<Reply> for Response {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

impl From<UserAnswer> for Response {
    fn from(answer: UserAnswer) -> Self {
        Self::Answer(answer)
    }
}

#[derive(Clone, Debug)]
pub(super) enum SlotState {
    Open,
    Replied(Response),
    Ended(Ended),
}

/// How a request ended without a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The run no longer waits.
    Withdrawn,
    /// The time is over.
    Expired,
    /// The front end has dropped the request.
    Abandoned,
}

/// A request and its one reply. The first change from `Open` is the last change.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) request: Request,
    pub(super) deadline: Instant,
    state: watch::Sender<SlotState>,
    was_taken: AtomicBool,
}

impl Slot {
    pub(super) fn new(request: Request, deadline: Instant) -> Self {
        Self { request, deadline, state: watch::Sender::new(SlotState::Open), was_taken: AtomicBool::new(false) }
    }

    pub(super) fn watch(&self) -> watch::Receiver<SlotState> {
        self.state.subscribe()
    }

    pub(super) fn state(&self) -> SlotState {
        self.state.borrow().clone()
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(*self.state.borrow(), SlotState::Open) && Instant::now() < self.deadline
    }

    pub(super) fn take(&self) {
        self.was_taken.store(true, Ordering::Relaxed);
    }

    pub(super) fn was_taken(&self) -> bool {
        self.was_taken.load(Ordering::Relaxed)
    }

    /// Ends the request, unless it has a reply or has ended.
    pub(super) fn end(&self, how: Ended) {
        self.state.send_if_modified(|state| {
            let is_open = matches!(state, SlotState::Open);
            if is_open {
                *state = SlotState::Ended(how);
            }
            is_open
        });
    }

    pub(super) fn reply(&self, response: Response) -> Result<(), ReplyError> {
        self.request.check(&response)?;
        let mut result = Ok(());
        self.state.send_if_modified(|state| {
            result = match state {
                SlotState::Open if Instant::now() >= self.deadline => Err(ReplyError::Expired),
                SlotState::Open => Ok(()),
                SlotState::Replied(_) => Err(ReplyError::AlreadyReplied),
                SlotState::Ended(Ended::Expired) => Err(ReplyError::Expired),
                SlotState::Ended(_) => Err(ReplyError::Withdrawn),
            };
            if result.is_ok() {
                *state = SlotState::Replied(response);
            }
            result.is_ok()
        });
        result
    }
}
