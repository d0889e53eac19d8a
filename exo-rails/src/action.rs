//! What a rail decides: [`RailAction`], [`Verdict`], and everything else that a rail may return.

use std::error::Error as StdError;
use std::ops::ControlFlow;
use std::time::Duration;

use serde::Serialize;

use crate::checks::{BeyondVerdict, IntoReason, IntoRetry};
use crate::decision::{Decision, Outcome};
use crate::error::RailAbortError;
use crate::event::{AllowsAbort, AllowsRetry, AllowsSkip, Payloads, SubstituteFor};
use crate::fault::{self, FaultCause};
use crate::hook_point::HookPoint;
use crate::rail::Caller;
use crate::reason::Reason;

/// What a rail decides about the operation that it guards.
///
/// `S` is what a [skip](Self::Skip) may put in the place of the operation's result: `RailAction` alone skips
/// without a substitute, `RailAction<ToolOutput>` may bring the output of the tool call that does not happen.
///
/// `R` is how it asks for a [retry](Self::Retry). At an event that does not allow one, a rail that may skip returns
/// `RailAction<S, NoRetry>`.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 15, on = [PreToolCall])]
/// fn allowed_tools(call: &ToolCallInputs) -> RailAction {
///     match call.tool_name.as_str() {
///         "search" | "calculate" => RailAction::Continue,
///         other => RailAction::skip(format!("`{other}` is not on the list of allowed tools")),
///     }
/// }
/// ```
#[must_use = "a decision that is dropped guards nothing: return it"]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum RailAction<S = NoSubstitute, R = RetryRequest> {
    /// On to the next rail, then to the operation.
    #[default]
    Continue,
    /// No further rail of this event. Before an operation, it does not happen: the substitute stands in for its
    /// result. After it, what it came to is accepted as it stands, be it a result or an error; but a substitute
    /// rescues a failure.
    Skip(Skip<S>),
    /// Wait, then do the operation again, its pre rails first.
    Retry(R),
    /// End the run with a [`RailAbortError`](crate::RailAbortError) of this reason.
    Abort(Reason),
}

impl<S, R> RailAction<S, R> {
    /// Ends the run; `reason` reaches whoever started it.
    pub fn abort(reason: impl IntoReason) -> Self {
        Self::Abort(reason.into_reason())
    }

    /// Skips the operation without a substitute.
    ///
    /// A tool call then yields an output that tells the model that it was skipped, by which rail and why; a
    /// model call an empty answer, which ends the agent's loop; a run an empty output. The latter two have a
    /// field `skipped` in their `extra`, with the rail and the reason. At
    /// [`LlmError`](crate::events::LlmError) and [`ToolError`](crate::events::ToolError) the error goes on.
    pub fn skip(reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: None })
    }

    /// Skips the operation and puts `substitute` in the place of its result.
    pub fn skip_with(substitute: S, reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: Some(substitute) })
    }
}

impl<S> RailAction<S> {
    /// Does the operation again: once and at once for a reason alone, or as the request says.
    ///
    /// ```
    /// use std::time::Duration;
    /// use exo_rails::prelude::*;
    ///
    /// let at_once: RailAction = RailAction::retry("the answer was empty");
    /// let later: RailAction = RailAction::retry(
    ///     RetryRequest::new("the service is busy").with_delay(Duration::from_secs(2)).with_max_retries(3),
    /// );
    /// ```
    pub fn retry(request: impl IntoRetry) -> Self {
        Self::Retry(request.into_retry())
    }
}

/// The content of a [`RailAction::Skip`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip<S = NoSubstitute> {
    /// Why the operation does not happen.
    pub reason: Reason,
    /// What stands in for its result.
    pub substitute: Option<S>,
}

/// The substitute of a rail that has none to offer. It has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSubstitute {}

/// The retry of a rail at an event that allows none. It has no values.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{CompactionInputs, NoRetry, NoSubstitute};
///
/// /// Short conversations stay as they are.
/// #[rail(on = [PreCompaction])]
/// fn keep_short(history: &CompactionInputs) -> RailAction<NoSubstitute, NoRetry> {
///     if history.messages.len() < 8 { RailAction::skip("it is short") } else { RailAction::Continue }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRetry {}

/// Continue or abort: for rails that only ever let through or stop, on every event that allows to abort.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [Start])]
/// fn input_length(run: &InvokeInputs) -> Verdict {
///     Verdict::abort_if(run.input.text().len() > 10_000, "the input is too long")
/// }
/// ```
#[must_use = "a verdict that is dropped guards nothing: return it"]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Verdict {
    /// On to the next rail, then to the operation.
    #[default]
    Continue,
    /// End the run with this reason.
    Abort(Reason),
}

impl Verdict {
    /// Ends the run; `reason` reaches whoever started it.
    pub fn abort(reason: impl IntoReason) -> Self {
        Self::Abort(reason.into_reason())
    }

    /// Aborts when `condition` holds, continues when it does not.
    pub fn abort_if(condition: bool, reason: impl IntoReason) -> Self {
        if condition { Self::abort(reason) } else { Self::Continue }
    }

    /// There is no such verdict: without these two, the compiler takes the names for those of an iterator's methods.
    #[doc(hidden)]
    pub fn skip<R: BeyondVerdict>(_: R) -> Self {
        Self::Continue
    }

    #[doc(hidden)]
    pub fn retry<R: BeyondVerdict>(_: R) -> Self {
        Self::Continue
    }
}

impl<S, R> From<Verdict> for RailAction<S, R> {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Continue => Self::Continue,
            Verdict::Abort(reason) => Self::Abort(reason),
        }
    }
}

/// How an operation is to be done again.
///
/// ```
/// use std::time::Duration;
/// use exo_rails::RetryRequest;
///
/// let request = RetryRequest::new("rate limit reached").with_delay(Duration::from_secs(2)).with_max_retries(3);
/// assert_eq!(request.delay, Duration::from_secs(2));
/// ```
#[must_use = "a retry request does nothing by itself: return `RailAction::retry(request)`"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RetryRequest {
    /// How long to wait before the operation is done again. The wait ends early when the run is cancelled. It
    /// needs the timer of the tokio runtime: `enable_time` or `enable_all`, where `#[tokio::main]` does not.
    pub delay: Duration,
    /// How many times this rail may have this operation done again; 0 means never. When they are used up, the
    /// operation fails with [`RetriesExhausted`](crate::RetriesExhausted).
    pub max_retries: u32,
    /// Why.
    pub reason: Reason,
}

impl RetryRequest {
    /// One retry, without a delay.
    pub fn new(reason: impl IntoReason) -> Self {
        Self { delay: Duration::ZERO, max_retries: 1, reason: reason.into_reason() }
    }

    /// The same request with this delay.
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same request with this many retries.
    pub fn with_max_retries(mut self, max_retries: u32) -> Self {
        self.max_retries = max_retries;
        self
    }
}

impl IntoRetry for RetryRequest {
    fn into_retry(self) -> RetryRequest {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<R: IntoReason> IntoRetry for R {
    fn into_retry(self) -> RetryRequest {
        RetryRequest::new(self)
    }
}

/// What a rail may return.
///
/// | type | on which events |
/// |---|---|
/// | `()` | every event: the rail observes |
/// | [`Verdict`] | events that allow to abort |
/// | [`RailAction`], `RailAction<S>` | events that allow to skip, retry and abort; `S` is what the event's operation yields |
/// | `RailAction<S, NoRetry>` | events that allow to skip and abort; `S` may be [`NoSubstitute`] |
/// | `Option<T>` | as `T`; `None` continues |
/// | `Result<T, E>` | as `T`; an `Err` is a [fault](crate::RailFault), not a decision; `E` is any error type, or text |
///
/// A fault stops the run when it loses a guard: when `T` can decide, or when the rail takes what the event carries by
/// `&mut`. The `Err` of a rail that can only look, one that returns `Result<(), E>` and takes nothing by `&mut`, is
/// reported as a `tracing` warning, and the run goes on: **to refuse something, return a [`Verdict`] or a
/// [`RailAction`], not an `Err`.** The whole table is that of [`OnFault`](crate::OnFault).
///
/// It is implemented for these types and for no others.
#[diagnostic::on_unimplemented(
    message = "a rail on `{E}` cannot return `{Self}`",
    label = "not what a rail on `{E}` may return",
    note = "`Error` can only be observed: a rail on it returns `()`",
    note = "on every other event a rail returns `RailAction`, `RailAction<S>` where a skip brings a substitute `S`, `Verdict`, or `()`",
    note = "`S` is what the operation yields: `InvokeOutput` on `Start`, `ModelResponse` on `PreLlmCall` and `LlmError`, `ToolOutput` on `PreToolCall` and `ToolError`",
    note = "`Option<_>` and `Result<_, E>` of these are fine too; `E` is an error type or text"
)]
pub trait RailOutput<E: Payloads>: Sized + Send {
    /// Whether a value of this type can be anything but "continue".
    const DECIDES: bool;

    /// Whether it is one that continues, in which there is nothing to drop. Asked by reference: so nothing of a value that
    /// continues is moved.
    #[doc(hidden)]
    fn continues(&self) -> bool;

    /// Takes the value apart, field by field, so that nothing is left to drop when it continues, and makes of
    /// what stops the event the outcome of the dispatch at once: were it to go through another type, the
    /// compiler would copy its fields where the rails continue as well.
    #[doc(hidden)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>>;
}

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for () {
    const DECIDES: bool = false;

    #[inline(always)]
    fn continues(&self) -> bool {
        true
    }

    #[inline(always)]
    fn flow(self, _: &Caller, _: HookPoint) -> ControlFlow<Outcome<E>> {
        ControlFlow::Continue(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: AllowsAbort> RailOutput<E> for Verdict {
    const DECIDES: bool = true;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self, Self::Continue)
    }

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        match self {
            Self::Continue => ControlFlow::Continue(()),
            Self::Abort(reason) => ControlFlow::Break(Ok(abort(caller, point, reason))),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: AllowsRetry, S: SubstituteFor<E>> RailOutput<E> for RailAction<S> {
    const DECIDES: bool = true;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self, Self::Continue)
    }

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        match self {
            Self::Continue => ControlFlow::Continue(()),
            Self::Skip(skip) => ControlFlow::Break(Ok(skipped::<E, S>(caller, skip))),
            Self::Retry(request) => {
                ControlFlow::Break(Ok(Decision::Retry { by: caller.info, identity: caller.identity, request }))
            }
            Self::Abort(reason) => ControlFlow::Break(Ok(abort(caller, point, reason))),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: AllowsSkip, S: SubstituteFor<E>> RailOutput<E> for RailAction<S, NoRetry> {
    const DECIDES: bool = true;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self, Self::Continue)
    }

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        match self {
            Self::Continue => ControlFlow::Continue(()),
            Self::Skip(skip) => ControlFlow::Break(Ok(skipped::<E, S>(caller, skip))),
            Self::Retry(never) => match never {},
            Self::Abort(reason) => ControlFlow::Break(Ok(abort(caller, point, reason))),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: Payloads, T: RailOutput<E>> RailOutput<E> for Option<T> {
    const DECIDES: bool = T::DECIDES;

    #[inline(always)]
    fn continues(&self) -> bool {
        self.as_ref().is_none_or(T::continues)
    }

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        match self {
            None => ControlFlow::Continue(()),
            Some(output) => output.flow(caller, point),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E, T, Error> RailOutput<E> for Result<T, Error>
where
    E: Payloads,
    T: RailOutput<E>,
    Error: Into<Box<dyn StdError + Send + Sync>> + Send,
{
    const DECIDES: bool = T::DECIDES;

    #[inline(always)]
    fn continues(&self) -> bool {
        self.as_ref().is_ok_and(T::continues)
    }

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        match self {
            Ok(output) => output.flow(caller, point),
            Err(error) => fault::flow::<E>(caller, point, FaultCause::Error(error.into())),
        }
    }
}

#[inline(always)]
fn skipped<E: Payloads, S: SubstituteFor<E>>(caller: &Caller, skip: Skip<S>) -> Decision<E::Substitute> {
    let Skip { reason, substitute } = skip;
    Decision::Skip { by: caller.info, reason, substitute: substitute.map(S::into_substitute) }
}

#[inline(always)]
fn abort<S>(caller: &Caller, point: HookPoint, reason: Reason) -> Decision<S> {
    Decision::Abort(RailAbortError { rail_name: caller.info.name, event: point, reason })
}
