#![cfg_attr(docsrs, feature(doc_cfg))]
//! Ready-made guards for LLM agents.
//!
//! A *guard* is a rail that you configure instead of writing it. There are two ways to use the guards:
//!
//! - Make a [`Kit`] from a configuration file. A kit is a chain of guards, and a guard set: give it to an agent, or call its
//!   methods, such as `guard_tool_call`, in your own loop.
//! - List single guards in a chain, like any other rail. Almost every guard has a configuration type, and most have a builder.
//!
//! This program makes a kit with two guards:
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails_guards::Kit;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kit = Kit::from_toml(r#"
//!     [permissions]
//!     default = "allow"
//!     rules = [{ name = "no-deletion", tool = "delete_*", decision = "deny", because = "records are kept for ten years" }]
//!
//!     [budgets]
//!     limits = [{ name = "mails", of = "tool_calls", tools = "send_*", most = 1 }]
//! "#)?;
//!
//! let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
//! let mut ctx = RunContext::new("desk");
//! let output = kit.guard_tool_call(ToolCallInputs::new("send_mail"), &mut ctx, tool).await?;
//! assert_eq!(output.content, "done");
//!
//! // The model reads why a call did not run.
//! let output = kit.guard_tool_call(ToolCallInputs::new("send_mail"), &mut ctx, tool).await?;
//! assert!(output.content.contains("budgets/mails: the budget of 1 tool calls per run has no room"));
//! let output = kit.guard_tool_call(ToolCallInputs::new("delete_order"), &mut ctx, tool).await?;
//! assert!(output.content.contains("permissions/no-deletion: records are kept for ten years"));
//! # Ok(()) }
//! ```
//!
//! # The guards
//!
//! | guards | what they do |
//! |---|---|
//! | [`Permissions`], [`Approval`], [`RiskScore`] | decide which tool calls run, and which need a person: see [`approval`] |
//! | `PathSandbox` (feature `paths`), `UrlGuard` (feature `urls`) | check paths and URLs in tool calls |
//! | [`Sizes`], [`Structure`], [`CapabilityGap`], `ToolSchemas` and `StructuredAnswer` (feature `schema`) | check the form of tool calls and answers |
//! | [`Secrets`], [`PersonalData`] | hide values in all texts of a run |
//! | [`ContentFilter`], [`Injection`], [`DataFlow`] | filter texts, find prompt injections, and follow values from untrusted tools |
//! | [`Sequence`], [`Loops`], [`Repetition`] | check the order of tool calls, and end loops and repeated text |
//! | [`Budgets`], [`RateLimits`], [`Concurrency`], [`Timeouts`] | limit calls, tokens, costs and time |
//! | [`Retry`], [`Fallback`], [`CircuitBreaker`] | deal with models and tools that fail |
//! | `HookHandlers` (feature `handlers`) | let commands, HTTP endpoints, models and agents decide |
//! | `Audit` (feature `audit`) | writes a log of everything that agents do |
//!
//! # What all guards have in common
//!
//! - A guard reports what it finds as a [`Finding`]. The reason of a refusal begins with the names of the guard and the rule,
//!   such as `permissions/no-deletion`.
//! - A configuration with a mistake makes no guard. The [`ConfigError`] names the place, the key and what to write.
//! - A guard can run in shadow: it decides, and the library only reports the decision. See
//!   [`Mode`](exo_rails::Mode) and [`WithMode`](config::WithMode).
//! - Guards that count for several runs or processes keep their counts in a [`StateStore`].

pub mod approval;
mod arguments;
#[cfg(feature = "audit")]
#[cfg_attr(docsrs, doc(cfg(feature = "audit")))]
pub mod audit;
mod automaton;
pub mod budgets;
pub mod capability_gap;
pub mod circuit_breaker;
pub mod concurrency;
pub mod config;
pub mod content;
pub mod data_flow;
pub mod fallback;
mod finding;
#[cfg(feature = "handlers")]
#[cfg_attr(docsrs, doc(cfg(feature = "handlers")))]
pub mod handlers;
mod hidden;
mod history;
#[cfg(feature = "http")]
mod http_thread;
pub mod injection;
mod judged;
pub mod kit;
mod kit_guard;
mod limits;
pub mod loops;
#[cfg(feature = "paths")]
#[cfg_attr(docsrs, doc(cfg(feature = "paths")))]
pub mod paths;
pub mod permissions;
pub mod personal_data;
mod places;
pub mod rate_limits;
#[cfg(any(feature = "paths", feature = "urls"))]
mod refusal;
pub mod repetition;
pub mod retry;
pub mod risk;
mod rules;
pub mod scan;
pub mod secrets;
pub mod sequence;
mod shape;
pub mod sizes;
pub mod store;
pub mod structure;
#[cfg(feature = "schema")]
#[cfg_attr(docsrs, doc(cfg(feature = "schema")))]
pub mod structured_answer;
pub mod timeouts;
#[cfg(feature = "schema")]
#[cfg_attr(docsrs, doc(cfg(feature = "schema")))]
pub mod tool_schemas;
#[cfg(feature = "urls")]
#[cfg_attr(docsrs, doc(cfg(feature = "urls")))]
pub mod urls;
mod vault;
#[cfg(feature = "watch")]
mod watch;
mod wording;

pub use approval::Approval;
pub use budgets::Budgets;
pub use capability_gap::CapabilityGap;
pub use circuit_breaker::CircuitBreaker;
pub use concurrency::Concurrency;
pub use content::ContentFilter;
pub use data_flow::DataFlow;
pub use exo_rails_policy::approval::{ApprovalConfig, ApprovalRule};
pub use exo_rails_policy::risk::RiskConfig;
pub use exo_rails_policy::{
    AfterFeedback, ConfigError, ListOf, OnRefusal, PointerPattern, Scope, Severity, TextList, ToolPattern,
};
#[cfg(feature = "shell")]
#[cfg_attr(docsrs, doc(cfg(feature = "shell")))]
pub use exo_rails_shell as shell;
pub use fallback::Fallback;
pub use finding::{Finding, Findings, Place};
pub use injection::Injection;
pub use kit::Kit;
pub use limits::scope::{ScopeError, UserId};
pub use loops::Loops;
#[cfg(feature = "paths")]
pub use paths::PathSandbox;
pub use permissions::{Permissions, PermissionsConfig};
pub use personal_data::PersonalData;
pub use rate_limits::RateLimits;
pub use repetition::Repetition;
pub use retry::Retry;
pub use risk::RiskScore;
pub use secrets::Secrets;
pub use sequence::{Sequence, sequence_rules};
pub use sizes::Sizes;
pub use store::{StateStore, StoreError};
pub use structure::Structure;
#[cfg(feature = "schema")]
pub use structured_answer::StructuredAnswer;
pub use timeouts::Timeouts;
#[cfg(feature = "schema")]
pub use tool_schemas::ToolSchemas;
#[cfg(feature = "urls")]
pub use urls::UrlGuard;
#[cfg(feature = "watch")]
#[cfg_attr(docsrs, doc(cfg(feature = "watch")))]
pub use watch::{ConfigWatch, Reload, WatchError};

/// The names that the expansion of [`sequence_rules!`] uses. Do not use them in other code: they change without notice.
#[doc(hidden)]
pub mod for_macros {
    pub use crate::sequence::typed::{TypedField, TypedRule, TypedTool, same, tool};
}
