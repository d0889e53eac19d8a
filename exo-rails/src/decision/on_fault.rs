//! The effects of a fault.

use crate::error::RailFault;
use crate::event::{AllowsSkip, Payloads};

/// The effect of a rail's fault: `#[rail(on_fault = "…")]`.
///
/// A rail faults in these cases:
///
/// - The rail returns an `Err`.
/// - The rail takes longer than its `timeout`.
/// - The rail panics and has `on_panic = "fault"`.
/// - A parameter of the rail has no value: the arguments of the tool call do not fit their type, or no earlier rail has
///   provided the value.
///
/// The effect is the same in all these cases. It depends on `on_fault` and on the kind of rail:
///
/// | the rail | without `on_fault` | `"abort"` | `"skip"` | `"continue"` |
/// |---|---|---|---|---|
/// | decides: it returns a `Verdict` or an action | the run ends | the run ends | the event is skipped | the rails go on |
/// | takes what the event carries, or the arguments of a tool, by `&mut` | the run ends | the run ends | the event is skipped | the rails go on |
/// | `provides` values | the run ends | the run ends | the event is skipped | does not compile |
/// | only observes | the rails go on | the run ends | the event is skipped | the rails go on |
/// | is `always` called | the rails go on | does not compile | does not compile | the rails go on |
/// | is a plain hook | the run ends | | | |
///
/// The meaning of these effects depends on the event:
///
/// | | before an operation | after it | after its failure |
/// |---|---|---|---|
/// | | `Start`, `PreLlmCall`, `PreToolCall` | `PostLlmCall`, `PostToolCall`, `Finished` | `LlmError`, `ToolError` |
/// | the run ends | the operation does not happen | its result is withheld | the run ends with the fault, and not with the failure |
/// | the event is skipped | the operation does not happen, and its result reports the fault | its result is accepted unchanged | the failure stays unchanged |
/// | the rails go on | as if the rail had continued | as if the rail had continued | as if the rail had continued |
///
/// - **The run ends** with [`RunError::Fault`](crate::RunError::Fault), and the rails of
///   [`Error`](struct@crate::events::Error) receive this error. No other rail of the event runs.
/// - **The event is skipped** as by [`RailAction::skip`](crate::RailAction::skip): no other rail of the event runs. The
///   rails after the operation run, and the run goes on. The model reads the fault as the output of a skipped tool call. A
///   skipped model call returns an empty answer, which ends an agent's run. The `extra` of this answer has the fault.
/// - **The rails go on** with the payload as the rail has changed it so far. Changes through `&mut Args<T>` count too. A rail
///   that must not leave half of a change makes it in one step, after it has waited.
/// - The rails that are [always called](macro@crate::rail#rails-that-are-always-called) run in each case.
/// - At `Error`, `Suspended`, `SessionEnd` and `Dropped`, the run or the session ends anyway. The rails go on whatever
///   `on_fault` is, so each of them observes the event, and the error of the run stays the same. `"skip"` does not compile
///   there.
///
/// The library reports each of these faults as one `tracing` event with the rail, the event and the cause. The level is a
/// warning if the rails go on, and otherwise an error.
///
/// With `on_panic = "fault"`, the library also catches a panic in these moments:
///
/// - when the library drops the rail and its values at the time-out,
/// - when the library drops the payload of another panic,
/// - when the library displays the error of the rail,
/// - when the guard set drops the error of the rail.
///
/// With `"abort"`, the error of the run contains the error of the rail. So the library does not catch the panic of this
/// error when your code drops it. A panic during another panic ends the process.
///
/// These are not faults:
///
/// - A panic without `on_panic = "fault"`. It unwinds through the operation, which does not happen, and through the run.
///   The rails of `Error` do not run. Under [`guard_run`](crate::Guard::guard_run), the rails of
///   [`Dropped`](crate::events::Dropped) run, because the panic drops the run. Guarded runs and sessions catch a panic of a
///   rail of `Error`, `Suspended`, `SessionEnd` or `Dropped`, and report it as a `tracing` warning.
/// - A call that blocks its thread for longer than the `timeout`. A `timeout` ends a rail only where the rail awaits. It
///   needs the timer of the tokio runtime.
///
/// A rail that takes the union `Inputs<'_>` by value counts as a rail that takes what the event carries by `&mut`. A rail
/// that only observes takes `&Inputs<'_>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnFault {
    /// The run ends with the fault: the rail fails closed.
    Abort,
    /// The event is skipped without a substitute. The reason of the skip names the fault.
    Skip,
    /// The rails go on: the rail fails open.
    Continue,
}

/// Reports the fault of a rail in shadow to `tracing`. The library also reports it as a decision.
#[cold]
pub(crate) fn report_in_shadow(fault: &RailFault) {
    let (rail, event, cause) = (fault.rail_name.as_str(), fault.event.name(), &fault.cause);
    tracing::info!(rail, event, %cause, "a rail in shadow faulted; the run goes on");
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

/// Events at which a fault can skip: `#[rail(on_fault = "skip")]`.
#[diagnostic::on_unimplemented(
    message = "a rail on `{Self}` cannot skip",
    label = "not at `{Self}`",
    note = "write `on_fault = \"continue\"`: the library reports the fault, and the run continues"
)]
pub trait CanSkip: Payloads {
    /// The effect of a fault.
    const ON_FAULT: OnFault;
}

#[diagnostic::do_not_recommend]
impl<E: AllowsSkip> CanSkip for E {
    const ON_FAULT: OnFault = OnFault::Skip;
}
