//! The policy file of `exo-rails`: the types of its configuration, and the places of mistakes.
//!
//! A policy file is TOML with a table for each guard. This crate has the types of these tables, and depends on no guard: a
//! program, a macro and the guards read the same file in the same way, and only the guards need their engines.
//!
//! ```
//! use exo_rails_policy::{GuardMode, PolicyConfig, from_toml};
//!
//! let policy: PolicyConfig = from_toml("[structure]\n\n[risk]\nmode = 'shadow'\n")?;
//! assert_eq!(policy.risk.map(|risk| risk.mode), Some(GuardMode::Shadow));
//!
//! let error = from_toml::<PolicyConfig>("[size]").unwrap_err();
//! assert_eq!(error.to_string(), "line 1, column 2: unknown key `size`: did you mean `sizes`?");
//! # Ok::<(), exo_rails_policy::ConfigError>(())
//! ```
//!
//! # Modules
//!
//! Each table has a module of its name. What several tables share is at the root: names of tools ([`ToolPattern`]) and of
//! arguments ([`PointerPattern`]), scopes ([`Scope`]), severities ([`Severity`]), exact decimals ([`Decimal`]) and modes
//! ([`WithMode`]).

mod actions;
mod builder;
mod condition;
mod decimal;
mod error;
mod failure;
mod feedback;
mod glob;
mod grant;
mod list;
mod permission;
mod pointer;
mod read;
mod refusal;
mod regular_file;
mod rights;
mod risk_level;
mod scope;
mod sections;
mod sequence_rule;
mod table;
mod tool_name;
mod tool_pattern;
mod with_mode;

pub mod approval;
pub mod audit;
pub mod budgets;
pub mod capability_gap;
pub mod circuit_breaker;
pub mod concurrency;
pub mod content;
pub mod data_flow;
pub mod fallback;
pub mod hook_handlers;
pub mod injection;
pub mod loops;
pub mod paths;
pub mod permissions;
pub mod personal_data;
mod policy;
pub mod rate_limits;
pub mod repetition;
pub mod retry;
pub mod risk;
pub mod secrets;
pub mod sequence;
pub mod sizes;
pub mod structure;
pub mod structured_answer;
pub mod timeouts;
pub mod tool_schemas;
pub mod urls;

pub use actions::{Action, Actions, At, Override};
pub use builder::{ListOf, MakeGuard, TextList};
pub use decimal::Decimal;
pub use error::ConfigError;
pub use exo_rails_shell::Severity;
pub use failure::FailureKind;
pub use feedback::AfterFeedback;
pub use glob::Glob;
pub use pointer::{PointerPattern, PointerSegment};
pub use policy::PolicyConfig;
pub use read::{from_toml, read};
pub use refusal::OnRefusal;
pub use regular_file::open_regular;
pub use scope::Scope;
pub use sections::Sections;
pub use table::Table;
pub use tool_name::ToolName;
pub use tool_pattern::{Precision, ToolPattern, check_tools};
pub use with_mode::{GuardMode, WithMode};
