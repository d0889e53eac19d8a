//! Hook handlers: programs, HTTP endpoints, models and agents that decide about events.
//!
//! A [handler](HandlerConfig) names events and what it [runs](Run). It receives the event as JSON and answers with JSON. Use
//! it for checks that are not written in Rust, or that a user of your program configures.
//!
//! # The protocol
//!
//! A command reads one JSON object from its standard input, and an endpoint receives it as the body of a `POST`:
//!
//! ```json
//! {
//!   "session_id": "s-1",
//!   "run_id": "run-7",
//!   "agent": "support",
//!   "step": 2,
//!   "hook_event": "pre_tool_call",
//!   "timestamp": "2026-11-22T10:00:00.000Z",
//!   "tool_name": "write_file",
//!   "tool_call_id": "call-1",
//!   "arguments": { "path": "a.txt" }
//! }
//! ```
//!
//! `session_id` is `null` outside of a session. The first six fields belong to every event. [`HandlerEvent`] lists the
//! others.
//!
//! The answer is nothing, or one JSON object with these fields, all optional:
//!
//! | field | meaning |
//! |---|---|
//! | `decision` | `"allow"`, `"ask"` or `"block"`. Without it, the handler has no objection |
//! | `reason` | why. Needs a `decision` |
//! | `context_message` | a text that the model reads before its next answer |
//! | `updated` | the new arguments (an object, at `pre_tool_call`), or the new text (at `start`, `post_llm_call`, `post_tool_call` and `finished`) |
//! | `suppress_output` | `true` keeps what the command writes to its standard error out of `tracing` |
//!
//! The exit code of a command is a decision too:
//!
//! | exit code | effect |
//! |---|---|
//! | 0 | the answer on the standard output decides |
//! | 2 | blocks, whatever the output is. The reason is that of the answer, or the standard error |
//! | another, or a signal | a fault |
//!
//! # Faults
//!
//! A handler that cannot decide has a fault. [`FailMode`] says what follows: by default the run ends. These are faults:
//!
//! - The command or the request cannot be started, takes too long, or answers with too much.
//! - The command ends with another exit code than 0 and 2, or by a signal.
//! - The status of the endpoint is not 2xx. Redirections are not followed.
//! - The answer is not JSON, has an unknown field or an unknown decision, such as `"Block"` or `"deny"`, or an `updated`
//!   that the event cannot use.
//! - The handler decides about an event that only reports, such as `error`.
//!
//! # Several handlers
//!
//! All handlers of an event run, one after the other, in the order of the configuration. The strictest answer counts: a
//! fault, then `block`, `ask`, `allow`. Reasons are joined. A handler sees what the handlers before it have updated, so put
//! the handlers that rewrite first.
//!
//! With [`background`](HandlerConfig::background), a handler starts, and the event does not wait for it. The handler decides nothing.
//!
//! # Modes
//!
//! In shadow, handlers run too, because their answer is the decision. They receive the event, but change nothing. Background
//! handlers do not run in shadow, because they have effects only.

#[cfg(feature = "agent")]
mod asked;
mod builder;
#[cfg(unix)]
mod command;
mod error;
mod event;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod handler;
#[cfg(feature = "http")]
mod http;
mod outcome;
mod output;

pub use builder::HookHandlersBuilder;
pub use error::{HandlerError, HandlerFault};
pub use exo_rails_policy::hook_handlers::{
    AgentRun, CommandRun, FailMode, HandlerConfig, HandlerEvent, HookHandlersConfig, HttpRun, OnBlock, PromptRun, Run,
};
pub use guard::HookHandlers;
