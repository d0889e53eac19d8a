//! What `#[rail]` puts around a function that asks for more than parts of the event: a tool, its arguments, values of
//! other rails.

use std::error::Error as StdError;
use std::ops::ControlFlow;

use crate::action::RailOutput;
use crate::checks::ReturnedAt;
use crate::decision::Outcome;
use crate::event::{Event, Payloads, PostToolCall, PreToolCall, ToolError};
use crate::fault;
use crate::hook_point::HookPoint;
use crate::payload::ToolCallInputs;
use crate::rail::Caller;

/// What comes of such a rail.
#[derive(Debug)]
pub enum Handled<O> {
    /// The event is about another tool: the rail was not called.
    NotAsked,
    /// What it asks for is not there, or what it has changed cannot be kept.
    Unable(Box<dyn StdError + Send + Sync>),
    /// It was called.
    Decided(O),
}

#[diagnostic::do_not_recommend]
impl<E: Event, O: ReturnedAt<E, E::Returns>> RailOutput<E> for Handled<O> {
    const DECIDES: bool = O::DECIDES;

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        match self {
            Self::NotAsked => ControlFlow::Continue(()),
            Self::Unable(error) => fault::flow::<E>(caller, point, error),
            Self::Decided(output) => output.flow(caller, point),
        }
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
