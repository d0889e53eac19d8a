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
//! # Which rule decides
//!
//! A call that runs shell commands has a decision for each simple command in it, and the strictest is the decision about the
//! call. Every other call has one decision. It is the first of these that applies:
//!
//! | | the decision |
//! |---|---|
//! | 1 | A rule that denies matches: `deny`, whatever other rules, sources and modes say. |
//! | 2 | Otherwise, of the rules with `allow`, `notify` and `ask` that match, the most specific decides. If several are equally specific, the rule from the [source](Source) with the highest precedence decides: session, command line, project, global, built-in. If several are left, the strictest decides. |
//! | 3 | If no rule matches, the setting `default` decides. Its default is `ask`. For shell commands, the [policy about commands](#shell-commands) decides first. |
//! | 4 | The [mode](#modes) changes the decision of 2 and 3. |
//! | 5 | If a rule that denies *may* match, but that cannot be known before the call runs, the decision is at least the setting `unknown`: `ask` or `deny`. The mode `bypass` does not change this. |
//! | 6 | In the mode `dont-ask`, `ask` becomes `deny`. |
//!
//! How specific a rule is depends on its parts, in this order:
//!
//! | | more specific | less specific |
//! |---|---|---|
//! | content | `command`, then `arguments`, `path` and `host` | no condition |
//! | tool | a name, then a glob | `*` |
//! | number of conditions | more | fewer |
//! | fixed text, which is the text in patterns without wildcards | longer | shorter. Of several patterns in a list, the one with the shortest text counts |
//!
//! So these statements hold:
//!
//! - A deny always wins, however specific an allow is, and whatever their sources are.
//! - Adding a rule that denies never lets a call run that did not run before.
//! - Adding a rule that asks never lets a call run that did not run before. It can turn a call that the setting
//!   `default = "deny"` refuses into a question.
//! - Removing a rule that allows never lets a call run that did not run before.
//! - The order of rules does not matter.
//!
//! # How rules match
//!
//! Rules that let calls run (`allow`, `notify`) match only what is certain: the exact name of the tool in its case, arguments
//! of the right type at the exact place, every path and every host of the call, commands whose words are known. A missing
//! argument never satisfies them. Rules that stop calls (`ask`, `deny`) match all readings: other cases, spaces, invisible
//! characters and look-alikes in names and texts, `%41` codes, arguments in lists and in texts that contain JSON, both values
//! of a repeated name, numbers in texts. [`Condition`] has the table for arguments.
//!
//! If a tool receives the values behind placeholders of [`PersonalData`](crate::PersonalData), the rules see the values too.
//!
//! Paths are compared as texts: links are not followed. Hosts are compared as names: nothing is resolved. Use guards of paths
//! and URLs for both.
//!
//! # Modes
//!
//! The setting `permission_mode` says how careful the guard is:
//!
//! | mode | effect |
//! |---|---|
//! | `default` | none |
//! | `plan` | A tool that does more than read is denied. With `plan = "ask"`, a person is asked. A tool that only reads runs if no rule matches it |
//! | `accept-edits` | A tool that edits files runs if no rule matches it |
//! | `bypass` | What would be asked or refused by default runs. Rules that deny hold |
//! | `dont-ask` | What would be asked is denied |
//!
//! [`ToolConfig::effect`] says what a tool does. Usual names of tools (`read_file`, `edit`, `bash`) have an effect by default,
//! and all other tools have the effect `other`.
//!
//! # Shell commands
//!
//! A tool that executes takes shell commands: by its name (`bash`, `shell`, `run_command`), or by [`ToolConfig::commands`]. With the
//! feature `shell`, the commands are parsed as bash, and a `ShellPolicy` judges each simple command. Without the feature, every
//! shell command is unknown, so the guard asks.
//!
//! | the policy says about a command | then |
//! |---|---|
//! | `deny` | the command is denied, as by a rule from the source `built-in` |
//! | `ask` | the command is asked, unless a rule with `command` allows it. A rule without `command` is less specific |
//! | `ask`, because a part is unknown or cannot be read | step 5 of the table: nothing allows the command |
//! | `notify`, `allow` | this decides if no rule matches and `default` is not `deny` |
//!
//! | `command = "git push"` | matches |
//! |---|---|
//! | in a rule that lets calls run | a simple command that begins with exactly these words, and has neither redirections nor assignments |
//! | in a rule that stops calls | also `/usr/bin/git -C dir push`, `sudo git push`, `bash -c 'git push'` |
//!
//! A word can be a glob: `npm run *`. An option in a rule that stops calls can be anywhere in the command. Rules about paths see
//! the words of commands that are known. A rule in `shell.rule` says more about commands than `command` can.
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

mod builder;
mod call;
mod command;
mod condition;
mod evaluate;
mod explain;
mod grant;
mod host;
mod lint;
mod matcher;
mod path;
mod rule;
mod tools;

pub use builder::PermissionsBuilder;
pub use exo_rails_policy::permissions::{
    Caution, Condition, Effect, GrantConfig, IfMissing, OnDeny, Permission, PermissionMode, PermissionRule,
    PermissionsConfig, Rights, Root, Source, ToolConfig,
};
pub use explain::{ExplainedPart, Explanation, LostRule};
pub use grant::ExecutionGrant;
pub use lint::{Lint, Problem};
pub use rule::RuleId;

pub(crate) use matcher::CallMatcher;
pub(crate) use tools::usual_effect;

use std::sync::Arc;

use evaluate::{Evaluation, Policy};
use exo_rails::prelude::*;
use exo_rails::{Provided, Reason, SessionInfo, rail};
use serde::{Deserialize, Serialize};

use crate::approval::{ApprovalRequest, Ask, AskError, Settled, forget_session, is_approved, providing, settle};
use crate::kit_guard::KitGuard;
use crate::kit_guard::KnownTools;
use crate::{ConfigError, Finding, StoreError, vault};

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
        let severity = if verdict.permission.passes() { crate::Severity::Info } else { severity };
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
