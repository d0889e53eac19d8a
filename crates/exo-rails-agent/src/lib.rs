//! A small agent built on [exo-rails](exo_rails), with an agent loop, sessions, compaction, memory and models.
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails_agent::{Agent, ScriptedModel};
//!
//! /// Refuses tools that destroy data.
//! #[rail(priority = 10, on = [PreToolCall])]
//! async fn block_dangerous(call: &ToolCallInputs) -> RailAction {
//!     if call.tool_name == "delete_file" { RailAction::skip("destructive") } else { RailAction::Continue }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model: ScriptedModel = r#"[{ "call": [{ "tool": "delete_file" }] }, { "say": "I may not." }]"#.parse()?;
//! let agent = Agent::builder("support", model).rails(rail_chain![block_dangerous]).build();
//! assert_eq!(agent.run("Delete everything.").await?.text, "I may not.");
//! # Ok(()) }
//! ```
//!
//! The crate uses only the public API of `exo-rails`, so an agent loop in your program can do everything that this agent does.
//!
//! | feature | what it adds | dependencies |
//! |---|---|---|
//! | `openai` | `openai::ChatModel` | an HTTP client with TLS: `reqwest`, `rustls` |
//! | `anthropic` | `anthropic::MessagesModel` | the same |
//! | `openai-http`, `anthropic-http` | the same models without TLS, for a server on the same machine | an HTTP client: `reqwest` |
//!
//! No feature is enabled by default.

mod agent;
#[cfg(feature = "anthropic-http")]
pub mod anthropic;
mod compaction;
#[cfg(all(any(test, fuzzing), feature = "openai-http", feature = "anthropic-http"))]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(any(feature = "openai-http", feature = "anthropic-http"))]
mod http;
mod memory;
mod model;
#[cfg(feature = "openai-http")]
pub mod openai;
pub mod platform;
mod scripted;
mod session;
mod spec;
pub mod testing;

pub use agent::{
    Agent, AgentBuilder, AskedCall, CallState, Checkpoints, FailedRun, FileCheckpoints, IntoRun, NotOpen, Resolution,
    RunEvent, RunFuture, RunSoFar, RunStart, RunStream, SuspendedCall, SuspendedMemory, SuspendedRun,
};
pub use compaction::{Compaction, Compactor, KeepNewest, estimated_tokens};
pub use memory::{InMemory, Memory};
pub use model::Model;
pub use scripted::{ScriptError, ScriptedModel};
pub use session::{SavedSession, Session};
pub use spec::SpecError;

// These items are public outside of `cargo doc`: error messages name them, and rustc writes the whole path of a hidden
// item.
#[cfg_attr(doc, doc(hidden))]
pub use agent::{IntoGuardSet, IntoTools};
#[cfg_attr(doc, doc(hidden))]
pub use model::DynModel;
