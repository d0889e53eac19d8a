//! What happens when a rail faults.

use crate::decision::placed_rail::PlacedRail;
use crate::error::{FaultCause, RailFault};
use crate::event::{AllowsSkip, Payloads};
use crate::point::HookPoint;

/// What a fault of a rail does: `#[rail(on_fault = "…")]`.
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
/// - **The rails go on**, with what the rail has changed until then: in the parts of the event and in `&mut Args<T>` alike. A
///   rail that is not to leave half of a change makes it in one step, after it has waited.
/// - Rails that are [always called](macro@crate::rail#rails-that-are-always-called) are called in each case.
/// - At `Error` and `SessionEnd` nothing is left to end: the rails go on, so that each of them is told, and the error
///   stays what it is. `"skip"` does not compile there.
///
/// Each of these faults is one `tracing` event with the rail, the event and the cause: a warning where the rails go on,
/// otherwise an error.
///
/// With `on_panic = "fault"`, these go no further either: the panic of what the rail drops when it is dropped at its time-out,
/// of a panic's payload when it is dropped, of an error when it is shown, and of an error when the guard set drops it. With
/// `"abort"`, the error of the rail is in the error of the run, and whoever has that drops it. A panic during another panic ends
/// the process.
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

/// Reports a fault to `tracing`.
#[cold]
pub(crate) fn report(fault: &RailFault, on_fault: OnFault) {
    let (rail, event, cause) = (fault.rail_name.as_str(), fault.event.name(), &fault.cause);
    match on_fault {
        OnFault::Abort => tracing::error!(rail, event, %cause, "a rail faulted; the run ends"),
        OnFault::Skip => tracing::error!(rail, event, %cause, "a rail faulted; the operation is skipped"),
        OnFault::Continue => tracing::warn!(rail, event, %cause, "a rail faulted; the run goes on"),
    }
}

impl RailFault {
    /// The fault of a rail with this cause. An error that is itself a fault stays as it is: a rail that asks other rails
    /// does not hide which of them it was.
    #[cold]
    pub(crate) fn of(rail: &PlacedRail, point: HookPoint, cause: FaultCause) -> Self {
        let cause = match cause {
            FaultCause::Error(error) => match error.downcast() {
                Ok(fault) => return *fault,
                Err(error) => FaultCause::Error(error),
            },
            cause => cause,
        };
        Self { rail_name: rail.name.clone(), event: point, cause }
    }
}

/// Events at which a fault can skip: `#[rail(on_fault = "skip")]`.
#[diagnostic::on_unimplemented(
    message = "at `{Self}` there is nothing to skip",
    label = "not at `{Self}`",
    note = "write `on_fault = \"continue\"`: the fault is reported, and the run goes on"
)]
pub trait CanSkip: Payloads {
    /// What a fault does.
    const ON_FAULT: OnFault;
}

#[diagnostic::do_not_recommend]
impl<E: AllowsSkip> CanSkip for E {
    const ON_FAULT: OnFault = OnFault::Skip;
}
