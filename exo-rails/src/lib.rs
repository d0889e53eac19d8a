//! Guards for the lifecycle of LLM agents, checked, sorted and linked at compile time.

extern crate self as exo_rails;

mod action;
mod chain;
pub mod checks;
mod context;
mod decision;
mod error;
mod event;
mod fault;
mod hook_manager;
mod hook_point;
pub mod message;
mod operation;
mod payload;
mod permit;
mod plan;
mod rail;
mod rail_manager;
mod rails;
mod reason;
mod state;

pub use action::{NoSubstitute, RailAction, RailOutput, RetryRequest, Skip, Verdict};
pub use chain::Chain;
pub use context::{RailContext, RunScope};
pub use decision::{Decision, Outcome, Stop};
pub use error::{OperationError, OperationErrorKind, RailAbortError, RetriesExhausted, RunError};
pub use event::{
    Allows, AllowsAbort, AllowsRetry, AnyEvent, AnySubstitute, Event, Inputs, Param, Payloads, SubstituteFor, events,
};
pub use fault::{FaultCause, RailFault};
pub use hook_manager::{Hook, HookFuture, HookHandle, HookManager};
pub use hook_point::{HookPoint, UnknownHookPoint};
pub use operation::Guarded;
pub use payload::{InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput};
pub use permit::Permit;
pub use plan::{EventPlan, Plan, PlannedRail};
pub use rail::{Declared, Rail, RailInfo, RailOn};
pub use rail_manager::{DuplicateRail, RailHandle, RailManager, RailManagerHook, RailNotFound};
pub use rails::{NoRails, Rails, RunOn};
pub use reason::Reason;
pub use state::{Extra, Store};
pub use tokio_util::sync::CancellationToken;

/// The priority of a rail that gives none.
pub const DEFAULT_PRIORITY: i32 = 50;

pub use exo_rails_macros::{on, rail, rail_chain};

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

/// Everything that a program with rails needs: `use exo_rails::prelude::*`.
pub mod prelude {
    pub use crate::events::{
        Error, Finished, LlmError, PostLlmCall, PostToolCall, PreLlmCall, PreToolCall, Start, ToolError,
    };
    pub use crate::{
        Chain, Decision, HookManager, HookPoint, Inputs, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse,
        NoRails, OperationError, Permit, Rail, RailAbortError, RailAction, RailContext, RailFault, RailManager, Rails,
        RetryRequest, RunError, ToolCallInputs, ToolOutput, Verdict, on, rail, rail_chain,
    };
}
