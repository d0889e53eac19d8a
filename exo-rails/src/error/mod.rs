//! The errors of runs and operations.

pub(crate) mod ending;
pub(crate) mod fault;
pub(crate) mod suspension;

pub use ending::*;
pub use fault::*;
pub use suspension::*;

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::message::{InvokeOutput, OperationErrorKind, TornCall};
use crate::point::{HookPoint, IntoReason, RailName, Reason};

/// A rail has ended the run.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn no_deletes(call: &ToolCallInputs) -> RailAction {
///     if call.tool_name == "delete_file" { RailAction::abort("files are never deleted") } else { RailAction::Continue }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let rails = rail_chain![no_deletes];
/// let mut ctx = RunContext::new("demo");
/// let call = ToolCallInputs::new("delete_file");
/// let error = rails.guard_tool_call(call, &mut ctx, |_| async { Ok::<_, OperationError>(ToolOutput::text("gone")) }).await;
/// let Err(RunError::Abort(abort)) = error else { panic!() };
/// assert_eq!(abort.rail_name, "no_deletes");
/// assert_eq!(abort.to_string(), "rail `no_deletes` aborted at pre_tool_call: files are never deleted");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RailAbortError {
    /// The rail that ended the run.
    pub rail_name: RailName,
    /// The event at which the rail decided.
    pub event: HookPoint,
    /// The reason of the rail.
    pub reason: Reason,
    /// How the run ends if it does not fail: see [`answer`](Self::answer) and [`suspension`](Self::suspension).
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Box<Ending>>,
}

impl RailAbortError {
    /// Makes an abort by this rail at this event. Use it in custom guard sets and hooks.
    pub fn new(rail_name: impl Into<RailName>, event: HookPoint, reason: impl IntoReason) -> Self {
        Self { rail_name: rail_name.into(), event, reason: reason.into_reason(), ending: None }
    }

    /// Returns the answer if the rail ended the run with an answer: see
    /// [`RailAction::abort_with`](crate::RailAction::abort_with). The run then succeeds, and only the operations inside
    /// the run see this error.
    #[must_use]
    pub fn answer(&self) -> Option<&InvokeOutput> {
        match self.ending.as_deref() {
            Some(Ending::Answer(answer)) => Some(answer),
            _ => None,
        }
    }

    /// Returns the question and the rail that asks it, if the rail suspended the run.
    #[must_use]
    pub fn open_question(&self) -> Option<OpenQuestion> {
        let question = self.suspension()?.question.clone();
        Some(OpenQuestion { rail_name: self.rail_name.clone(), question })
    }

    /// Returns the suspension if the rail suspended the run: see [`RailAction::suspend`](crate::RailAction::suspend).
    #[must_use]
    pub fn suspension(&self) -> Option<&Suspension> {
        match self.ending.as_deref() {
            Some(Ending::Suspension(suspension)) => Some(suspension),
            _ => None,
        }
    }
}

impl fmt::Display for RailAbortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rail_name, event, reason, .. } = self;
        let how = if self.suspension().is_some() { "suspended the run" } else { "aborted" };
        write!(f, "rail `{rail_name}` {how} at {event}: {reason}")
    }
}

impl StdError for RailAbortError {}

/// A rail asked for a retry, but no retry is left, its delay is too long, or the operation can be performed only once.
///
/// If the last attempt failed, its failure is the [source](StdError::source) of this error.
#[derive(Debug)]
#[non_exhaustive]
pub struct RetriesExhausted {
    /// The rail that asked for the retry.
    pub rail_name: RailName,
    /// The event at which the rail asked.
    pub event: HookPoint,
    /// The number of attempts of the operation. It includes retries that other rails asked for.
    pub attempts: u32,
    /// The limit that was reached.
    pub limit: RetryLimit,
    /// The reason of the rail.
    pub reason: Reason,
    /// The error of the model or the tool in the last attempt. `None` if a rail did not accept a result, or asked for a
    /// retry before the operation.
    pub failure: Option<Box<OperationError>>,
}

/// A limit of retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "of", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RetryLimit {
    /// The limit of the rail for this operation.
    Rail {
        /// The limit in the request of the rail.
        max_retries: u32,
    },
    /// The limit of the run: see [`RunContext::with_max_retries`](crate::RunContext::with_max_retries).
    Run {
        /// The limit of the run.
        max_retries: u32,
    },
    /// The delay of the retry is longer than the run allows. Retries may be left. See
    /// [`RunContext::with_max_retry_delay`](crate::RunContext::with_max_retry_delay).
    Delay {
        /// The longest delay that the run allows, in seconds.
        // Not a `Duration`: it would make the error of a run larger, and with it every result.
        max_seconds: u32,
    },
    /// The operation can be performed only once: see [`Guard::guard_run_once`](crate::Guard::guard_run_once).
    Once,
}

impl RetryLimit {
    /// Returns the greatest number of retries, or 0 if the delay was too long or the operation can be performed only once.
    #[must_use]
    pub const fn max_retries(self) -> u32 {
        match self {
            Self::Rail { max_retries } | Self::Run { max_retries } => max_retries,
            Self::Delay { .. } | Self::Once => 0,
        }
    }
}

impl fmt::Display for RetriesExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rail_name, event, attempts, limit, reason, .. } = self;
        let (whose, retries) = match limit {
            RetryLimit::Rail { max_retries } => ("has none left", max_retries),
            RetryLimit::Run { max_retries } => ("the run has none left", max_retries),
            RetryLimit::Delay { max_seconds } => ("its delay is longer than the run allows", max_seconds),
            RetryLimit::Once => {
                return write!(
                    f,
                    "rail `{rail_name}` wants a retry at {event} but the operation can be performed only once: {reason}"
                );
            }
        };
        if matches!(limit, RetryLimit::Delay { .. }) {
            return write!(
                f,
                "rail `{rail_name}` wants a retry at {event} but {whose} ({attempts} attempted, {retries}s at most): {reason}"
            );
        }
        write!(
            f,
            "rail `{rail_name}` wants a retry at {event} but {whose} ({attempts} attempted, {retries} retries allowed): {reason}"
        )
    }
}

impl StdError for RetriesExhausted {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.failure.as_deref().map(|failure| failure as _)
    }
}

/// The error of an operation, such as a model call or a tool call.
///
/// Make it with [`OperationError::new`], or with `?` from I/O errors, JSON errors, errors of runs, boxed errors and
/// text.
///
/// ```
/// use std::time::Duration;
/// use exo_rails::{OperationError, OperationErrorKind};
///
/// let error = OperationError::new(OperationErrorKind::RateLimited, "slow down")
///     .with_status(429)
///     .with_retry_after(Duration::from_secs(3));
/// assert_eq!(error.to_string(), "slow down (rate limited, status 429)");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{message} ({kind}{})", status.map(|status| format!(", status {status}")).unwrap_or_default())]
#[non_exhaustive]
pub struct OperationError {
    /// The kind of failure.
    pub kind: OperationErrorKind,
    /// A description of the failure, for people and for the model.
    pub message: String,
    /// The HTTP status, if the operation was a request.
    pub status: Option<u16>,
    /// The time to wait before the next attempt, if the server asks for it.
    pub retry_after: Option<Duration>,
    /// The source of the error.
    #[source]
    pub source: Option<Box<dyn StdError + Send + Sync>>,
}

impl OperationError {
    /// Makes an error of this kind.
    pub fn new(kind: OperationErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, retry_after: None, source: None }
    }

    /// Reports that the rails of this event have torn a tool call from its output. A server would refuse the conversation.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages};
    /// use exo_rails::{HookPoint, OperationError};
    ///
    /// let (before, after) = (Messages::new(), Messages::from([Message::tool("call_1", "12 °C")]));
    /// let torn = after.torn_since(&before).ok_or("the conversation is whole")?;
    /// let error = OperationError::torn_at(HookPoint::ContextOverflow, &torn);
    /// assert!(error.message.starts_with("after the rails of context_overflow, the output of the tool call `call_1` has no call"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn torn_at(event: HookPoint, torn: &TornCall) -> Self {
        let message = format!("after the rails of {event}, {torn}: keep both, or remove both");
        Self::new(OperationErrorKind::InvalidRequest, message)
    }

    /// Sets the status of the response.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Sets the time to wait that the server asks for.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Sets the source of the error.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

/// Errors with their own conversion are converted with it. So an operation's error stays unchanged, and the errors of
/// runs, I/O and JSON become what their conversion returns. Any other error becomes the source of a new error. The
/// library then looks for the first operation error or I/O error among its sources. The new error has the kind, the
/// status and the time to wait of an operation error, or the kind of an I/O error.
impl From<Box<dyn StdError + Send + Sync>> for OperationError {
    fn from(error: Box<dyn StdError + Send + Sync>) -> Self {
        converted::<Self>(error)
            .or_else(converted::<RunError>)
            .or_else(converted::<std::io::Error>)
            .or_else(converted::<serde_json::Error>)
            .unwrap_or_else(Self::around)
    }
}

/// Converts the error if it has this type.
fn converted<E: StdError + Into<OperationError> + 'static>(
    error: Box<dyn StdError + Send + Sync>,
) -> Result<OperationError, Box<dyn StdError + Send + Sync>> {
    error.downcast::<E>().map(|error| (*error).into())
}

impl OperationError {
    /// Makes an error with an error of another type as its source.
    fn around(error: Box<dyn StdError + Send + Sync>) -> Self {
        let message = error.to_string();
        // An error that is only text becomes the message, and needs no source.
        if error.source().is_none() && format!("{error:?}") == format!("{message:?}") {
            return Self::new(OperationErrorKind::Other, message);
        }
        let mut around = Self::new(OperationErrorKind::Other, message);
        let mut cause = error.source();
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<Self>() {
                (around.kind, around.status, around.retry_after) = (error.kind, error.status, error.retry_after);
                break;
            }
            if let Some(error) = error.downcast_ref::<std::io::Error>() {
                around.kind = kind_of(error);
                break;
            }
            cause = error.source();
        }
        around.with_source(error)
    }
}

fn kind_of(error: &std::io::Error) -> OperationErrorKind {
    match error.kind() {
        std::io::ErrorKind::NotFound => OperationErrorKind::NotFound,
        std::io::ErrorKind::PermissionDenied => OperationErrorKind::Denied,
        std::io::ErrorKind::TimedOut => OperationErrorKind::Timeout,
        _ => OperationErrorKind::Other,
    }
}

impl From<std::io::Error> for OperationError {
    fn from(error: std::io::Error) -> Self {
        Self::new(kind_of(&error), error.to_string()).with_source(error)
    }
}

impl From<serde_json::Error> for OperationError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(OperationErrorKind::InvalidRequest, error.to_string()).with_source(error)
    }
}

/// For nested operations, such as a tool that runs an agent. The error of an operation passes unchanged. Any other
/// error of a run, such as an abort, becomes the source of an error of the kind [`Other`](OperationErrorKind::Other).
/// If the retries are used up, the kind is the kind of the last failure.
impl From<RunError> for OperationError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Operation(error) => error,
            error => {
                let kind = error.failure().map_or(OperationErrorKind::Other, |failure| failure.kind);
                Self::new(kind, error.to_string()).with_source(error)
            }
        }
    }
}

impl From<String> for OperationError {
    fn from(message: String) -> Self {
        Self::new(OperationErrorKind::Other, message)
    }
}

impl From<&str> for OperationError {
    fn from(message: &str) -> Self {
        Self::new(OperationErrorKind::Other, message)
    }
}

/// The error of a guarded operation or of a run.
///
/// Each variant displays the inner error unchanged, so the message shows which rail decided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A rail aborted.
    #[error(transparent)]
    Abort(#[from] RailAbortError),
    /// A rail that fails closed has faulted: see [`OnFault`](crate::OnFault).
    #[error(transparent)]
    Fault(#[from] RailFault),
    /// A rail asked for a retry, and no retry was left.
    #[error(transparent)]
    RetriesExhausted(#[from] RetriesExhausted),
    /// The operation failed and no rail rescued it.
    #[error(transparent)]
    Operation(#[from] OperationError),
    /// The agent took more steps than its limit allows.
    #[error("the agent took {limit} steps without an answer")]
    StepLimit {
        /// The limit.
        limit: u32,
    },
    /// Too many runs are inside each other, for example because an agent is a tool of itself. The error ends all runs
    /// around it, even where a tool would report an error to its model.
    #[error("too many runs are nested")]
    TooDeep(#[from] DepthLimit),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// The operation has ended but kept its permit for a second. It may still be running, so the guard does not accept its
    /// result.
    #[error("the operation after {event} ended but kept its permit")]
    PermitKept {
        /// The event whose rails allowed the operation.
        event: HookPoint,
    },
}

/// The reason why a run inside other runs does not start: see [`RunError::TooDeep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at most {limit} runs can be nested")]
#[non_exhaustive]
pub struct DepthLimit {
    /// The greatest number of runs inside each other.
    pub limit: u32,
}

impl DepthLimit {
    /// Returns the limit that an operation met, directly or in a run inside it.
    pub(crate) fn met_by(error: &OperationError) -> Option<Self> {
        let mut cause = StdError::source(error);
        while let Some(error) = cause {
            if let Some(limit) = error.downcast_ref::<Self>() {
                return Some(*limit);
            }
            cause = error.source();
        }
        None
    }
}

impl RunError {
    /// Returns the failure of the model or the tool that ended the run. This is the error of an operation that no rail
    /// rescued. If the retries are used up, it is the error of the last attempt.
    ///
    /// A service can choose its response by this failure:
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// fn status(error: &RunError) -> u16 {
    ///     match error.failure().map(|failure| failure.kind) {
    ///         Some(OperationErrorKind::RateLimited) => 429,
    ///         Some(OperationErrorKind::Timeout | OperationErrorKind::Unavailable) => 503,
    ///         _ if matches!(error, RunError::Abort(_)) => 403,
    ///         _ => 500,
    ///     }
    /// }
    ///
    /// #[rail(on = [LlmError])]
    /// fn once_more(error: &OperationError) -> RailAction { RailAction::retry(error.message.clone()) }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let busy = |_| async { Err::<ModelResponse, _>(OperationError::new(OperationErrorKind::RateLimited, "slow down")) };
    /// let mut ctx = RunContext::new("demo");
    /// let result = rail_chain![once_more].guard_llm_call(ModelCallInputs::default(), &mut ctx, busy).await;
    /// assert_eq!(status(&result.unwrap_err()), 429);
    /// # }
    /// ```
    #[must_use]
    pub fn failure(&self) -> Option<&OperationError> {
        match self {
            Self::Operation(error) => Some(error),
            Self::RetriesExhausted(exhausted) => exhausted.failure.as_deref(),
            _ => None,
        }
    }

    /// Returns the suspension if a rail suspended the run: see [`RailAction::suspend`](crate::RailAction::suspend).
    #[must_use]
    pub fn suspension(&self) -> Option<&Suspension> {
        match self {
            Self::Abort(abort) => abort.suspension(),
            _ => None,
        }
    }

    /// Returns the question and the rail that asks it, if a rail suspended the run.
    #[must_use]
    pub fn open_question(&self) -> Option<OpenQuestion> {
        match self {
            Self::Abort(abort) => abort.open_question(),
            _ => None,
        }
    }
}
