//! Helpers for tests of rails in a scripted run of an agent.
//!
//! [`run`] runs an agent. The model of the agent replays a [script](crate::ScriptedModel), and its tools return the
//! outputs that the test sets. The assertions are those of [`exo_rails::testing`].
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails::StopKind;
//! use exo_rails_agent::testing;
//! use serde_json::json;
//!
//! #[rail(priority = 10, on = [PreToolCall])]
//! fn keep_files(call: &ToolCallInputs) -> RailAction {
//!     if call.tool_name == "delete_file" { RailAction::skip("people delete files") } else { RailAction::Continue }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let script = r#"[
//!     { "call": [{ "tool": "search", "arguments": { "query": "orders" } }, { "tool": "delete_file" }] },
//!     { "say": "There are three." }
//! ]"#;
//! let run = testing::run(rail_chain![keep_files], script)
//!     .tool("search", "three orders")
//!     .tool("delete_file", "gone")
//!     .await;
//! run.assert_output("There are three.");
//! run.assert_calls("delete_file", 0).assert_called_with("search", &json!({ "query": "orders" }));
//! run.assert_told("three orders").assert_told("people delete files");
//! run.assert_decisions([(HookPoint::PreToolCall, StopKind::Skip, "keep_files")]);
//! # }
//! ```
//!
//! This module does not change the clock: a retry waits for the delay that its rail sets. To test without waiting, enable
//! the feature `test-util` of tokio and use `#[tokio::test(start_paused = true)]`. Waits then take no time, and
//! `tokio::time::Instant` shows how long they would take.

mod run;
mod traced_model;

pub use run::{ScriptedAgent, ScriptedRun, run};
pub use traced_model::TracedModel;
