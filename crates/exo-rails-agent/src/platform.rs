//! The hook points of the agent platform y-agent, as events of this library.
//!
//! y-agent has 24 hook points. An [`Agent`](crate::Agent) or a [`Session`](crate::Session) fires thirteen of them. This
//! module has these thirteen events under their names in y-agent. Each name is an alias: a rail on [`PreToolExecute`] is
//! a rail on [`PreToolCall`].
//!
//! | point of y-agent | event | fired by |
//! |---|---|---|
//! | `PreLlmCall`, `PostLlmCall` | the same | `Agent`, around each call of its model |
//! | `PreToolExecute`, `PostToolExecute` | `PreToolCall`, `PostToolCall` | `Agent`, around each call of a tool |
//! | `SessionCreated`, `SessionClosed` | `SessionStart`, `SessionEnd` | `Session`, in `start` and `end` |
//! | `PreCompaction`, `PostCompaction` | the same | `Agent`, when its [`Compaction`](crate::Compaction) shortens the history |
//! | `ContextOverflow` | the same | `Agent`, when the messages for its model exceed the [budget](crate::AgentBuilder::context_budget) |
//! | `MemoryRecalled`, `MemoryStored` | the same | `Agent`, after its [`Memory`](crate::Memory) has recalled something, and before it stores something |
//! | `AgentLoopStart`, `AgentLoopEnd` | `Start`, `Finished` | `Agent`, around each run |
//!
//! This crate does not fire the other eleven points, and a rail on one of them would never run. So the module lacks
//! `WorkflowStarted`, `WorkflowCompleted`, `PrePipelineStep`, `PostPipelineStep`, `ToolGapDetected`, `ToolGapResolved`,
//! `AgentGapDetected`, `AgentGapResolved`, `DynamicAgentCreated`, `DynamicAgentDeactivated` and `PostSkillInjection`. If
//! your program has such a point, declare the point as a [custom event](derive@exo_rails::Event) and fire it there.
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails_agent::platform::PreToolExecute;
//! use exo_rails_agent::testing;
//!
//! #[rail(priority = 10, on = [PreToolExecute])]
//! fn no_shell(call: &ToolCallInputs) -> RailAction {
//!     if call.tool_name == "shell" { RailAction::skip("no shell") } else { RailAction::Continue }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let script = r#"[{ "call": [{ "tool": "shell" }] }, { "say": "I may not." }]"#;
//! let run = testing::run(rail_chain![no_shell], script).tool("shell", "done").await;
//! run.assert_calls("shell", 0);
//! # }
//! ```

use exo_rails::events::{Finished, PostToolCall, PreToolCall, SessionEnd, SessionStart, Start};

pub use exo_rails::events::{
    ContextOverflow, MemoryRecalled, MemoryStored, PostCompaction, PostLlmCall, PreCompaction, PreLlmCall,
};

/// A tool is about to be called.
pub type PreToolExecute = PreToolCall;

/// A tool has returned.
pub type PostToolExecute = PostToolCall;

/// A session begins.
pub type SessionCreated = SessionStart;

/// A session ends.
pub type SessionClosed = SessionEnd;

/// A run begins.
pub type AgentLoopStart = Start;

/// A run has its answer.
pub type AgentLoopEnd = Finished;
