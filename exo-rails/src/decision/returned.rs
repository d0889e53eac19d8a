//! Turns the return value of a rail into a decision of this rail.

use std::error::Error as StdError;
use std::ops::ControlFlow;

use crate::action::{Abort, Allowed, RailRetry, RailSkip, RetryOrContinue, RetryRequest, Skip};
use crate::context::RailContext;
use crate::decision::on_fault::{OnFault, report, report_in_shadow};
use crate::decision::placed_rail::PlacedRail;
use crate::decision::{Decision, Outcome};
use crate::error::{FaultCause, RailAbortError, RailFault, drop_quietly};
use crate::event::Payloads;
use crate::point::{HookPoint, RailName, Reason};

/// Reads the output of a rail at event `E`. Every return type of a rail calls one method of a reader.
pub trait Reader<E: Payloads>: Sized {
    /// The result of the reading.
    type Read;

    /// The rail continues.
    fn goes_on(self) -> Self::Read;

    /// The rail skips.
    fn skips(self, skip: Skip<E::Substitute>) -> Self::Read;

    /// The rail asks for a retry.
    fn retries(self, request: RetryRequest) -> Self::Read;

    /// The rail asks for a retry, and continues if it has none left.
    fn retries_or_continues(self, request: RetryOrContinue) -> Self::Read;

    /// The rail aborts.
    fn aborts(self, abort: Abort) -> Self::Read;

    /// The rail could not decide.
    fn faults(self, cause: FaultCause) -> Self::Read;

    /// The rail is a chain, and a rail in it decided.
    fn passes_on(self, outcome: Outcome<E>) -> Self::Read;

    /// The rail is a list of rails, and one of them decided under its own name.
    fn has_decided(self, outcome: Outcome<E>) -> Self::Read;
}

/// A reader that makes a decision with the name of the rail at its place in a guard set.
pub(crate) struct InTheNameOf<'r> {
    pub(crate) rail: &'r PlacedRail,
    pub(crate) event: HookPoint,
    pub(crate) ctx: &'r RailContext,
}

/// Panics because the event does not allow the action. This cannot happen: the return types of rails exclude such actions,
/// and `HookManager` checks plain hooks.
#[cold]
fn not_allowed() -> ! {
    unreachable!("the type that a rail returns fits its events")
}

impl<E: Payloads> Reader<E> for InTheNameOf<'_> {
    type Read = ControlFlow<Outcome<E>>;

    #[inline(always)]
    fn goes_on(self) -> Self::Read {
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn skips(self, skip: Skip<E::Substitute>) -> Self::Read {
        let Skip { reason, substitute } = skip;
        match E::Skip::try_allow(RailSkip { rail_name: self.rail.name.clone(), reason, substitute }) {
            Ok(skip) => ControlFlow::Break(Ok(Decision::Skip(skip))),
            Err(_) => not_allowed(),
        }
    }

    #[inline(always)]
    fn retries(self, request: RetryRequest) -> Self::Read {
        let (rail_name, identity) = (self.rail.name.clone(), self.rail.identity(self.ctx.path()));
        match E::Retry::try_allow(RailRetry { rail_name, request, identity }) {
            Ok(retry) => ControlFlow::Break(Ok(Decision::Retry(retry))),
            Err(_) => not_allowed(),
        }
    }

    fn retries_or_continues(self, RetryOrContinue(request): RetryOrContinue) -> Self::Read {
        if self.ctx.is_exhausted(self.rail.identity(self.ctx.path()), &request) {
            return ControlFlow::Continue(());
        }
        self.retries(request)
    }

    #[inline(always)]
    fn aborts(self, Abort { reason, ending }: Abort) -> Self::Read {
        let rail_name = self.rail.name.clone();
        match E::Abort::try_allow(RailAbortError { rail_name, event: self.event, reason, ending }) {
            Ok(abort) => ControlFlow::Break(Ok(Decision::Abort(abort))),
            Err(_) => not_allowed(),
        }
    }

    #[inline(always)]
    fn faults(self, cause: FaultCause) -> Self::Read {
        faulted(cause, self)
    }

    #[inline(always)]
    fn passes_on(self, outcome: Outcome<E>) -> Self::Read {
        inside(outcome, self.rail)
    }

    #[inline(always)]
    fn has_decided(self, outcome: Outcome<E>) -> Self::Read {
        ControlFlow::Break(outcome)
    }
}

/// Applies the effect of a rail's fault.
#[cold]
fn faulted<E: Payloads>(cause: FaultCause, at: InTheNameOf<'_>) -> ControlFlow<Outcome<E>> {
    let (fault, on_fault) = report_fault(cause, at.rail, at.event, at.ctx.is_shadow());
    match on_fault {
        OnFault::Abort => ControlFlow::Break(Err(fault)),
        OnFault::Continue => {
            drop_quietly(fault);
            ControlFlow::Continue(())
        }
        OnFault::Skip => {
            let skip = Skip { reason: Reason::new(fault.to_string()), substitute: None };
            drop_quietly(fault);
            at.skips(skip)
        }
    }
}

/// Reports the fault of a rail. Returns the fault and its effect.
pub(crate) fn report_fault(
    cause: FaultCause,
    rail: &PlacedRail,
    event: HookPoint,
    is_shadow: bool,
) -> (RailFault, OnFault) {
    let fault = RailFault::of(rail, event, cause);
    // At the end of a run or a session, a fault stops nothing: the rails after this one observe too.
    let on_fault = if event.is_the_end() { OnFault::Continue } else { rail.on_fault };
    if is_shadow {
        report_in_shadow(&fault);
    } else {
        report(&fault, on_fault);
    }
    (fault, on_fault)
}

/// The output of any rail, as one type, for code between the rail and the guard set. Only the guard set knows the name of
/// the rail.
pub enum Returned<E: Payloads> {
    /// The rail continues.
    Continue,
    /// The rail skips.
    Skip(Skip<E::Substitute>),
    /// The rail asks for a retry.
    Retry(RetryRequest),
    /// The rail asks for a retry, and continues if it has none left.
    RetryOrContinue(RetryOrContinue),
    /// The rail aborts.
    Abort(Abort),
    /// The rail could not decide.
    Fault(FaultCause),
    /// The rail is a chain, and a rail in it decided.
    Inside(Outcome<E>),
}

/// A reader that turns the output of any rail into a [`Returned`].
pub(crate) struct Unnamed;

impl<E: Payloads> Reader<E> for Unnamed {
    type Read = Returned<E>;

    fn goes_on(self) -> Returned<E> {
        Returned::Continue
    }

    fn skips(self, skip: Skip<E::Substitute>) -> Returned<E> {
        Returned::Skip(skip)
    }

    fn retries(self, request: RetryRequest) -> Returned<E> {
        Returned::Retry(request)
    }

    fn retries_or_continues(self, request: RetryOrContinue) -> Returned<E> {
        Returned::RetryOrContinue(request)
    }

    fn aborts(self, abort: Abort) -> Returned<E> {
        Returned::Abort(abort)
    }

    fn faults(self, cause: FaultCause) -> Returned<E> {
        Returned::Fault(cause)
    }

    fn passes_on(self, outcome: Outcome<E>) -> Returned<E> {
        Returned::Inside(outcome)
    }

    fn has_decided(self, outcome: Outcome<E>) -> Returned<E> {
        Returned::Inside(outcome)
    }
}

impl<E: Payloads> Returned<E> {
    /// Passes the output to another reader.
    #[inline]
    pub(crate) fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        match self {
            Self::Continue => reader.goes_on(),
            Self::Skip(skip) => reader.skips(skip),
            Self::Retry(request) => reader.retries(request),
            Self::RetryOrContinue(request) => reader.retries_or_continues(request),
            Self::Abort(abort) => reader.aborts(abort),
            Self::Fault(cause) => reader.faults(cause),
            Self::Inside(outcome) => reader.passes_on(outcome),
        }
    }

    /// Calls `keep`, which keeps the changes of the rail, also after a fault. If the rail continues and `keep` fails, the
    /// rail faults.
    #[must_use]
    pub fn and_keep<Error>(self, keep: impl FnOnce() -> Result<(), Error>) -> Self
    where
        Error: Into<Box<dyn StdError + Send + Sync>>,
    {
        match (self, keep()) {
            (Self::Continue, Err(error)) => Self::Fault(FaultCause::Error(error.into())),
            (returned, _) => returned,
        }
    }
}

/// Returns the outcome of a rail inside a chain. If the guard set has given the chain a name, the rail's name begins with
/// it.
#[cold]
fn inside<E: Payloads>(mut outcome: Outcome<E>, chain: &PlacedRail) -> ControlFlow<Outcome<E>> {
    let name = match &mut outcome {
        Ok(Decision::Continue) => return ControlFlow::Continue(()),
        Ok(Decision::Skip(skip)) => &mut skip.get_mut().rail_name,
        Ok(Decision::Retry(retry)) => &mut retry.get_mut().rail_name,
        Ok(Decision::Abort(abort)) => &mut abort.get_mut().rail_name,
        Err(fault) => &mut fault.rail_name,
    };
    if chain.named_here {
        *name = RailName::from(format!("{}.{name}", chain.name));
    }
    ControlFlow::Break(outcome)
}

/// Returns the outcome of one rail, for code that calls each rail by itself.
#[inline]
pub(crate) fn outcome<E: Payloads>(flow: ControlFlow<Outcome<E>>) -> Outcome<E> {
    match flow {
        ControlFlow::Break(outcome) => outcome,
        ControlFlow::Continue(()) => Ok(Decision::Continue),
    }
}
