//! A guard set that records a trace.

use crate::chain::{Serves, forward_to};
use crate::context::{RailContext, StoppedBy};
use crate::decision::Outcome;
use crate::event::changes::{changeable, differences};
use crate::event::{Event, Inputs};
use crate::guard_set::Meets;
use crate::testing::trace::Trace;
use crate::testing::trace_entry::TracedEvent;

/// A wrapper around a guard set that records each event and the decision of its rails. It does not decide anything itself.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::StopKind;
/// use exo_rails::testing::Traced;
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn no_shell(call: &ToolCallInputs) -> RailAction {
///     if call.tool_name == "shell" { RailAction::skip("no shell") } else { RailAction::Continue }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let rails = Traced::new(rail_chain![no_shell]);
/// // An agent, or your own loop:
/// let tool = |_call| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
/// rails.guard_tool_call(ToolCallInputs::new("shell"), &mut RunContext::new("demo"), tool).await?;
///
/// rails.trace().assert_events([HookPoint::PreToolCall, HookPoint::PostToolCall]);
/// rails.trace().assert_decisions([(HookPoint::PreToolCall, StopKind::Skip, "no_shell")]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Traced<R> {
    rails: R,
    trace: Trace,
}

impl<R> Traced<R> {
    /// Wraps a guard set, with an empty trace.
    pub fn new(rails: R) -> Self {
        Self { rails, trace: Trace::default() }
    }

    /// Returns the trace.
    pub const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the guard set inside.
    pub const fn rails(&self) -> &R {
        &self.rails
    }
}

impl<P, R: Meets<P>> Meets<P> for Traced<R> {}

impl<E: Event, R: Serves<E>> Serves<E> for Traced<R> {
    forward_to!(self => &self.rails; entered, surround, run_always_rails);

    async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        let inputs = E::inputs(E::reborrow(&mut payload));
        let (before, tool) = (changeable(&inputs), tool_of(&inputs));
        let place = self.trace.begin(TracedEvent::new(E::POINT, tool, ctx));
        let outcome = self.rails.run_rails(E::reborrow(&mut payload), ctx).await;
        let changes = differences(&before, &changeable(&E::inputs(payload)));
        self.trace.end(place, StoppedBy::of::<E>(&outcome), changes);
        outcome
    }
}

/// Returns the name of the tool, for the events of a tool call.
fn tool_of(inputs: &Inputs<'_>) -> Option<String> {
    match inputs {
        Inputs::PreToolCall(call) => Some(call.tool_name.clone()),
        Inputs::PostToolCall(call, _) | Inputs::ToolError(call, _) => Some(call.tool_name.clone()),
        _ => None,
    }
}
