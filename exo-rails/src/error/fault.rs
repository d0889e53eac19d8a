//! Faults: rails that could not decide. Never confused with a decision.

use std::error::Error as StdError;
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
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaultCause {
    /// It returned this error.
    #[error(transparent)]
    Error(Box<dyn StdError + Send + Sync>),
    /// It took longer than its `timeout`.
    #[error("it took longer than {limit:?}")]
    Timeout {
        /// How long it may take.
        limit: Duration,
    },
    /// It panicked, and has `on_panic = "fault"`.
    #[error("it panicked: {message}")]
    Panic {
        /// What the panic says.
        message: String,
    },
    /// A plain hook, whose types the compiler cannot hold against the event, took an action that the event
    /// does not allow.
    #[error("the event does not allow a hook to {action}")]
    IllegalAction {
        /// The action: `skip`, `retry` or `abort`.
        action: &'static str,
    },
    /// A plain hook skipped with a substitute that is not what the operation yields.
    #[error("the substitute of the skip has the wrong type: `{expected}` belongs there")]
    WrongSubstitute {
        /// The type that belongs there.
        expected: &'static str,
    },
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
