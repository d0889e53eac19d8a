//! What `#[rail]` puts around a function that asks for more than parts of the event: a tool, its arguments, values of
//! other rails.

use std::any::Any;
use std::error::Error as StdError;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::action::RailOutput;
use crate::decision::Outcome;
use crate::event::{Event, Payloads, PostToolCall, PreToolCall, ToolError};
use crate::fault::{self, FaultCause};
use crate::hook_point::HookPoint;
use crate::payload::ToolCallInputs;
use crate::rail::Caller;

/// What comes of such a rail.
///
/// Its type says nothing of what the rail returns: what is wrong with that is told inside the call, and a chain that
/// lists the rail does not tell it again.
pub struct Handled<E: Payloads>(ControlFlow<Outcome<E>>);

impl<E: Event> Handled<E> {
    /// The event is about another tool: the rail was not called.
    pub const NOT_ASKED: Self = Self(ControlFlow::Continue(()));

    /// What it asks for is not there, or what it has changed cannot be kept.
    pub fn unable(caller: &Caller, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::faulted(caller, FaultCause::Error(error.into()))
    }

    /// It did not come to an end, or not in time.
    #[must_use]
    pub fn faulted(caller: &Caller, cause: FaultCause) -> Self {
        Self(fault::flow::<E>(caller, E::POINT, cause))
    }

    /// It was called.
    pub const fn decided(flow: ControlFlow<Outcome<E>>) -> Self {
        Self(flow)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for Handled<E> {
    /// Whether it does is known to the rail: it is part of `RailOn::CHANGES`.
    const DECIDES: bool = false;

    #[inline(always)]
    fn continues(&self) -> bool {
        self.0.is_continue()
    }

    #[inline(always)]
    fn flow(self, _: &Caller, _: HookPoint) -> ControlFlow<Outcome<E>> {
        self.0
    }
}

/// Waits for a rail, as long as it may take.
///
/// # Errors
/// When it takes longer; it is then dropped.
pub async fn within<F: Future>(limit: Duration, rail: F) -> Result<F::Output, FaultCause> {
    tokio::time::timeout(limit, rail).await.map_err(|_| FaultCause::Timeout { limit })
}

/// Waits for a rail that may panic.
///
/// # Errors
/// When it does.
pub async fn caught<F: Future>(rail: F) -> Result<F::Output, FaultCause> {
    let mut rail = pin!(rail);
    // What a rail shares with others, it shares behind locks that say when they were poisoned; and what it had of the
    // event is not used by it any more.
    poll_fn(move |task| match catch_unwind(AssertUnwindSafe(|| rail.as_mut().poll(task))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panicked(&*panic))),
    })
    .await
}

/// The same for a rail that has nothing to wait for.
///
/// # Errors
/// When it panics.
pub fn caught_at_once<O>(rail: impl FnOnce() -> O) -> Result<O, FaultCause> {
    catch_unwind(AssertUnwindSafe(rail)).map_err(|panic| panicked(&*panic))
}

fn panicked(panic: &(dyn Any + Send)) -> FaultCause {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let message = text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "with no text".to_owned());
    FaultCause::Panic { message }
}

/// Events that are about a tool call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about a tool call, so a rail on it is not for a tool",
    label = "not about a tool call",
    note = "a rail with `tool = \"…\"` is on `PreToolCall`, `PostToolCall` or `ToolError`"
)]
pub trait ToolEvent: Payloads {
    /// The call.
    fn call<'p>(payload: &'p Self::Payload<'_>) -> &'p ToolCallInputs;
}

/// Events at which a tool call can still be changed.
#[diagnostic::on_unimplemented(
    message = "at `{Self}` the arguments of the call can no longer be changed",
    label = "take `&Args<_>` here",
    note = "only `PreToolCall` is before the call: a rail on it takes `&mut Args<_>`"
)]
pub trait BeforeTool: ToolEvent {
    /// The call.
    fn call_mut<'p>(payload: &'p mut Self::Payload<'_>) -> &'p mut ToolCallInputs;
}

#[diagnostic::do_not_recommend]
impl ToolEvent for PreToolCall {
    #[inline]
    fn call<'p>(payload: &'p Self::Payload<'_>) -> &'p ToolCallInputs {
        payload
    }
}

#[diagnostic::do_not_recommend]
impl BeforeTool for PreToolCall {
    #[inline]
    fn call_mut<'p>(payload: &'p mut Self::Payload<'_>) -> &'p mut ToolCallInputs {
        payload
    }
}

#[diagnostic::do_not_recommend]
impl ToolEvent for PostToolCall {
    #[inline]
    fn call<'p>(payload: &'p Self::Payload<'_>) -> &'p ToolCallInputs {
        payload.0
    }
}

#[diagnostic::do_not_recommend]
impl ToolEvent for ToolError {
    #[inline]
    fn call<'p>(payload: &'p Self::Payload<'_>) -> &'p ToolCallInputs {
        payload.0
    }
}
