//! The decision of all rails of one event.

pub(crate) mod on_fault;
pub(crate) mod output;
pub(crate) mod placed_rail;
pub(crate) mod returned;
pub(crate) mod shadow;

pub use on_fault::*;
pub use output::*;
pub use placed_rail::*;
pub use returned::*;
pub use shadow::*;

use std::fmt;

use crate::action::Allowed;
use crate::context::{RailContext, StopKind, StoppedBy};
use crate::error::RailFault;
use crate::event::Payloads;
use crate::point::{RailName, Reason};

/// The decision of the rails of event `E`: the first one that is not "continue", and the rail that made it.
///
/// `Decision` has the same variants as [`RailAction`](crate::RailAction). The variant of an action that the event does not
/// allow holds a type without values, such as [`EventCannotSkip`](crate::EventCannotSkip), so a `match` needs no arm for it. For example, rails on
/// [`SessionStart`](crate::events::SessionStart) only continue or abort.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::SessionInfo;
///
/// #[rail(on = [PreToolCall])]
/// fn cached(call: &ToolCallInputs) -> RailAction<ToolOutput> {
///     RailAction::skip_with(ToolOutput::text("42"), format!("`{}` is cached", call.tool_name))
/// }
///
/// #[rail(on = [SessionStart])]
/// fn known_user(session: &SessionInfo) -> Verdict {
///     Verdict::abort_if(session.id.is_empty(), "nobody has logged in")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let (rails, mut ctx) = (rail_chain![cached, known_user], RunContext::new("demo"));
/// match rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await? {
///     Decision::Skip(skip) => {
///         assert_eq!((&*skip.rail_name, skip.reason.as_str()), ("cached", "`search` is cached"));
///         assert_eq!(skip.substitute, Some(ToolOutput::text("42")));
///     }
///     other => panic!("{other:?}"),
/// }
/// match rails.dispatch::<SessionStart>(&SessionInfo::default(), &mut ctx).await? {
///     Decision::Continue => panic!("the session has no name"),
///     Decision::Abort(abort) => assert_eq!(abort.reason, "nobody has logged in"),
/// }
/// # Ok(()) }
/// ```
#[must_use = "a dropped decision has no effect: act on it"]
pub enum Decision<E: Payloads> {
    /// Every rail of the event continued.
    Continue,
    /// Before an operation: the operation does not happen. After it: its result is accepted unchanged. If the event allows
    /// a skip, this is a [`RailSkip`](crate::RailSkip).
    Skip(E::Skip),
    /// The operation is repeated. If the event allows a retry, this is a [`RailRetry`](crate::RailRetry).
    Retry(E::Retry),
    /// The run ends. If the event allows an abort, this is a [`RailAbortError`](crate::RailAbortError).
    Abort(E::Abort),
}

/// The result of the dispatch of one event: a decision, or the fault of a rail that could not decide.
pub type Outcome<E> = Result<Decision<E>, RailFault>;

impl<E: Payloads> Decision<E> {
    /// Returns `true` if every rail of the event continued.
    #[must_use]
    pub const fn is_continue(&self) -> bool {
        matches!(self, Self::Continue)
    }

    /// Returns `true` if a rail skipped.
    #[must_use]
    pub const fn is_skip(&self) -> bool {
        matches!(self, Self::Skip(_))
    }

    /// Returns `true` if a rail asked for a retry.
    #[must_use]
    pub const fn is_retry(&self) -> bool {
        matches!(self, Self::Retry(_))
    }

    /// Returns `true` if a rail aborted the run.
    #[must_use]
    pub const fn is_abort(&self) -> bool {
        matches!(self, Self::Abort(_))
    }

    /// Returns the name of the rail that decided, or the name of the hook's type. `None` if every rail continued.
    #[must_use]
    pub fn rail_name(&self) -> Option<&str> {
        self.by().map(RailName::as_str)
    }

    fn by(&self) -> Option<&RailName> {
        match self {
            Self::Continue => None,
            Self::Skip(skip) => Some(&skip.get().rail_name),
            Self::Retry(retry) => Some(&retry.get().rail_name),
            Self::Abort(abort) => Some(&abort.get().rail_name),
        }
    }

    /// Returns why the rail stopped the event. `None` if every rail continued.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Continue => None,
            Self::Skip(skip) => Some(&skip.get().reason),
            Self::Retry(retry) => Some(&retry.get().request.reason),
            Self::Abort(abort) => Some(&abort.get().reason),
        }
    }

    /// Returns the name of the action, for spans and faults.
    pub(crate) const fn action(&self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Skip(_) => "skip",
            Self::Retry(_) => "retry",
            Self::Abort(_) => "abort",
        }
    }
}

impl<E: Payloads> Clone for Decision<E>
where
    E::Skip: Clone,
    E::Retry: Clone,
    E::Abort: Clone,
{
    fn clone(&self) -> Self {
        match self {
            Self::Continue => Self::Continue,
            Self::Skip(skip) => Self::Skip(skip.clone()),
            Self::Retry(retry) => Self::Retry(retry.clone()),
            Self::Abort(abort) => Self::Abort(abort.clone()),
        }
    }
}

impl<E: Payloads> fmt::Debug for Decision<E>
where
    E::Skip: fmt::Debug,
    E::Retry: fmt::Debug,
    E::Abort: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continue => f.write_str("Continue"),
            Self::Skip(skip) => f.debug_tuple("Skip").field(skip).finish(),
            Self::Retry(retry) => f.debug_tuple("Retry").field(retry).finish(),
            Self::Abort(abort) => f.debug_tuple("Abort").field(abort).finish(),
        }
    }
}

impl<E: Payloads> PartialEq for Decision<E>
where
    E::Skip: PartialEq,
    E::Retry: PartialEq,
    E::Abort: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Continue, Self::Continue) => true,
            (Self::Skip(one), Self::Skip(two)) => one == two,
            (Self::Retry(one), Self::Retry(two)) => one == two,
            (Self::Abort(one), Self::Abort(two)) => one == two,
            _ => false,
        }
    }
}

impl<E: Payloads> Eq for Decision<E>
where
    E::Skip: Eq,
    E::Retry: Eq,
    E::Abort: Eq,
{
}

/// Records in the context how this outcome stops the event, for the rails that are always called. Returns `true` if it
/// stops the event.
#[inline]
pub(crate) fn record_stop<E: Payloads>(outcome: &Outcome<E>, ctx: &mut RailContext) -> bool {
    match StoppedBy::of(outcome) {
        None => false,
        Some(stopped) => {
            ctx.set_stopped(stopped);
            true
        }
    }
}

impl StoppedBy {
    /// Returns how this outcome stops the event, for custom guard sets. `None` if it does not stop the event.
    #[must_use]
    pub fn of<E: Payloads>(outcome: &Outcome<E>) -> Option<Self> {
        let decision = match outcome {
            Ok(decision) => decision,
            Err(fault) => {
                let (rail_name, reason) = (fault.rail_name.clone(), Reason::new(fault.cause.to_string()));
                return Some(Self { rail_name, how: StopKind::Fault, reason });
            }
        };
        let how = match decision {
            Decision::Continue => return None,
            Decision::Skip(_) => StopKind::Skip,
            Decision::Retry(_) => StopKind::Retry,
            Decision::Abort(_) => StopKind::Abort,
        };
        Some(Self { rail_name: decision.by()?.clone(), how, reason: decision.reason()?.clone() })
    }
}
