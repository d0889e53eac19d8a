//! The names that most programs with rails need: `use exo_rails::prelude::*`.
//!
//! The prelude has the events and the types that they carry, the return types of rails, the guard sets, and the macros.
//! Messages are in [`message`](crate::message).
//!
//! The event [`Error`](struct@crate::events::Error) is not in the prelude, because its name would clash with the trait
//! `std::error::Error`: write `events::Error`. In the list of a rail's events you can write the name alone: `on = [Error]`.

// For `SupportRails::PLAN`. Without a name, because other crates have a `Chain` too.
pub use crate::Chain as _;
pub use crate::events::{
    self, ContextAssembled, ContextOverflow, Dropped, Finished, LlmChunk, LlmError, MemoryRecalled, MemoryStored,
    PostCompaction, PostLlmCall, PostToolCall, PreCompaction, PreLlmCall, PreToolCall, SessionEnd, SessionStart, Start,
    Suspended, ToolError,
};
pub use crate::{
    Args, Decision, Event, Guard, GuardSet, HookManager, HookPoint, Inputs, InvokeInputs, InvokeOutput,
    ModelCallInputs, ModelResponse, OperationError, OperationErrorKind, Permit, Provide, Provided, Rail, RailAction,
    RailContext, RailFault, RailManager, RetryRequest, RunContext, RunError, StreamWindow, Tool, ToolArgs,
    ToolCallInputs, ToolOutput, ToolSet, Verdict, on, rail, rail_chain,
};
