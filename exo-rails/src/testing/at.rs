//! One event.

use std::fmt;

use crate::action::Allowed;
use crate::chain::{ServesEvent, enter};
use crate::context::{RunContext, StopKind, StoppedBy};
use crate::decision::{Decision, Outcome};
use crate::event::Payloads;
use crate::testing::owned::OwnedPayload;
use crate::testing::shown;
use crate::testing::trace::Trace;
use crate::testing::traced::Traced;

/// Runs the rails of one event, in a context of its own.
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
pub async fn at<E: OwnedPayload>(rails: &impl ServesEvent<E>, payload: impl Into<E::Owned> + Send) -> Decided<E> {
    at_in(rails, payload, &mut RunContext::new("testing")).await
}

/// The same in a given context: with a session, with what earlier rails have left in `ctx.run`.
pub async fn at_in<E: OwnedPayload>(
    rails: &impl ServesEvent<E>,
    payload: impl Into<E::Owned> + Send,
    ctx: &mut RunContext,
) -> Decided<E> {
    let (mut payload, rails) = (payload.into(), Traced::new(rails));
    let outcome = enter::<E, _>(&rails, E::lend(&mut payload), ctx.for_rails()).await;
    Decided { outcome, payload, trace: rails.trace().clone() }
}

/// What the rails of one event decided, and what they left of its payload.
#[non_exhaustive]
pub struct Decided<E: OwnedPayload> {
    /// The decision, or the fault of a rail that could not take one.
    pub outcome: Outcome<E>,
    /// The payload as the rails have left it.
    pub payload: E::Owned,
    /// The event, with what the rails have changed.
    pub trace: Trace,
}

impl<E: OwnedPayload> Decided<E> {
    /// Asserts that every rail continued.
    ///
    /// # Panics
    /// When one did not.
    #[track_caller]
    pub fn assert_continued(&self) -> &Self {
        self.hold(StoppedBy::of::<E>(&self.outcome).is_none(), || "expected that every rail continues".to_owned())
    }

    /// Asserts that a rail skipped, for a reason with this text in it.
    ///
    /// # Panics
    /// When it is otherwise.
    #[track_caller]
    pub fn assert_skipped(&self, reason: &str) -> &Self {
        self.assert_stopped(StopKind::Skip, reason)
    }

    /// Asserts that a rail skipped with this substitute.
    ///
    /// # Panics
    /// When it is otherwise.
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

    /// Asserts that a rail asked for a retry, for a reason with this text in it. How often and when stands in the
    /// [`outcome`](Self::outcome).
    ///
    /// # Panics
    /// When it is otherwise.
    #[track_caller]
    pub fn assert_retried(&self, reason: &str) -> &Self {
        self.assert_stopped(StopKind::Retry, reason)
    }

    /// Asserts that a rail aborted, for a reason with this text in it.
    ///
    /// # Panics
    /// When it is otherwise.
    #[track_caller]
    pub fn assert_aborted(&self, reason: &str) -> &Self {
        self.assert_stopped(StopKind::Abort, reason)
    }

    /// Asserts that a rail faulted, with this text in its cause.
    ///
    /// # Panics
    /// When it is otherwise.
    #[track_caller]
    pub fn assert_faulted(&self, cause: &str) -> &Self {
        self.assert_stopped(StopKind::Fault, cause)
    }

    /// Asserts that it was this rail that stopped the event.
    ///
    /// # Panics
    /// When it was another, or none.
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
