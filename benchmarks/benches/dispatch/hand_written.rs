//! The code that a programmer writes without the library. It calls the rails one after the other and acts on each
//! decision.

use std::error::Error;

use exo_rails::{HookPoint, OperationError, Reason, RetryRequest, RunContext, ToolCallInputs, ToolOutput};

use super::rails::Set;

/// The decision of the rails. Only the library can make its own `Decision`.
pub(crate) enum Decision {
    Continue,
    Skip { by: &'static str, reason: Reason, substitute: Option<ToolOutput> },
    Retry { by: &'static str, request: RetryRequest },
    Abort { by: &'static str, event: HookPoint, reason: Reason },
}

/// A rail could not decide.
pub(crate) struct Fault {
    pub(crate) by: &'static str,
    pub(crate) event: HookPoint,
    pub(crate) error: Box<dyn Error + Send + Sync>,
}

impl Fault {
    #[cold]
    pub(crate) fn new(by: &'static str, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { by, event: HookPoint::PreToolCall, error: error.into() }
    }

    /// Reports the fault of a rail that only observes.
    #[cold]
    pub(crate) fn report(&self) {
        eprintln!("the rail `{}` faulted at {}: {}", self.by, self.event, self.error);
    }
}

/// The reason why a guarded tool call has no output.
pub(crate) enum Failure {
    Fault(Fault),
    Abort { by: &'static str, reason: Reason },
    RetriesExhausted { by: &'static str, reason: Reason },
    Tool(OperationError),
    Cancelled,
}

/// Calls a tool if the rails let it pass, and acts on each decision. Each attempt begins with the original call, which
/// none of these rails changes.
pub(crate) async fn guard<S: Set, T: Future<Output = Result<ToolOutput, OperationError>> + Send>(
    rails: &S,
    mut call: ToolCallInputs,
    ctx: &mut RunContext,
    mut tool: impl FnMut(&ToolCallInputs) -> T + Send,
) -> Result<ToolOutput, Failure> {
    let mut retries: Vec<(&'static str, u32)> = Vec::new();
    loop {
        if ctx.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        match rails.by_hand(&mut call, ctx).await.map_err(Failure::Fault)? {
            Decision::Continue => {}
            Decision::Skip { by, reason, substitute } => {
                return Ok(substitute.unwrap_or_else(|| skipped(&call, by, &reason)));
            }
            Decision::Abort { by, reason, .. } => return Err(Failure::Abort { by, reason }),
            Decision::Retry { by, request } => {
                if used_up(&mut retries, by, &request) {
                    return Err(Failure::RetriesExhausted { by, reason: request.reason });
                }
                if !request.delay.is_zero() {
                    tokio::time::sleep(request.delay).await;
                }
                continue;
            }
        }
        if ctx.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        return tool(&call).await.map_err(Failure::Tool);
    }
}

#[cold]
fn skipped(call: &ToolCallInputs, by: &str, reason: &Reason) -> ToolOutput {
    ToolOutput::error(format!("The call of `{}` was skipped by the rail `{by}`: {reason}", call.tool_name))
}

/// Counts one more retry of a rail. Returns `true` if the rail has no retry left.
#[cold]
fn used_up(retries: &mut Vec<(&'static str, u32)>, by: &'static str, request: &RetryRequest) -> bool {
    let at = retries.iter().position(|(rail, _)| *rail == by).unwrap_or_else(|| {
        retries.push((by, 0));
        retries.len() - 1
    });
    retries[at].1 += 1;
    retries[at].1 > request.max_retries
}

/// Calls one rail, depending on its return type. The code awaits the rail, and the function returns unless the rail
/// continues.
macro_rules! hand_written {
    ({ begin($ctx:ident) }) => {
        $ctx.enter(HookPoint::PreToolCall);
    };
    ({ (): $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        $($copy::)? $rail($($arg),*).await
    };
    ({ Verdict: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        hand_written!(@verdict $rail, $($copy::)? $rail($($arg),*).await)
    };
    ({ Option<Verdict>: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        if let Some(verdict) = $($copy::)? $rail($($arg),*).await {
            hand_written!(@verdict $rail, verdict)
        }
    };
    ({ RailAction: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        hand_written!(@action $rail, $($copy::)? $rail($($arg),*).await)
    };
    ({ RailAction<ToolOutput>: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        match $($copy::)? $rail($($arg),*).await {
            RailAction::Continue => {}
            RailAction::Skip(skip) => hand_written!(@skip $rail, skip.reason, skip.substitute),
            RailAction::Retry(request) => hand_written!(@retry $rail, request),
            RailAction::Abort(abort) => hand_written!(@abort $rail, abort.reason),
        }
    };
    ({ Option<RailAction>: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        if let Some(action) = $($copy::)? $rail($($arg),*).await {
            hand_written!(@action $rail, action)
        }
    };
    ({ Result<()>: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        if let Err(error) = $($copy::)? $rail($($arg),*).await {
            hand_written::Fault::new(stringify!($rail), error).report();
        }
    };
    ({ Result<Verdict>: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        match $($copy::)? $rail($($arg),*).await {
            Ok(verdict) => hand_written!(@verdict $rail, verdict),
            Err(error) => return Err(hand_written::Fault::new(stringify!($rail), error)),
        }
    };
    ({ Result<RailAction>: $rail:ident $(@ $copy:ident)? ($($arg:ident),*) }) => {
        match $($copy::)? $rail($($arg),*).await {
            Ok(action) => hand_written!(@action $rail, action),
            Err(error) => return Err(hand_written::Fault::new(stringify!($rail), error)),
        }
    };
    (@verdict $rail:ident, $verdict:expr) => {
        match $verdict {
            Verdict::Continue => {}
            Verdict::Abort(reason) => hand_written!(@abort $rail, reason),
        }
    };
    (@action $rail:ident, $action:expr) => {
        match $action {
            RailAction::Continue => {}
            RailAction::Skip(skip) => hand_written!(@skip $rail, skip.reason, None),
            RailAction::Retry(request) => hand_written!(@retry $rail, request),
            RailAction::Abort(abort) => hand_written!(@abort $rail, abort.reason),
        }
    };
    (@skip $rail:ident, $reason:expr, $substitute:expr) => {
        return Ok(hand_written::Decision::Skip { by: stringify!($rail), reason: $reason, substitute: $substitute })
    };
    (@retry $rail:ident, $request:expr) => {
        return Ok(hand_written::Decision::Retry { by: stringify!($rail), request: $request })
    };
    (@abort $rail:ident, $reason:expr) => {
        return Ok(hand_written::Decision::Abort {
            by: stringify!($rail),
            event: HookPoint::PreToolCall,
            reason: $reason,
        })
    };
}

pub(crate) use hand_written;
