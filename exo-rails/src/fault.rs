//! Faults: rails that could not decide. Never confused with a decision.

use std::error::Error as StdError;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::decision::{Decision, Outcome};
use crate::event::Payloads;
use crate::hook_point::HookPoint;
use crate::rail::Caller;
use crate::reason::Reason;

/// A rail could not decide.
///
/// A rail that can decide, or that can change what the event carries, and faults ends the run with this error: it
/// fails closed. A rail that can only observe is reported as a `tracing` warning and the run goes on, because no
/// guard was lost. All that a fault can come to, and how to say otherwise for one rail, is in the table of [`OnFault`].
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 20, on = [PreToolCall])]
/// fn policy(_call: &ToolCallInputs) -> Result<RailAction, std::io::Error> {
///     Err(std::io::Error::other("the policy server is down"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let rails = rail_chain![policy];
/// let mut call = ToolCallInputs::new("delete_file");
/// let fault = rails.dispatch::<PreToolCall>(&mut call, &mut RailContext::new("demo")).await.unwrap_err();
/// assert_eq!(fault.rail_name, "policy");
/// assert_eq!(fault.to_string(), "rail `policy` faulted at pre_tool_call: the policy server is down");
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[error("rail `{rail_name}` faulted at {event}: {cause}")]
#[non_exhaustive]
pub struct RailFault {
    /// The rail, or the type of the hook.
    pub rail_name: &'static str,
    /// The event at which it faulted.
    pub event: HookPoint,
    /// What happened.
    #[source]
    pub cause: FaultCause,
}

/// What kept a rail from deciding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaultCause {
    /// It returned this error.
    #[error(transparent)]
    Error(Box<dyn StdError + Send + Sync>),
    /// It took longer than its `timeout`.
    #[error("it took longer than {limit:?}")]
    Timeout {
        /// How long it may take.
        limit: Duration,
    },
    /// It panicked, and has `on_panic = "fault"`.
    #[error("it panicked: {message}")]
    Panic {
        /// What the panic says.
        message: String,
    },
    /// A plain hook, whose types the compiler cannot hold against the event, took an action that the event
    /// does not allow.
    #[error("{event} does not allow a hook to {action}")]
    IllegalAction {
        /// The event.
        event: HookPoint,
        /// The action: `skip`, `retry` or `abort`.
        action: &'static str,
    },
    /// A plain hook skipped with a substitute that is not what the operation yields.
    #[error("the substitute of a skip at {event} has the wrong type: `{expected}` belongs there")]
    WrongSubstitute {
        /// The event.
        event: HookPoint,
        /// The type that belongs there.
        expected: &'static str,
    },
}

impl RailFault {
    /// A fault of this rail at this event: for guard sets and hooks of your own.
    pub fn new(rail_name: &'static str, event: HookPoint, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { rail_name, event, cause: FaultCause::Error(error.into()) }
    }

    /// The fault of a rail with this cause. An error that is itself a fault stays as it is: a rail that asks other rails
    /// does not hide which of them it was.
    #[cold]
    pub(crate) fn of(caller: &Caller, point: HookPoint, cause: FaultCause) -> Self {
        let cause = match cause {
            FaultCause::Error(error) => match error.downcast() {
                Ok(fault) => return *fault,
                Err(error) => FaultCause::Error(error),
            },
            cause => cause,
        };
        Self { rail_name: caller.info.name, event: point, cause }
    }
}

/// What a fault of a rail comes to: `#[rail(on_fault = "…")]`.
///
/// A rail faults when it returns an `Err`, when it takes longer than its `timeout`, when it panics and has
/// `on_panic = "fault"`, and when what it asks for is not there: arguments of a tool that fit their type, a value that
/// an earlier rail was to provide. What comes of it is the same for all of these:
///
/// | the rail | without it | `"abort"` | `"skip"` | `"continue"` |
/// |---|---|---|---|---|
/// | decides: it returns a `Verdict` or an action | the run ends | the run ends | the event is skipped | the rails go on |
/// | takes what the event carries, or the arguments of a tool, by `&mut` | the run ends | the run ends | the event is skipped | the rails go on |
/// | `provides` values | the run ends | the run ends | the event is skipped | does not compile |
/// | only looks | the rails go on | the run ends | the event is skipped | the rails go on |
/// | is `always` called | the rails go on | does not compile | does not compile | the rails go on |
/// | is a plain hook | the run ends | | | |
///
/// What that means depends on where the rail stands:
///
/// | | before an operation | after it | when it has failed |
/// |---|---|---|---|
/// | | `Start`, `PreLlmCall`, `PreToolCall` | `PostLlmCall`, `PostToolCall`, `Finished` | `LlmError`, `ToolError` |
/// | the run ends | the operation does not happen | its result is withheld | the fault is the error, and not the failure |
/// | the event is skipped | the operation does not happen; what stands in for its result tells of the fault | its result is accepted as it stands | the failure goes on as it is |
/// | the rails go on | as if the rail had continued | as if it had continued | as if it had continued |
///
/// - **The run ends** with [`RunError::Fault`](crate::RunError::Fault), and the rails of
///   [`Error`](struct@crate::events::Error) are told. No other rail of the event is called.
/// - **The event is skipped** as by [`RailAction::skip`](crate::RailAction::skip): no other rail of it is called, those
///   after the operation are, and the run goes on. In the place of a tool's output the model is told of the fault; in the
///   place of an answer there is an empty one, which ends an agent's run, and whose `extra` tells of it.
/// - **The rails go on**, with what the rail has changed until then.
/// - Rails that are [always called](macro@crate::rail#rails-that-are-always-called) are called in each case.
/// - At `Error` and `SessionEnd` nothing is left to end: the rails go on, so that each of them is told, and the error
///   stays what it is. `"skip"` does not compile there.
///
/// Each of these faults is one `tracing` event with the rail, the event and the cause: a warning where the rails go on,
/// otherwise an error.
///
/// What is no fault:
///
/// - A panic without `on_panic = "fault"`. It unwinds through the operation, which does not happen, and through the
///   run: nobody is told.
/// - The time of what blocks its thread. A `timeout` ends a rail where it waits. It needs the timer of the tokio
///   runtime.
///
/// A rail that takes the union `Inputs<'_>` by value may change what is in it; one that only looks takes `&Inputs<'_>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnFault {
    /// The run ends with the fault: the rail fails closed.
    Abort,
    /// The event is skipped, without a substitute; the reason says what happened.
    Skip,
    /// The rails go on: the rail fails open.
    Continue,
}

/// What the fault of a rail comes to.
#[cold]
pub(crate) fn flow<E: Payloads>(caller: &Caller, point: HookPoint, cause: FaultCause) -> ControlFlow<Outcome<E>> {
    let fault = RailFault::of(caller, point, cause);
    // Where nothing is left to end, whoever comes later is to be told as well.
    let on_fault = if point.is_the_end() { OnFault::Continue } else { caller.on_fault };
    report(&fault, on_fault);
    match on_fault {
        OnFault::Abort => ControlFlow::Break(Err(fault)),
        OnFault::Continue => ControlFlow::Continue(()),
        OnFault::Skip => {
            let reason = Reason::new(fault.to_string());
            ControlFlow::Break(Ok(Decision::Skip { by: caller.info, reason, substitute: None }))
        }
    }
}

/// Tells `tracing` of a fault, whatever comes of it.
#[cold]
pub(crate) fn report(fault: &RailFault, on_fault: OnFault) {
    let (rail, event, cause) = (fault.rail_name, fault.event.name(), &fault.cause);
    match on_fault {
        OnFault::Abort => tracing::error!(rail, event, %cause, "a rail faulted; the run ends"),
        OnFault::Skip => tracing::error!(rail, event, %cause, "a rail faulted; the operation is skipped"),
        OnFault::Continue => tracing::warn!(rail, event, %cause, "a rail faulted; the run goes on"),
    }
}
