//! What the rails of one event decided together.

pub(crate) mod caller;
pub(crate) mod on_fault;
pub(crate) mod output;

pub use caller::*;
pub use on_fault::*;
pub use output::*;

use std::ops::ControlFlow;

use crate::action::RetryRequest;
use crate::context::{StopKind, StoppedBy};
use crate::error::{RailAbortError, RailFault};
use crate::event::Payloads;
use crate::point::{RailInfo, Reason};

/// What the rails of one event decided: the first decision that is not "continue", and who took it.
///
/// `S` is what stands in for the operation's result when it is skipped: the event's
/// [`Substitute`](Payloads::Substitute).
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(on = [PreToolCall])]
/// fn cached(call: &ToolCallInputs) -> RailAction<ToolOutput> {
///     RailAction::skip_with(ToolOutput::text("42"), format!("`{}` is cached", call.tool_name))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut ctx = RunContext::new("demo");
/// match rail_chain![cached].dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await? {
///     Decision::Skip { by, reason, substitute } => {
///         assert_eq!((by.name, reason.as_str()), ("cached", "`search` is cached"));
///         assert_eq!(substitute, Some(ToolOutput::text("42")));
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok(()) }
/// ```
#[must_use = "a decision that is dropped guards nothing: act on it"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision<S> {
    /// Every rail of the event let it pass.
    Continue,
    /// The operation is not to happen, or, after it, its result is to be accepted as it stands.
    Skip {
        /// The rail that decided.
        by: &'static RailInfo,
        /// Why.
        reason: Reason,
        /// What stands in for the result of the operation.
        substitute: Option<S>,
    },
    /// The operation is to be done again.
    Retry {
        /// The rail that decided.
        by: &'static RailInfo,
        /// Which rail it is, to count its retries.
        identity: RailIdentity,
        /// When, how often and why.
        request: RetryRequest,
    },
    /// The run is to end.
    Abort(RailAbortError),
}

/// How the dispatch of one event ends: with a decision, or with the fault of a rail that could not take one.
pub type Outcome<E> = Result<Decision<<E as Payloads>::Substitute>, RailFault>;

/// The outcome of one rail that is called for itself.
#[inline]
pub(crate) fn outcome<E: Payloads>(flow: ControlFlow<Outcome<E>>) -> Outcome<E> {
    match flow {
        ControlFlow::Break(outcome) => outcome,
        ControlFlow::Continue(()) => Ok(Decision::Continue),
    }
}

impl<S> Decision<S> {
    /// Whether every rail let the event pass.
    #[must_use]
    pub const fn is_continue(&self) -> bool {
        matches!(self, Self::Continue)
    }

    /// The rail, or the type of the hook, that decided; `None` when every rail continued.
    #[must_use]
    pub const fn rail_name(&self) -> Option<&'static str> {
        match self {
            Self::Continue => None,
            Self::Skip { by, .. } | Self::Retry { by, .. } => Some(by.name),
            Self::Abort(abort) => Some(abort.rail_name),
        }
    }

    /// The same decision, of a rail at this place of a guard set.
    pub(crate) fn at(mut self, place: u64) -> Self {
        if let Self::Retry { identity, .. } = &mut self {
            *identity = identity.at(place);
        }
        self
    }

    /// The same decision with another substitute, or the fault that there is none.
    pub(crate) fn try_map<T>(self, map: impl FnOnce(S) -> Result<T, RailFault>) -> Result<Decision<T>, RailFault> {
        Ok(match self {
            Self::Continue => Decision::Continue,
            Self::Skip { by, reason, substitute } => {
                Decision::Skip { by, reason, substitute: substitute.map(map).transpose()? }
            }
            Self::Retry { by, identity, request } => Decision::Retry { by, identity, request },
            Self::Abort(abort) => Decision::Abort(abort),
        })
    }
}

impl StoppedBy {
    /// How this outcome stops the event; `None` when it does not: for your own guard sets.
    #[must_use]
    pub fn of<E: Payloads>(outcome: &Outcome<E>) -> Option<Self> {
        let (rail_name, how, reason) = match outcome {
            Ok(Decision::Continue) => return None,
            Ok(Decision::Skip { by, reason, .. }) => (by.name, StopKind::Skip, reason.clone()),
            Ok(Decision::Retry { by, request, .. }) => (by.name, StopKind::Retry, request.reason.clone()),
            Ok(Decision::Abort(abort)) => (abort.rail_name, StopKind::Abort, abort.reason.clone()),
            Err(fault) => (fault.rail_name, StopKind::Fault, Reason::new(fault.cause.to_string())),
        };
        Some(Self { rail_name, how, reason })
    }
}
