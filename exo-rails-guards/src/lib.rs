#![cfg_attr(docsrs, feature(doc_cfg))]
//! Ready-made guards for LLM agents.
//!
//! A *guard* is a rail that you configure and do not write. The guards of this crate are rails like any other: list them in a
//! chain, or build a chain of all of them from a configuration file.

pub mod approval;
mod approval_guard;
mod arguments;
#[cfg(feature = "audit")]
#[cfg_attr(docsrs, doc(cfg(feature = "audit")))]
pub mod audit;
pub mod budgets;
pub mod concurrency;
pub mod config;
mod finding;
#[cfg(feature = "handlers")]
#[cfg_attr(docsrs, doc(cfg(feature = "handlers")))]
pub mod handlers;
pub mod kit;
#[cfg(feature = "paths")]
#[cfg_attr(docsrs, doc(cfg(feature = "paths")))]
pub mod paths;
pub mod permissions;
pub mod rate_limits;
mod refusal;
pub mod risk;
mod scope;
pub mod shape;
#[cfg(feature = "shell")]
#[cfg_attr(docsrs, doc(cfg(feature = "shell")))]
pub mod shell;
pub mod store;
pub mod timeouts;
#[cfg(feature = "urls")]
#[cfg_attr(docsrs, doc(cfg(feature = "urls")))]
pub mod urls;
#[cfg(feature = "watch")]
mod watch;

pub use approval_guard::{Approval, ApprovalConfig, ApprovalRule};
pub use arguments::{PointerPattern, ToolPattern};
pub use budgets::Budgets;
pub use concurrency::Concurrency;
pub use config::ConfigError;
pub use finding::{Finding, Findings, Place, Severity};
pub use kit::Kit;
#[cfg(feature = "paths")]
pub use paths::PathSandbox;
pub use permissions::{Permissions, PermissionsConfig};
pub use rate_limits::RateLimits;
pub use refusal::OnRefusal;
pub use risk::{RiskConfig, RiskScore};
pub use scope::{Scope, ScopeError, UserId};
pub use store::{StateStore, StoreError};
pub use timeouts::Timeouts;
#[cfg(feature = "urls")]
pub use urls::UrlGuard;
#[cfg(feature = "watch")]
#[cfg_attr(docsrs, doc(cfg(feature = "watch")))]
pub use watch::{ConfigWatch, Reload, WatchError};
