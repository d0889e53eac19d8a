//! The entries of a trace.

use crate::context::{RailContext, StoppedBy};
use crate::message::{Messages, StreamPiece, ToolCallInputs};
use crate::point::HookPoint;

/// One entry of a [`Trace`](super::Trace).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TraceEntry {
    /// An event fired.
    Fired(TracedEvent),
    /// The model was called with these messages.
    ModelAsked(Messages),
    /// A tool ran with this call.
    ToolRan(ToolCallInputs),
    /// A piece of a streamed answer arrived. Its position in the trace is the moment when the test took it from the stream.
    /// The stream may have produced it earlier.
    Streamed(StreamPiece),
    /// A note of the program that runs the test: see [`Trace::note`](super::Trace::note).
    Noted(String),
}

/// One event, and the effects of its rails.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TracedEvent {
    /// The point of the event.
    pub point: HookPoint,
    /// The [step](RailContext::step) of the run.
    pub step: u32,
    /// The [attempt](RailContext::attempt) of the operation.
    pub attempt: u32,
    /// The name of the tool, for the events of a tool call.
    pub tool: Option<String>,
    /// Whether the rails of the event have finished. `false` if the run was dropped while they ran.
    pub has_ended: bool,
    /// How a rail stopped the event. `None` if every rail continued.
    pub stopped: Option<StoppedBy>,
    /// The changes of the rails in the payload, each as `path: before -> after`, in JSON.
    pub changes: Vec<String>,
}

impl TracedEvent {
    pub(super) fn new(point: HookPoint, tool: Option<String>, ctx: &RailContext) -> Self {
        let (step, attempt) = (ctx.step(), ctx.attempt());
        Self { point, step, attempt, tool, has_ended: false, stopped: None, changes: Vec::new() }
    }
}
