//! What most programs with rails need: `use exo_rails::prelude::*`. Messages are in [`message`](crate::message).
//!
//! The event [`Error`](struct@crate::events::Error) is in it; where `std::error::Error` is imported by name as well,
//! write `exo_rails::events::Error` for the event.

pub use crate::events::{
    Error, Finished, LlmChunk, LlmError, PostCompaction, PostLlmCall, PostToolCall, PreCompaction, PreLlmCall,
    PreToolCall, SessionEnd, SessionStart, Start, ToolError,
};
pub use crate::{
    Args, Chain, ChainPolicy, CompactionInputs, CompactionOutput, Decision, Event, Guard, GuardSet, HookManager,
    HookPoint, Inputs, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, NoRails, NoRetry, NoSubstitute,
    OperationError, OperationErrorKind, Permit, Provide, Provided, Rail, RailAbortError, RailAction, RailContext,
    RailFault, RailManager, RetryRequest, RunContext, RunError, SessionInfo, StopKind, StoppedBy, StreamWindow, Tool,
    ToolArgs, ToolCallInputs, ToolFor, ToolOutput, ToolSet, Verdict, chain_policy, on, rail, rail_chain, tools,
};
