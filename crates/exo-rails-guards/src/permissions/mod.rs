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
//! `ask` goes through the trait [`Ask`]. By default, the run is
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
mod lint;

pub use crate::rules::rule::RuleId;
pub use builder::PermissionsBuilder;
pub use exo_rails_policy::permissions::{
    ArgumentCondition, Caution, Effect, GrantConfig, IfMissing, OnDeny, Permission, PermissionMode, PermissionRule,
    PermissionsConfig, Rights, Root, Source, ToolConfig,
};
pub use explain::{ExplainedPart, Explanation, LostRule};
pub use grant::ExecutionGrant;
pub use lint::{Lint, Problem};

use std::sync::Arc;

use evaluate::{Evaluation, Policy};
use exo_rails::prelude::*;
use exo_rails::{Provided, Reason, SessionInfo, rail};
use exo_rails_policy::ConfigError;
use serde::{Deserialize, Serialize};

use crate::approval::{ApprovalRequest, Ask, AskError, Settled, forget_session, is_approved, providing, settle};
use crate::finding::Finding;
use crate::kit_guard::{KitGuard, KnownTools};
use crate::store::StoreError;
use crate::vault;

/// The guard of permissions. See [the module](self) for rules, modes and the table of decisions.
///
/// Its priority is 10. A call that the guard cannot judge does not run: a fault ends the run.
#[derive(Debug)]
pub struct Permissions {
    policy: Policy,
    asker: Arc<dyn Ask>,
    on_deny: OnDeny,
    known_tools: Vec<String>,
}

/// The decision about a call that runs. The guard [`Permissions`] provides it to later rails and to the executor.
#[derive(Clone, Debug, PartialEq, Eq, Provided, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PermissionDecision {
    /// The decision. It is [`Permission::Ask`] if a person has agreed to the call.
    pub permission: Permission,
    /// The rule that decided. `None` if no rule matches.
    pub rule: Option<RuleId>,
    /// Why, without the arguments of the call.
    pub reason: String,
    /// The mode of permissions.
    pub mode: PermissionMode,
}

impl Permissions {
    /// Makes the guard from the configuration of one file, with the source [`Source::Global`].
    ///
    /// # Errors
    /// Returns the errors of [`PermissionsBuilder::build`].
    pub fn new(config: PermissionsConfig) -> Result<Self, ConfigError> {
        Self::builder().config(Source::Global, config).build()
    }

    /// Begins a guard with rules of several sources.
    pub fn builder() -> PermissionsBuilder {
        PermissionsBuilder::default()
    }

    /// Returns the decision about a call. It asks no person and reports nothing.
    #[must_use]
    pub fn judge(&self, call: &ToolCallInputs) -> PermissionDecision {
        self.decision(&self.policy.evaluate(call))
    }

    /// Returns the limits within which a call may run, if it runs.
    #[must_use]
    pub fn grant(&self, call: &ToolCallInputs) -> ExecutionGrant {
        self.policy.grant_of(&self.policy.evaluate(call))
    }

    /// Explains the decision about a call: which rule decides, and why the other rules that match do not.
    ///
    /// ```
    /// use exo_rails::ToolCallInputs;
    /// use exo_rails_guards::{Permissions, PermissionsConfig};
    ///
    /// let permissions = Permissions::new(PermissionsConfig::from_toml("
    /// [[rules]]
    /// name = 'no-drops'
    /// tool = 'drop_*'
    /// decision = 'deny'
    /// because = 'tables stay'
    ///
    /// [[rules]]
    /// tool = 'drop_table'
    /// decision = 'allow'
    /// ")?)?;
    /// assert_eq!(permissions.explain(&ToolCallInputs::new("drop_table")).to_string(), "\
    /// deny: `drop_table`
    ///   deny by `no-drops` (global, line 2): tables stay
    ///     not allow by `rule-2` (global, line 8): a rule that denies always decides");
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[must_use]
    pub fn explain(&self, call: &ToolCallInputs) -> Explanation {
        self.policy.explain(call)
    }

    /// Returns the rules that contradict each other, never decide, or stop more calls than their author probably wants.
    ///
    /// ```
    /// use exo_rails_guards::{Permissions, PermissionsConfig};
    ///
    /// let permissions = Permissions::new(PermissionsConfig::from_toml("
    /// rules = [{ tool = 'drop_table', decision = 'allow' }, { tool = '*', decision = 'deny' }]
    /// ")?)?;
    /// let lints: Vec<String> = permissions.lint().iter().map(ToString::to_string).collect();
    /// assert_eq!(
    ///     lints,
    ///     ["the rule `rule-1` (global, line 2) never decides: `rule-2` (global, line 2) matches the same calls and always wins"],
    /// );
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[must_use]
    pub fn lint(&self) -> Vec<Lint> {
        self.policy.lint(&self.known_tools)
    }

    fn decision(&self, evaluation: &Evaluation) -> PermissionDecision {
        let verdict = evaluation.verdict();
        PermissionDecision {
            permission: verdict.permission,
            rule: self.policy.rule_of(&verdict.by),
            reason: self.policy.reason_of(&verdict.by, verdict.permission),
            mode: self.policy.mode,
        }
    }

    fn finding(&self, evaluation: &Evaluation, reason: &str) -> Finding {
        let verdict = evaluation.verdict();
        let severity = self.policy.severity_of(&verdict.by, verdict.permission);
        let severity = if verdict.permission.passes() { exo_rails_policy::Severity::Info } else { severity };
        Finding::new("permissions", self.policy.name_of(&verdict.by), severity, reason.to_owned())
            .at(evaluation.place())
    }

    fn refuse<T>(&self, reason: Reason) -> Provide<T> {
        match self.on_deny {
            OnDeny::Skip => Provide::skip(reason),
            OnDeny::Abort => Provide::abort(reason),
        }
    }

    fn request(
        &self,
        finding: &Finding,
        evaluation: &Evaluation,
        call: &ToolCallInputs,
        ctx: &RailContext,
    ) -> ApprovalRequest {
        let Finding { rule, message, .. } = finding.clone();
        let mut request = ApprovalRequest::new("permissions", rule, call, message, ctx);
        request.expires_in_ms = self.policy.expiry_of(&evaluation.verdict().by);
        request
    }
}

#[rail(priority = 10, name = "permissions")]
impl Permissions {
    /// Decides about a call before it runs.
    #[on(PreToolCall, provides = [PermissionDecision, ExecutionGrant])]
    async fn permit(
        &self,
        call: &mut ToolCallInputs,
        ctx: &mut RailContext,
    ) -> Result<Provide<(PermissionDecision, ExecutionGrant)>, AskError> {
        // The rules see the values behind placeholders, and nobody else does.
        let evaluation = self.policy.evaluate(&vault::revealed(call, ctx));
        let decision = self.decision(&evaluation);
        let passes = |decision: PermissionDecision| Provide::value((decision, self.policy.grant_of(&evaluation)));
        // A person may have approved the call at another guard, or have written its arguments.
        if decision.permission == Permission::Allow
            || (decision.permission == Permission::Ask && is_approved(call, ctx))
        {
            return Ok(passes(decision));
        }
        let finding = vault::hidden(self.finding(&evaluation, &decision.reason), ctx);
        let reason = finding.reason();
        finding.clone().report(ctx);
        match decision.permission {
            Permission::Allow | Permission::Notify => return Ok(passes(decision)),
            Permission::Deny => return Ok(self.refuse(reason)),
            Permission::Ask => {}
        }
        let request = self.request(&finding, &evaluation, call, ctx);
        Ok(match settle(&*self.asker, &request, call, ctx).await? {
            Settled::Refused(reason) => self.refuse(reason),
            other => other.stops().and_then(providing).unwrap_or_else(|| passes(decision)),
        })
    }

    /// Forgets the approvals for the session.
    #[on(SessionEnd)]
    async fn forget(&self, session: &SessionInfo, ctx: &RailContext) -> Result<(), StoreError> {
        forget_session(&*self.asker, session, ctx).await
    }
}

impl KitGuard for Permissions {
    type Config = PermissionsConfig;
    type Needs = (PermissionsBuilder, Arc<dyn Ask>, KnownTools);

    const ASKS: bool = true;

    fn make(
        config: PermissionsConfig,
        (in_code, asker, known): (PermissionsBuilder, Arc<dyn Ask>, KnownTools),
    ) -> Result<Self, ConfigError> {
        in_code.config(Source::Global, config).known_tools(known.0.iter()).asker(asker).build()
    }
}
