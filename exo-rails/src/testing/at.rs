//! Runs the rails of one event.

use std::fmt;

use crate::action::Allowed;
use crate::chain::{ServesEvent, enter};
use crate::context::{RunContext, StopKind, StoppedBy};
use crate::decision::{Decision, Outcome};
use crate::event::Payloads;
use crate::testing::owned::{IntoOwnedPayload, OwnedPayload};
use crate::testing::shown;
use crate::testing::trace::Trace;
use crate::testing::traced::Traced;

/// Runs the rails of one event in a new context.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::testing;
///
/// #[rail(on = [PostToolCall])]
/// fn redact(output: &mut ToolOutput) {
///     output.content = output.content.replace("sk-live-4711", "[key]");
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let payload = (ToolCallInputs::new("read_file"), ToolOutput::text("key = sk-live-4711"));
/// let read = testing::at::<PostToolCall>(&rail_chain![redact], payload).await;
/// assert_eq!(read.assert_continued().payload.1.content, "key = [key]");
/// # }
/// ```
pub async fn at<E: OwnedPayload>(
    // name the event: `at::<PreToolCall>(…)`
    rails: &impl ServesEvent<E>,
    payload: impl IntoOwnedPayload<E, Itself: Sized> + Send,
) -> Decided<E> {
    at_in(rails, payload, &mut RunContext::new("testing")).await
}

/// Runs the rails of one event in your context. For example, the context can have a session, or values of earlier rails in
/// `ctx.run`.
pub async fn at_in<E: OwnedPayload>(
    // name the event: `at_in::<PreToolCall>(…)`
    rails: &impl ServesEvent<E>,
    payload: impl IntoOwnedPayload<E, Itself: Sized> + Send,
    ctx: &mut RunContext,
) -> Decided<E> {
    let (mut payload, rails) = (payload.into_owned(), Traced::new(rails));
    let outcome = enter::<E, _>(&rails, E::lend(&mut payload), ctx.for_rails()).await;
    Decided { outcome, payload, trace: rails.trace().clone() }
}

/// The decision of the rails of one event, and the payload afterwards.
#[non_exhaustive]
pub struct Decided<E: OwnedPayload> {
    /// The decision, or the fault of a rail that could not decide.
    pub outcome: Outcome<E>,
    /// The payload with the changes of the rails.
    pub payload: E::Owned,
    /// The trace of the event. It has the changes of the rails.
    pub trace: Trace,
}

impl<E: OwnedPayload> Decided<E> {
    /// Asserts that every rail continued.
    ///
    /// # Panics
    /// Panics if a rail did not continue.
    #[track_caller]
    pub fn assert_continued(&self) -> &Self {
        self.hold(StoppedBy::of::<E>(&self.outcome).is_none(), || "expected that every rail continues".to_owned())
    }

    /// Asserts that a rail skipped, with a reason that contains this text.
    ///
    /// # Panics
    /// Panics if no rail skipped, or if the reason does not contain the text.
    #[track_caller]
    pub fn assert_skipped(&self, reason: &str) -> &Self {
        self.assert_stopped(StopKind::Skip, reason)
    }

    /// Asserts that a rail skipped with this substitute.
    ///
    /// # Panics
    /// Panics if no rail skipped, or if the substitute differs.
    #[track_caller]
    pub fn assert_skipped_with(&self, expected: &<E as Payloads>::Substitute) -> &Self
    where
        <E as Payloads>::Substitute: PartialEq + fmt::Debug,
    {
        let substitute = match &self.outcome {
            Ok(Decision::Skip(skip)) => skip.get().substitute.as_ref(),
            _ => None,
        };
        self.hold(substitute == Some(expected), || format!("expected a skip with {expected:?}, not {substitute:?}"))
    }

    /// Asserts that a rail asked for a retry, with a reason that contains this text. The [`outcome`](Self::outcome) has the
    /// delay and the number of retries.
    ///
    /// # Panics
    /// Panics if no rail asked for a retry, or if the reason does not contain the text.
    #[track_caller]
    pub fn assert_retried(&self, reason: &str) -> &Self {
        self.assert_stopped(StopKind::Retry, reason)
    }

    /// Asserts that a rail aborted, with a reason that contains this text.
    ///
    /// # Panics
    /// Panics if no rail aborted, or if the reason does not contain the text.
    #[track_caller]
    pub fn assert_aborted(&self, reason: &str) -> &Self {
        self.assert_stopped(StopKind::Abort, reason)
    }

    /// Asserts that a rail faulted, with a cause that contains this text.
    ///
    /// # Panics
    /// Panics if no rail faulted, or if the cause does not contain the text.
    #[track_caller]
    pub fn assert_faulted(&self, cause: &str) -> &Self {
        self.assert_stopped(StopKind::Fault, cause)
    }

    /// Asserts that this rail stopped the event.
    ///
    /// # Panics
    /// Panics if another rail stopped the event, or if every rail continued.
    #[track_caller]
    pub fn assert_by(&self, rail: &str) -> &Self {
        let is_it = StoppedBy::of::<E>(&self.outcome).is_some_and(|stopped| stopped.rail_name == rail);
        self.hold(is_it, || format!("expected that `{rail}` decides"))
    }

    #[track_caller]
    fn assert_stopped(&self, how: StopKind, reason: &str) -> &Self {
        let stopped = StoppedBy::of::<E>(&self.outcome);
        let is_it = stopped.is_some_and(|stopped| stopped.how == how && stopped.reason.as_str().contains(reason));
        self.hold(is_it, || format!("expected that a rail {}, with {reason:?}", shown::does(how)))
    }

    #[track_caller]
    fn hold(&self, holds: bool, expected: impl FnOnce() -> String) -> &Self {
        self.trace.hold(holds, || format!("{}\nthe payload is {:?}", expected(), self.payload));
        self
    }
}

impl<E: OwnedPayload> fmt::Debug for Decided<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stopped = StoppedBy::of::<E>(&self.outcome);
        f.debug_struct("Decided").field("stopped", &stopped).field("payload", &self.payload).finish_non_exhaustive()
    }
}
