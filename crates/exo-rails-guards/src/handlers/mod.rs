//! Hook handlers: programs, HTTP endpoints, models and agents that decide about events.
//!
//! A [handler](HandlerConfig) names events and what it [runs](Run). It receives the event as JSON and answers with JSON. Use
//! it for checks that are not written in Rust, or that a user of your program configures.
//!
//! The page "Hook handlers" of the book describes the protocol, the faults, and what happens if several handlers decide.

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
