//! The guard: what it decides about a call, and what it does then.

use exo_rails::prelude::*;
use exo_rails::{Provided, Reason, SessionInfo, rail};
use serde::{Deserialize, Serialize};

use super::evaluate::{Evaluation, Policy};
use super::{ExecutionGrant, Explanation, Lint, OnDeny, Permission, PermissionMode, RuleId};
use crate::approval::{ApprovalRequest, AskError, Asker, Settled, forget_session, is_approved, providing, settle};
use crate::finding::Finding;
use crate::store::StoreError;
use crate::vault;

/// The guard of permissions. See [the module](super) for rules, modes and the table of decisions.
///
/// Its priority is 10. A call that the guard cannot judge does not run: a fault ends the run.
#[derive(Debug)]
pub struct Permissions {
    pub(super) policy: Policy,
    pub(super) asker: Asker,
    pub(super) on_deny: OnDeny,
    pub(super) known_tools: Vec<String>,
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
        Ok(match settle(&self.asker, &request, call, ctx).await? {
            Settled::Refused(reason) => self.refuse(reason),
            other => other.stops().and_then(providing).unwrap_or_else(|| passes(decision)),
        })
    }

    /// Forgets the approvals for the session.
    #[on(SessionEnd)]
    async fn forget(&self, session: &SessionInfo, ctx: &RailContext) -> Result<(), StoreError> {
        forget_session(&self.asker, session, ctx).await
    }
}
