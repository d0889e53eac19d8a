//! The guard of tools that need an approval.

use exo_rails::SessionInfo;
use exo_rails::prelude::*;
use exo_rails_policy::approval::{ApprovalConfig, ApprovalRule};
use exo_rails_policy::permissions::PermissionRule;
use exo_rails_policy::{ConfigError, Severity};

use crate::approval::{
    ApprovalRequest, AskError, Asker, IntoAsker, OnTimeout, Remember, SuspendRun, forget_session, is_approved, settle,
};
use crate::config::makes;
use crate::finding::Finding;
use crate::kit_guard::KitGuard;
use crate::rules::CallMatcher;
use crate::store::StoreError;
use crate::vault;

/// The guard that asks a person before calls of certain tools, whatever other guards decide.
///
/// The first [rule](ApprovalRule) that matches a call decides. A call that no rule matches runs without a question.
///
/// The guard has the priority 30, so it asks about calls that the guards before it let pass. If a person has just approved the
/// same call at another guard, the guard does not ask again. By default it asks by [suspending the run](SuspendRun): see
/// [the types that ask](crate::approval). At the end of a session, it forgets the approvals for this session.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::Reply;
/// use exo_rails_guards::{Approval, config};
/// use serde_json::json;
///
/// async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
/// }
///
/// rail_chain! { struct DeskRails { approval: Approval } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let approval = Approval::new(config::from_toml(r#"
///     timeout_ms = 600_000
///     on_timeout = "deny"
///
///     [[rules]]
///     tool = "refund"
///     arguments = { amount = { min = 100 } }
///     because = "a person approves large refunds"
///
///     [[rules]]
///     tool = ["drop_*", "delete_account"]
///     because = "this cannot be undone"
///     remember = []
/// "#)?)?;
/// let rails = DeskRails { approval };
/// let mut ctx = RunContext::new("support");
/// let refund = |amount| ToolCallInputs::new("refund").with_arguments(json!({ "amount": amount }));
///
/// let output = rails.guard_tool_call(refund(20), &mut ctx, run_tool).await?;
/// assert_eq!(output.content, "refund has run");
///
/// let error = rails.guard_tool_call(refund(500), &mut ctx, run_tool).await.unwrap_err();
/// let question = error.suspension().ok_or("no question")?.question.clone();
/// assert_eq!(question.text, r#"`refund` with {"amount":500}: a person approves large refunds (approval/rule-1)"#);
/// ctx.answer(question, Reply::deny("the customer has no receipt"));
/// let output = rails.guard_tool_call(refund(500), &mut ctx, run_tool).await?;
/// assert!(output.content.ends_with("a person refused the call: the customer has no receipt"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Approval {
    rules: Vec<Rule>,
    timeout_ms: Option<u64>,
    on_timeout: Option<OnTimeout>,
    remember: Vec<Remember>,
    asker: Asker,
}

#[derive(Debug)]
struct Rule {
    name: String,
    matcher: CallMatcher,
    because: String,
    timeout_ms: Option<u64>,
    on_timeout: Option<OnTimeout>,
    remember: Option<Vec<Remember>>,
}

impl Rule {
    fn new(rule: ApprovalRule, number: usize) -> Result<Self, ConfigError> {
        let ApprovalRule { name, tool, arguments, because, timeout_ms, on_timeout, remember } = rule;
        let name = name.unwrap_or_else(|| format!("rule-{}", number + 1));
        let because = because.unwrap_or_else(|| "a person must agree to calls of this tool".to_owned());
        check_timeout(timeout_ms)?;
        let conditions = PermissionRule { tool, arguments, ..PermissionRule::ask("*") };
        let matcher = CallMatcher::new(conditions.named(name.clone()))?;
        Ok(Self { name, matcher, because, timeout_ms, on_timeout, remember })
    }
}

fn check_timeout(timeout_ms: Option<u64>) -> Result<(), ConfigError> {
    if timeout_ms == Some(0) {
        let message = "0 ms leaves no time for a reply: write a number of milliseconds, such as 300_000";
        return Err(ConfigError::new(message).in_key("timeout_ms"));
    }
    Ok(())
}

impl Approval {
    /// Makes the guard. It asks by [suspending the run](SuspendRun).
    ///
    /// # Errors
    /// Returns an error that names the key if there is no rule, if a time is 0, or if a pattern or a condition cannot be read.
    pub fn new(config: ApprovalConfig) -> Result<Self, ConfigError> {
        let ApprovalConfig { rules, timeout_ms, on_timeout, remember } = config;
        if rules.is_empty() {
            let message = "no call needs an approval: write a rule such as `[[rules]]` with `tool = \"deploy\"`";
            return Err(ConfigError::new(message).in_key("rules"));
        }
        check_timeout(timeout_ms)?;
        let rules = rules.into_iter().enumerate();
        let rules = rules.map(|(number, rule)| Rule::new(rule, number).map_err(|error| error.in_key("rules")));
        let rules = rules.collect::<Result<_, _>>()?;
        Ok(Self { rules, timeout_ms, on_timeout, remember, asker: SuspendRun.into() })
    }

    /// Sets how people are asked.
    #[must_use]
    pub fn with_asker(mut self, asker: impl IntoAsker) -> Self {
        self.asker = asker.into_asker();
        self
    }

    /// Returns whether a call needs an approval. It asks no person.
    #[must_use]
    pub fn needs_approval(&self, call: &ToolCallInputs) -> bool {
        self.rule(call).is_some()
    }

    fn rule(&self, call: &ToolCallInputs) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.matcher.matches(call))
    }

    fn request(&self, rule: &Rule, call: &ToolCallInputs, ctx: &RailContext) -> ApprovalRequest {
        let request = ApprovalRequest::new("approval", rule.name.clone(), call, rule.because.clone(), ctx);
        let remember = rule.remember.as_ref().unwrap_or(&self.remember);
        let mut request = request.with_remember(remember.iter().copied());
        request.expires_in_ms = rule.timeout_ms.or(self.timeout_ms);
        request.on_timeout = rule.on_timeout.or(self.on_timeout);
        request
    }
}

#[rail(priority = 30, name = "approval")]
impl Approval {
    /// Asks about a call before it runs.
    #[on(PreToolCall)]
    async fn approve(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, AskError> {
        let Some(rule) = self.rule(&vault::revealed(call, ctx)) else { return Ok(RailAction::Continue) };
        if is_approved(call, ctx) {
            return Ok(RailAction::Continue);
        }
        Finding::new("approval", rule.name.clone(), Severity::Low, rule.because.clone()).report(ctx);
        let request = self.request(rule, call, ctx);
        Ok(settle(&self.asker, &request, call, ctx).await?.stops().unwrap_or_default())
    }

    /// Forgets the approvals for the session.
    #[on(SessionEnd)]
    async fn forget(&self, session: &SessionInfo, ctx: &RailContext) -> Result<(), StoreError> {
        forget_session(&self.asker, session, ctx).await
    }
}

makes!(Approval, ApprovalConfig);

impl KitGuard for Approval {
    type Config = ApprovalConfig;
    type Needs = Asker;

    const ASKS: bool = true;

    fn make(config: ApprovalConfig, asker: Asker) -> Result<Self, ConfigError> {
        Ok(Self::new(config)?.with_asker(asker))
    }
}
