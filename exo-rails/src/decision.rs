//! What the rails of one event decided together.

use std::ops::ControlFlow;

use crate::action::RetryRequest;
use crate::error::RailAbortError;
use crate::event::Payloads;
use crate::fault::RailFault;
use crate::hook_point::HookPoint;
use crate::rail::RailInfo;
use crate::reason::Reason;

/// What the rails of one event decided: the first decision that is not "continue", and who took it.
///
/// `S` is what stands in for the operation's result when it is skipped: the event's
/// [`Substitute`](Payloads::Substitute).
#[must_use = "a decision that is dropped guards nothing: act on it"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision<S> {
    /// Every rail of the event let it pass.
    Continue,
    /// The operation is not to happen, or, after it, its result is to be accepted as it stands.
    Skip {
        /// The rail that decided.
        by: RailInfo,
        /// Why.
        reason: Reason,
        /// What stands in for the result of the operation.
        substitute: Option<S>,
    },
    /// The operation is to be done again.
    Retry {
        /// The rail that decided.
        by: RailInfo,
        /// When, how often and why.
        request: RetryRequest,
    },
    /// The run is to end.
    Abort(RailAbortError),
}

/// Why the rails of one event did not all continue: what [`Decision`] has beside "continue", and faults.
#[derive(Debug)]
pub enum Stop<S> {
    /// See [`Decision::Skip`].
    Skip {
        /// The rail that decided.
        by: RailInfo,
        /// Why.
        reason: Reason,
        /// What stands in for the result of the operation.
        substitute: Option<S>,
    },
    /// See [`Decision::Retry`].
    Retry {
        /// The rail that decided.
        by: RailInfo,
        /// When, how often and why.
        request: RetryRequest,
    },
    /// See [`Decision::Abort`].
    Abort(RailAbortError),
    /// A rail that can decide could not.
    Fault(RailFault),
}

/// How the dispatch of one event ends: all rails continued, or one of them stopped it.
pub type Outcome<E> = ControlFlow<Stop<<E as Payloads>::Substitute>>;

impl<S> Stop<S> {
    /// The rail, or the type of the hook, that stopped the event.
    #[must_use]
    pub const fn rail_name(&self) -> &'static str {
        match self {
            Self::Skip { by, .. } | Self::Retry { by, .. } => by.name,
            Self::Abort(abort) => abort.rail_name,
            Self::Fault(fault) => fault.rail_name,
        }
    }

    #[cold]
    pub(crate) fn abort(rail: &RailInfo, point: HookPoint, reason: Reason) -> Self {
        Self::Abort(RailAbortError { rail_name: rail.name, event: point, reason })
    }

    /// The same stop with another substitute, or the fault that there is none.
    pub(crate) fn try_map<T>(self, map: impl FnOnce(S) -> Result<T, RailFault>) -> Stop<T> {
        match self {
            Self::Skip { by, reason, substitute } => match substitute.map(map).transpose() {
                Ok(substitute) => Stop::Skip { by, reason, substitute },
                Err(fault) => Stop::Fault(fault),
            },
            Self::Retry { by, request } => Stop::Retry { by, request },
            Self::Abort(abort) => Stop::Abort(abort),
            Self::Fault(fault) => Stop::Fault(fault),
        }
    }
}

impl<S> Decision<S> {
    /// The decision in an outcome, or the fault.
    ///
    /// # Errors
    /// The fault, when the outcome is one.
    #[inline]
    pub fn from_outcome(outcome: ControlFlow<Stop<S>>) -> Result<Self, RailFault> {
        Ok(match outcome {
            ControlFlow::Continue(()) => Self::Continue,
            ControlFlow::Break(Stop::Skip { by, reason, substitute }) => Self::Skip { by, reason, substitute },
            ControlFlow::Break(Stop::Retry { by, request }) => Self::Retry { by, request },
            ControlFlow::Break(Stop::Abort(abort)) => Self::Abort(abort),
            ControlFlow::Break(Stop::Fault(fault)) => return Err(fault),
        })
    }

    /// Whether every rail let the event pass.
    #[must_use]
    pub const fn is_continue(&self) -> bool {
        matches!(self, Self::Continue)
    }
}
