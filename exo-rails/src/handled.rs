//! What `#[rail]` puts around a function that asks for more than parts of the event: a tool, its arguments, values of
//! other rails.

use std::error::Error as StdError;
use std::ops::ControlFlow;

use crate::action::RailOutput;
use crate::decision::Outcome;
use crate::event::{Event, Payloads, PostToolCall, PreToolCall, ToolError};
use crate::fault;
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
        Self(fault::flow::<E>(caller, E::POINT, error.into()))
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
    fn flow(self, _: &Caller, _: HookPoint) -> ControlFlow<Outcome<E>> {
        self.0
    }
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
