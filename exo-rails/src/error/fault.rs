//! Faults of rails that could not decide. A fault is never a decision.

use std::error::Error as StdError;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::point::{HookPoint, RailName};

/// The fault of a rail that could not decide.
///
/// If a rail that can decide or can change the event's data faults, the run ends with this error: the rail fails
/// closed. If a rail that only observes faults, the library reports a `tracing` warning and the run continues, because
/// no guard was lost. The table of [`OnFault`](crate::OnFault) shows all effects of a fault, and how to change them for
/// a rail.
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
    /// The name of the rail, or the type of the hook.
    pub rail_name: RailName,
    /// The event at which the rail faulted.
    pub event: HookPoint,
    /// The cause of the fault.
    #[source]
    pub cause: FaultCause,
}

/// The reason why a rail could not decide.
///
/// It can always be displayed. If the text of an error panics, the cause reports this instead of the text.
#[derive(Debug)]
#[non_exhaustive]
pub enum FaultCause {
    /// The rail returned this error, or a parameter of the rail had no value.
    ///
    /// The library logs the text of the error unchanged, so the text must not quote data that the rail guards. Errors
    /// of `serde_json` quote data. A rail should therefore read the arguments of a tool as [`Args<T>`](crate::Args),
    /// whose [error](crate::ArgsError) does not quote them.
    Error(Box<dyn StdError + Send + Sync>),
    /// The rail took longer than its `timeout`.
    Timeout {
        /// The time limit of the rail.
        limit: Duration,
    },
    /// The rail panicked, and has `on_panic = "fault"`.
    Panic {
        /// The message of the panic.
        message: String,
    },
    /// A plain hook returned an action that the event does not allow. The compiler cannot check the actions of plain
    /// hooks.
    IllegalAction {
        /// The action: `skip`, `retry` or `abort`.
        action: &'static str,
    },
    /// A plain hook skipped with a substitute that is not the output type of the operation.
    WrongSubstitute {
        /// The expected type.
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
                write!(f, "the substitute of the skip has the wrong type: give a `{expected}`")
            }
        }
    }
}

impl StdError for FaultCause {
    // The text of the cause is the text of the error, so its source is the source of the error.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Error(error) => error.source(),
            _ => None,
        }
    }
}

/// Drops a value of a rail, and catches a panic of its `drop`.
pub(crate) fn drop_quietly<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // Dropping the panic may panic too, and so on.
        mem::forget(panic);
    }
}

impl RailFault {
    /// Makes the fault of this rail at this event. Use it in custom guard sets and hooks.
    pub fn new(
        rail_name: impl Into<RailName>,
        event: HookPoint,
        error: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { rail_name: rail_name.into(), event, cause: FaultCause::Error(error.into()) }
    }
}
