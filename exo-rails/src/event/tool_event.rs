//! The events of a tool call.

use crate::event::Payloads;
use crate::event::types::{PostToolCall, PreToolCall, ToolError};
use crate::message::ToolCallInputs;

/// Events of a tool call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event of a tool call, so a rail on it cannot be for a tool",
    label = "not an event of a tool call",
    note = "a rail with `tool = \"…\"` is on `PreToolCall`, `PostToolCall` or `ToolError`"
)]
pub trait ToolEvent: Payloads {
    /// Returns the call.
    fn call<'p>(payload: &'p Self::Payload<'_>) -> &'p ToolCallInputs;
}

/// Events at which a rail can still change the tool call.
#[diagnostic::on_unimplemented(
    message = "a rail on `{Self}` cannot change the arguments of the call",
    label = "take `&Args<_>` here",
    note = "only a rail on `PreToolCall` takes `&mut Args<_>`, because it runs before the call"
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
