//! What one would write without the library: the rails called one after the other, each decision acted on.

use std::error::Error;

use exo_rails::{HookPoint, Reason, RetryRequest, ToolOutput};

/// What the rails decided: the library's `Decision`, which only the library can make.
pub(crate) enum Decision {
    Continue,
    Skip { by: &'static str, reason: Reason, substitute: Option<ToolOutput> },
    Retry { by: &'static str, request: RetryRequest },
    Abort { by: &'static str, event: HookPoint, reason: Reason },
}

/// A rail that could not decide.
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

    /// What becomes of the fault of a rail that only observes.
    #[cold]
    pub(crate) fn report(&self) {
        eprintln!("the rail `{}` faulted at {}: {}", self.by, self.event, self.error);
    }
}

/// One call of a rail, by what it returns: it is awaited, and the function returns unless it continues.
macro_rules! hand_written {
    ({ (): $rail:ident($($arg:ident),*) }) => {
        $rail($($arg),*).await
    };
    ({ Verdict: $rail:ident($($arg:ident),*) }) => {
        hand_written!(@verdict $rail, $rail($($arg),*).await)
    };
    ({ Option<Verdict>: $rail:ident($($arg:ident),*) }) => {
        if let Some(verdict) = $rail($($arg),*).await {
            hand_written!(@verdict $rail, verdict)
        }
    };
    ({ RailAction: $rail:ident($($arg:ident),*) }) => {
        hand_written!(@action $rail, $rail($($arg),*).await)
    };
    ({ RailAction<ToolOutput>: $rail:ident($($arg:ident),*) }) => {
        match $rail($($arg),*).await {
            RailAction::Continue => {}
            RailAction::Skip(skip) => hand_written!(@skip $rail, skip.reason, skip.substitute),
            RailAction::Retry(request) => hand_written!(@retry $rail, request),
            RailAction::Abort(reason) => hand_written!(@abort $rail, reason),
        }
    };
    ({ Option<RailAction>: $rail:ident($($arg:ident),*) }) => {
        if let Some(action) = $rail($($arg),*).await {
            hand_written!(@action $rail, action)
        }
    };
    ({ Result<()>: $rail:ident($($arg:ident),*) }) => {
        if let Err(error) = $rail($($arg),*).await {
            hand_written::Fault::new(stringify!($rail), error).report();
        }
    };
    ({ Result<Verdict>: $rail:ident($($arg:ident),*) }) => {
        match $rail($($arg),*).await {
            Ok(verdict) => hand_written!(@verdict $rail, verdict),
            Err(error) => return Err(hand_written::Fault::new(stringify!($rail), error)),
        }
    };
    ({ Result<RailAction>: $rail:ident($($arg:ident),*) }) => {
        match $rail($($arg),*).await {
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
            RailAction::Abort(reason) => hand_written!(@abort $rail, reason),
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
