//! Permissions: which tool calls run, which are reported, which need a person's agreement, and which are denied.
//!
//! The guard [`Permissions`] compares each tool call with rules. A [rule](PermissionRule) names tools, and may have conditions
//! about arguments, paths, hosts and shell commands. Its decision is one of four [permissions](Permission):
//!
//! | decision | the call |
//! |---|---|
//! | `allow` | runs |
//! | `notify` | runs, and a finding with [`Severity::Info`](crate::Severity::Info) reports it |
//! | `ask` | runs if a person agrees |
//! | `deny` | does not run. The model reads why, and goes on |
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails_guards::{Permissions, PermissionsConfig};
//! use exo_rails_guards::approval::Reply;
//! use serde_json::json;
//!
//! async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
//!     Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
//! }
//!
//! rail_chain! { struct DeskRails { permissions: Permissions } }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = PermissionsConfig::from_toml(r#"
//!     [[rules]]
//!     tool = "look_up_*"
//!     decision = "allow"
//!
//!     [[rules]]
//!     tool = "refund"
//!     arguments = { amount = { max = 50 } }
//!     decision = "allow"
//!
//!     [[rules]]
//!     name = "no-deletion"
//!     tool = "delete_*"
//!     decision = "deny"
//!     because = "records are kept for ten years"
//! "#)?;
//! let rails = DeskRails { permissions: Permissions::new(config)? };
//! let mut ctx = RunContext::new("support");
//! let refund = |amount| ToolCallInputs::new("refund").with_arguments(json!({ "amount": amount }));
//!
//! let output = rails.guard_tool_call(refund(20), &mut ctx, run_tool).await?;
//! assert_eq!(output.content, "refund has run");
//!
//! let output = rails.guard_tool_call(ToolCallInputs::new("delete_order"), &mut ctx, run_tool).await?;
//! assert!(output.content.ends_with("permissions/no-deletion: records are kept for ten years"));
//!
//! // No rule allows this call. The guard suspends the run until a person replies.
//! let error = rails.guard_tool_call(refund(500), &mut ctx, run_tool).await.unwrap_err();
//! let question = error.suspension().ok_or("no question")?.question.clone();
//! ctx.answer(question, Reply::ApproveOnce);
//! let output = rails.guard_tool_call(refund(500), &mut ctx, run_tool).await?;
//! assert_eq!(output.content, "refund has run");
//! # Ok(()) }
//! ```
//!
//! # Questions
//!
//! `ask` goes through the trait [`Ask`](crate::approval::Ask). By default, the run is
//! [suspended](crate::approval::SuspendRun). If the person changes the arguments, all rails judge the changed call, see
//! [`ChangedCalls`](crate::approval::ChangedCalls): a rule that denies holds, and the guard does not ask a second time.
//!
//! # Values
//!
//! The guard provides a [`PermissionDecision`] and an [`ExecutionGrant`] for calls that run. Executors read the grant from the
//! permit.
//!
//! The page "Permissions" of the book says which rule decides, how rules match, what the modes do, and how shell commands are
//! judged.

mod builder;
mod evaluate;
mod explain;
mod grant;
mod guard;
mod lint;

pub use crate::rules::rule::RuleId;
pub use builder::PermissionsBuilder;
pub use exo_rails_policy::permissions::{
    ArgumentCondition, Caution, Effect, GrantConfig, IfMissing, OnDeny, Permission, PermissionMode, PermissionRule,
    PermissionsConfig, Rights, Root, Source, ToolConfig,
};
pub use explain::{ExplainedPart, Explanation, LostRule};
pub use grant::ExecutionGrant;
pub use guard::{PermissionDecision, Permissions};
pub use lint::{Lint, Problem};
