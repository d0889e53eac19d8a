//! The ways to dispatch an event to a set of rails. All of them must answer the same.

use exo_rails::Outcome;
use exo_rails::prelude::*;
use exo_rails::{HookPoint, Reason, RetryRequest, Serves};

use super::hand_written;
use super::rails::Set;

/// A way to dispatch the event.
pub(crate) trait Variant: Send + Sync + 'static {
    /// The answer of the dispatch.
    type Answer: Answer + Send;

    /// Dispatches the event.
    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RunContext,
    ) -> impl Future<Output = Self::Answer> + Send;
}

/// Hand-written code.
pub(crate) struct ByHand<S>(pub(crate) S);

impl<S: Set> Variant for ByHand<S> {
    type Answer = Result<hand_written::Decision, hand_written::Fault>;

    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RunContext,
    ) -> impl Future<Output = Self::Answer> + Send {
        self.0.by_hand(call, ctx)
    }
}

/// The guard sets of the library, static or not.
pub(crate) struct Guards<R>(pub(crate) R);

impl<R: GuardSet + Serves<PreToolCall> + 'static> Variant for Guards<R> {
    type Answer = Outcome<PreToolCall>;

    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RunContext,
    ) -> impl Future<Output = Self::Answer> + Send {
        self.0.dispatch::<PreToolCall>(call, ctx)
    }
}

/// Returns the call, which the operation consumes. Leaves a call without a name in its place: all rails let it pass, and
/// it allocates nothing.
pub(crate) fn next(call: &mut ToolCallInputs) -> ToolCallInputs {
    std::mem::replace(call, ToolCallInputs::new(""))
}

/// A guarded tool call in hand-written code. The tool does nothing.
pub(crate) struct ToolByHand<S>(pub(crate) S);

impl<S: Set> Variant for ToolByHand<S> {
    type Answer = Result<ToolOutput, hand_written::Failure>;

    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RunContext,
    ) -> impl Future<Output = Self::Answer> + Send {
        hand_written::guard(&self.0, next(call), ctx, |_| async { Ok(ToolOutput::default()) })
    }
}

/// A tool call guarded by a guard set.
pub(crate) struct GuardedTool<R>(pub(crate) R);

impl<R: GuardSet + 'static> Variant for GuardedTool<R> {
    type Answer = Result<ToolOutput, RunError>;

    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RunContext,
    ) -> impl Future<Output = Self::Answer> + Send {
        let tool = |_permit| async { Ok::<_, OperationError>(ToolOutput::default()) };
        self.0.guard_tool_call(next(call), ctx, tool)
    }
}

/// The answer of a dispatch, in any type. Shows whether all variants answer the same.
pub(crate) trait Answer {
    /// Returns `true` if the event passes. The answer then has nothing to drop.
    fn passes(&self) -> bool;

    /// Returns the rail that stopped the event, its action and its reason. Returns `None` if every rail continued.
    fn stopped(self) -> Option<Stopped>;
}

/// The rail that stopped the event, its action and its reason.
#[derive(Debug, PartialEq)]
pub(crate) struct Stopped {
    by: String,
    how: How,
}

#[derive(Debug, PartialEq)]
enum How {
    Skip(Reason, Option<ToolOutput>),
    Retry(RetryRequest),
    Abort(HookPoint, Reason),
    Fault(HookPoint, String),
    RetriesExhausted(Reason),
    Output(ToolOutput),
    Failure(String),
}

impl Stopped {
    fn new(by: &str, how: How) -> Self {
        Self { by: by.to_owned(), how }
    }
}

impl Answer for Outcome<PreToolCall> {
    #[inline]
    fn passes(&self) -> bool {
        matches!(self, Ok(Decision::Continue))
    }

    fn stopped(self) -> Option<Stopped> {
        Some(match self {
            Ok(Decision::Continue) => return None,
            Ok(Decision::Skip(skip)) => Stopped::new(&skip.rail_name, How::Skip(skip.reason, skip.substitute)),
            Ok(Decision::Retry(retry)) => Stopped::new(&retry.rail_name, How::Retry(retry.request)),
            Ok(Decision::Abort(abort)) => Stopped::new(&abort.rail_name, How::Abort(abort.event, abort.reason)),
            Err(fault) => Stopped::new(&fault.rail_name, How::Fault(fault.event, fault.cause.to_string())),
        })
    }
}

impl Answer for Result<hand_written::Decision, hand_written::Fault> {
    #[inline]
    fn passes(&self) -> bool {
        matches!(self, Ok(hand_written::Decision::Continue))
    }

    fn stopped(self) -> Option<Stopped> {
        use hand_written::Decision;

        Some(match self {
            Ok(Decision::Continue) => return None,
            Ok(Decision::Skip { by, reason, substitute }) => Stopped::new(by, How::Skip(reason, substitute)),
            Ok(Decision::Retry { by, request }) => Stopped::new(by, How::Retry(request)),
            Ok(Decision::Abort { by, event, reason }) => Stopped::new(by, How::Abort(event, reason)),
            Err(fault) => Stopped::new(fault.by, How::Fault(fault.event, fault.error.to_string())),
        })
    }
}

impl Answer for Result<ToolOutput, RunError> {
    #[inline]
    fn passes(&self) -> bool {
        matches!(self, Ok(output) if !output.is_error)
    }

    fn stopped(self) -> Option<Stopped> {
        Some(match self {
            Ok(output) if output == ToolOutput::default() => return None,
            Ok(output) => Stopped::new("", How::Output(output)),
            Err(RunError::Abort(abort)) => Stopped::new(&abort.rail_name, How::Abort(abort.event, abort.reason)),
            Err(RunError::Fault(fault)) => {
                Stopped::new(&fault.rail_name, How::Fault(fault.event, fault.cause.to_string()))
            }
            Err(RunError::RetriesExhausted(error)) => {
                Stopped::new(&error.rail_name, How::RetriesExhausted(error.reason))
            }
            Err(error) => Stopped::new("", How::Failure(error.to_string())),
        })
    }
}

impl Answer for Result<ToolOutput, hand_written::Failure> {
    #[inline]
    fn passes(&self) -> bool {
        matches!(self, Ok(output) if !output.is_error)
    }

    fn stopped(self) -> Option<Stopped> {
        use hand_written::Failure;

        Some(match self {
            Ok(output) if output == ToolOutput::default() => return None,
            Ok(output) => Stopped::new("", How::Output(output)),
            Err(Failure::Abort { by, reason }) => Stopped::new(by, How::Abort(HookPoint::PreToolCall, reason)),
            Err(Failure::Fault(fault)) => Stopped::new(fault.by, How::Fault(fault.event, fault.error.to_string())),
            Err(Failure::RetriesExhausted { by, reason }) => Stopped::new(by, How::RetriesExhausted(reason)),
            Err(Failure::Tool(error)) => Stopped::new("", How::Failure(error.to_string())),
            Err(Failure::Cancelled) => Stopped::new("", How::Failure("the run was cancelled".to_owned())),
        })
    }
}
