//! The events of a tool call.

use crate::event::Payloads;
use crate::event::types::{PostToolCall, PreToolCall, ToolError};
use crate::message::ToolCallInputs;

/// Events of a tool call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not about a tool call, so a rail on it is not for a tool",
    label = "not about a tool call",
    note = "a rail with `tool = \"…\"` is on `PreToolCall`, `PostToolCall` or `ToolError`"
)]
pub trait ToolEvent: Payloads {
    /// Returns the call.
    fn call<'p>(payload: &'p Self::Payload<'_>) -> &'p ToolCallInputs;
}

/// Events at which a rail can still change the tool call.
#[diagnostic::on_unimplemented(
    message = "at `{Self}` the arguments of the call can no longer be changed",
    label = "take `&Args<_>` here",
    note = "only `PreToolCall` is before the call: a rail on it takes `&mut Args<_>`"
)]
pub trait BeforeTool: ToolEvent {
    /// Returns the call by `&mut`.
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
