//! Faults: rails that could not decide. Never confused with a decision.

use std::error::Error as StdError;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::point::{HookPoint, RailName};

/// A rail could not decide.
///
/// A rail that can decide, or that can change what the event carries, and faults ends the run with this error: it
/// fails closed. A rail that can only observe is reported as a `tracing` warning and the run goes on, because no
/// guard was lost. All that a fault can come to, and how to say otherwise for one rail, is in the table of [`OnFault`](crate::OnFault).
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 20, on = [PreToolCall])]
/// fn policy(_call: &ToolCallInputs) -> Result<RailAction, std::io::Error> {
///     Err(std::io::Error::other("the policy server is down"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let rails = rail_chain![policy];
/// let mut call = ToolCallInputs::new("delete_file");
/// let fault = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await.unwrap_err();
/// assert_eq!(fault.rail_name, "policy");
/// assert_eq!(fault.to_string(), "rail `policy` faulted at pre_tool_call: the policy server is down");
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[error("rail `{rail_name}` faulted at {event}: {cause}")]
#[non_exhaustive]
pub struct RailFault {
    /// The rail, or the type of the hook.
    pub rail_name: RailName,
    /// The event at which it faulted.
    pub event: HookPoint,
    /// What happened.
    #[source]
    pub cause: FaultCause,
}

/// What kept a rail from deciding.
///
/// It can always be shown: in the place of an error whose text panics, it says so.
#[derive(Debug)]
#[non_exhaustive]
pub enum FaultCause {
    /// It returned this error. The text is logged as it is, so it must not quote what the rail guards. The errors of `serde_json`
    /// do: a rail reads the arguments of a tool as [`Args<T>`](crate::Args), whose [error](crate::ArgsError) does not.
    Error(Box<dyn StdError + Send + Sync>),
    /// It took longer than its `timeout`.
    Timeout {
        /// How long it may take.
        limit: Duration,
    },
    /// It panicked, and has `on_panic = "fault"`.
    Panic {
        /// What the panic says.
        message: String,
    },
    /// A plain hook, whose types the compiler cannot hold against the event, took an action that the event
    /// does not allow.
    IllegalAction {
        /// The action: `skip`, `retry` or `abort`.
        action: &'static str,
    },
    /// A plain hook skipped with a substitute that is not what the operation yields.
    WrongSubstitute {
        /// The type that belongs there.
        expected: &'static str,
    },
}

impl fmt::Display for FaultCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => match catch_unwind(AssertUnwindSafe(|| error.to_string())) {
                Ok(text) => f.write_str(&text),
                Err(panic) => {
                    drop_quietly(panic);
                    f.write_str("its error panics when it is shown")
                }
            },
            Self::Timeout { limit } => write!(f, "it took longer than {limit:?}"),
            Self::Panic { message } => write!(f, "it panicked: {message}"),
            Self::IllegalAction { action } => write!(f, "the event does not allow a hook to {action}"),
            Self::WrongSubstitute { expected } => {
                write!(f, "the substitute of the skip has the wrong type: `{expected}` belongs there")
            }
        }
    }
}

impl StdError for FaultCause {
    // The text is that of the error, so its source is as well.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Error(error) => error.source(),
            _ => None,
        }
    }
}

/// Drops what a rail has left behind. When that panics, the panic goes no further.
pub(crate) fn drop_quietly<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // It may panic as well, and so on.
        mem::forget(panic);
    }
}

impl RailFault {
    /// A fault of this rail at this event: for custom guard sets and hooks.
    pub fn new(
        rail_name: impl Into<RailName>,
        event: HookPoint,
        error: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { rail_name: rail_name.into(), event, cause: FaultCause::Error(error.into()) }
    }
}
