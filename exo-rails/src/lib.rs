#![doc = include_str!("../README.md")]
//! # Where to begin
//!
//! - [`prelude`] has what most programs need.
//! - [`Event`] has a table of all events: when they happen, what they carry, and which decisions they allow.
//! - [`macro@rail`] and [`rail_chain!`] describe their options.
//! - [`RailAction`] and [`Verdict`] are what most rails return. [`OnFault`] says what happens if a rail cannot decide.
//! - [`Guard`] has the methods that run an operation between its rails.
//! - [`RailContext`] is what a rail knows about its run, and [`RunContext`] is the run.

extern crate self as exo_rails;

mod action;
mod bus;
mod chain;
mod context;
mod decision;
mod error;
mod event;
mod guard_set;
mod macros;
pub mod message;
mod operation;
mod point;
pub mod prelude;
mod rail;
pub mod telemetry;
pub mod testing;

pub use action::{
    Abort, Allowed, EventCannotAbort, EventCannotRetry, EventCannotSkip, NoRetry, NoSubstitute, RailAction, RailRetry,
    RailSkip, RetryOrContinue, RetryRequest, Skip, Verdict,
};
pub use bus::{EventBus, EventRecord, Lagged, RecordPayload, Subscription, WithEvents};
pub use chain::around::WithoutAround;
pub use chain::{Chain, ChainRequirements, Requirement, Serves};
pub use context::{
    AnswerLimit, Extensions, HookState, KeptValues, OperationEnd, Provided, RailContext, RestoreError, RunContext,
    RunScope, SavedContext, SharedExtensions, StopKind, StoppedBy,
};
pub use decision::{Decision, OnFault, Outcome, RailOutput, ShadowDecision};
pub use error::{
    Ending, FaultCause, OpenQuestion, OperationError, Question, RailAbortError, RailFault, RetriesExhausted,
    RetryLimit, RunError, SavedFailure, SuspendedResult, Suspension,
};
pub use event::{
    Allows, AllowsAbort, AllowsRetry, AllowsSkip, AnyEvent, Begins, CopiedPayload, CustomInputs, CustomOperation,
    Event, EventPart, Inputs, IsEvent, Next, Operation, OperationResult, Payloads, SubstituteFor, events, operations,
};
/// The trait of a streamed answer of a model, re-exported from `futures_core`.
pub use futures_core::Stream;
pub use guard_set::{
    AddedRail, DuplicateRail, DynGuardSet, DynServes, GuardSet, Hook, HookFuture, HookHandle, HookManager, LiveRails,
    ManagedRail, Meets, NoRails, ObserverFuture, RailHandle, RailManager, RailsMeet, RegisterError,
};
pub use macros::*;
pub use message::compaction::{CompactionInputs, CompactionOutput};
pub use message::context::ContextInputs;
pub use message::delta::{ModelDelta, ResponseBuilder, ToolCallDelta};
pub use message::dropped::{DroppedInputs, DroppedScope};
pub use message::error_kind::OperationErrorKind;
pub use message::memory::{MemoryEntry, MemoryItem, MemoryQuery, RecalledMemory};
pub use message::pattern::{Excerpt, Pattern, PatternMatch, Search};
pub use message::payload::{
    IntoInvokeInputs, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput,
};
pub use message::session::SessionInfo;
pub use message::stream::{IsSink, StreamPiece, StreamSink};
pub use message::window::StreamWindow;
pub use operation::{
    AnyRails, Args, ArgsError, DeltaStream, Guard, Guarded, GuardedFuture, GuardedOnce, GuardedResult, GuardedStream,
    IntoFailure, IntoOutput, IsFuture, IsStream, Permit, Proving, ServesOperation, Tool, ToolArgs, ToolFor,
    ToolFunction, ToolSet,
};
pub use point::{
    CustomPoint, DEFAULT_PRIORITY, HookPoint, IntoRailName, RailInfo, RailName, Reason, SourceLocation,
    UnknownHookPoint,
};
pub use rail::{
    EventFact, EventPlan, FactValue, InMode, Mode, Plan, PlannedRail, Provide, Rail, RailOn, Reloadable, facts,
};
/// The crate that derives the schema of a tool's arguments. With this re-export, a program needs no dependency on
/// `schemars`: `use exo_rails::schemars::{self, JsonSchema};`.
#[cfg(feature = "schemars")]
pub use schemars;
pub use tokio_util::sync::CancellationToken;

// Hidden only while rustdoc runs, for the same reason as the module below.
#[cfg_attr(doc, doc(hidden))]
pub use chain::{ServesEvent, ServesItsEvents};
#[cfg_attr(doc, doc(hidden))]
pub use guard_set::{DynLifecycle, ServesEveryEvent};

// Hidden only while rustdoc runs. rustc writes the full path of an item in a hidden module, and errors name these traits.
#[cfg_attr(doc, doc(hidden))]
pub mod for_macros;
