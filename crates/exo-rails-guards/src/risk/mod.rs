//! Scores the risk of tool calls. If the score reaches a threshold, a person must agree.

pub use exo_rails_policy::risk::{RiskAddition, RiskCategory, RiskConfig, ToolRisk};

use exo_rails::prelude::*;
use exo_rails::{Provided, SessionInfo};
use exo_rails_policy::ToolName;
use exo_rails_policy::permissions::{Caution, Effect, PermissionRule};
use exo_rails_policy::{ConfigError, Severity};
use exo_rails_text::names::advice;
use serde::{Deserialize, Serialize};

use crate::approval::{
    ApprovalRequest, AskError, Asker, IntoAsker, SuspendRun, forget_session, is_approved, providing, settle,
};
use crate::arguments::ByTool;
use crate::finding::Finding;
use crate::kit_guard::{KitGuard, KnownTools};
use crate::rules::{CallMatcher, usual_effect};
use crate::store::StoreError;
use crate::vault;

/// Scores the risk of each tool call. If the score reaches the [threshold](RiskConfig::threshold), a person must agree.
///
/// The score is a whole number of points from 0 to 100. It is the sum of these parts:
///
/// | part | points |
/// |---|---|
/// | the tool is [`dangerous`](ToolRisk::dangerous) | 40 |
/// | the [category](RiskCategory) is shell | 30 |
/// | the category is network | 20 |
/// | the category is agent | 15 |
/// | the category is filesystem or workflow | 10 |
/// | the category is search, memory or knowledge | 0 |
/// | the category is other | 5 |
/// | the tool uses the [`network`](ToolRisk::network) | 10 |
/// | the tool [writes files](ToolRisk::filesystem_write) | 10 |
/// | [`add`](ToolRisk::add) of the tool, and the [`additions`](RiskConfig::additions) that match the call | as configured |
///
/// A sum below 0 becomes 0, and a sum above 100 becomes 100. The risk scorer of y-agent has the same formula, with scores from
/// 0 to 1.
///
/// If the score reaches the threshold, the guard asks a person, or skips the call: see [`above`](RiskConfig::above). If a
/// person has just approved the same call at another guard, it does not ask again. If the person replies with other arguments,
/// all rails judge the changed call: see [`ChangedCalls`](crate::approval::ChangedCalls).
///
/// The priority is 20, so the guard scores the calls that [`Permissions`](crate::Permissions) lets pass. Later rails and the
/// tool can read the score: see [`RiskAssessment`].
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::Reply;
/// use exo_rails_guards::{RiskScore, config};
/// use serde_json::json;
///
/// async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     let risk = call.provided::<exo_rails_guards::risk::RiskAssessment>().ok_or("no score")?;
///     Ok(ToolOutput::text(format!("{} has run at risk {}", call.tool_name, risk.points)))
/// }
///
/// rail_chain! { struct ReleaseRails { risk: RiskScore } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let risk = RiskScore::new(config::from_toml(r#"
///     threshold = 70
///
///     [tools.deploy]
///     dangerous = true
///     category = "workflow"
///
///     [[additions]]
///     tool = "deploy"
///     arguments = { target = "production" }
///     points = 20
///     because = "the call changes the production system"
/// "#)?)?;
/// let rails = ReleaseRails { risk };
/// let mut ctx = RunContext::new("release");
/// let deploy = |target| ToolCallInputs::new("deploy").with_arguments(json!({ "target": target }));
///
/// let output = rails.guard_tool_call(deploy("staging"), &mut ctx, run_tool).await?;
/// assert_eq!(output.content, "deploy has run at risk 50");
///
/// // 40 + 10 + 20 is the threshold.
/// let error = rails.guard_tool_call(deploy("production"), &mut ctx, run_tool).await.unwrap_err();
/// let question = error.suspension().ok_or("no question")?.question.clone();
/// ctx.answer(question, Reply::ApproveOnce);
/// let output = rails.guard_tool_call(deploy("production"), &mut ctx, run_tool).await?;
/// assert_eq!(output.content, "deploy has run at risk 70");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct RiskScore {
    threshold: u8,
    above: Caution,
    tools: ByTool<ToolRisk>,
    additions: Vec<Addition>,
    asker: Asker,
}

#[derive(Debug)]
struct Addition {
    matcher: CallMatcher,
    points: i16,
    because: String,
}

/// The score of a call. The guard [`RiskScore`] [provides](exo_rails::Provided) it to later rails and to the tool, which reads
/// it from its permit.
#[derive(Clone, Debug, PartialEq, Eq, Provided, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RiskAssessment {
    /// The score in points from 0 to 100.
    pub points: u8,
    /// The parts of the score with their points. It has no parts with 0 points.
    pub parts: Vec<(String, i16)>,
}

impl RiskScore {
    /// Makes the guard. To ask a person, it [suspends the run](SuspendRun). [`with_asker`](Self::with_asker) sets another way.
    ///
    /// # Errors
    /// Returns an error that names the key if the threshold is above 100, or if a pattern or a condition is not valid.
    pub fn new(config: RiskConfig) -> Result<Self, ConfigError> {
        let RiskConfig { threshold, above, tools, additions } = config;
        if threshold > 100 {
            let message = format!("{threshold} is more than the largest score: write a number from 0 to 100");
            return Err(ConfigError::new(message).in_key("threshold"));
        }
        let additions = additions.into_iter().enumerate().map(|(number, addition)| {
            let RiskAddition { tool, arguments, points, because } = addition;
            let rule = PermissionRule {
                tool,
                arguments,
                ..PermissionRule::ask("*").named(format!("addition-{}", number + 1))
            };
            let matcher = CallMatcher::new(rule).map_err(|error| error.in_key("additions"))?;
            Ok(Addition { matcher, points, because })
        });
        Ok(Self {
            threshold,
            above,
            tools: ByTool::new(tools)?,
            additions: additions.collect::<Result<_, ConfigError>>()?,
            asker: SuspendRun.into(),
        })
    }

    /// Sets how the guard asks people, such as a [`Desk`](crate::approval::Desk).
    #[must_use]
    pub fn with_asker(mut self, asker: impl IntoAsker) -> Self {
        self.asker = asker.into_asker();
        self
    }

    /// Checks that the names of tools in [`RiskConfig::tools`] are in `names`. It does not check globs.
    ///
    /// ```
    /// use exo_rails_guards::{RiskScore, config};
    ///
    /// let risk = RiskScore::new(config::from_toml("[tools.deplyo]\ndangerous = true")?)?;
    /// let error = risk.check_tools(&["deploy", "search"]).unwrap_err();
    /// assert_eq!(error.to_string(), "`tools.deplyo`: unknown tool: did you mean `deploy`?");
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error with the most similar name if a name is not in `names`.
    pub fn check_tools(&self, names: &[&str]) -> Result<(), ConfigError> {
        let Some(unknown) = self.tools.unknown_name(names) else { return Ok(()) };
        let message = format!("unknown tool: {}", advice(unknown, names));
        Err(ConfigError::new(message).in_key(format_args!("tools.{unknown}")))
    }

    /// Returns the score of a call. The method asks no person and reports nothing. Use it in tests, and to choose a threshold.
    #[must_use]
    pub fn assess(&self, call: &ToolCallInputs) -> RiskAssessment {
        let names = ToolName::new(&call.tool_name).readings;
        let none = ToolRisk::default();
        let risk = names.iter().find_map(|name| self.tools.get(name)).unwrap_or(&none);
        let effect =
            names.iter().map(|name| usual_effect(name)).find(|effect| *effect != Effect::Other).unwrap_or_default();
        let category = risk.category.unwrap_or(match effect {
            Effect::Execute => RiskCategory::Shell,
            Effect::Network => RiskCategory::Network,
            Effect::Read | Effect::Edit => RiskCategory::Filesystem,
            Effect::Other => RiskCategory::Other,
        });
        let mut parts = vec![
            ("dangerous".to_owned(), if risk.dangerous { 40 } else { 0 }),
            (format!("category {}", format!("{category:?}").to_lowercase()), category.points()),
            ("network".to_owned(), if risk.network.unwrap_or(effect == Effect::Network) { 10 } else { 0 }),
            ("writes files".to_owned(), if risk.filesystem_write.unwrap_or(effect == Effect::Edit) { 10 } else { 0 }),
            ("tool".to_owned(), risk.add),
        ];
        let additions = self.additions.iter().filter(|addition| addition.matcher.matches(call));
        parts.extend(additions.map(|addition| (addition.because.clone(), addition.points)));
        parts.retain(|(_, points)| *points != 0);
        let sum: i64 = parts.iter().map(|(_, points)| i64::from(*points)).sum();
        let points = u8::try_from(sum.clamp(0, 100)).unwrap_or(100);
        RiskAssessment { points, parts }
    }

    fn finding(&self, assessment: &RiskAssessment) -> Finding {
        let parts: Vec<String> = assessment.parts.iter().map(|(part, points)| format!("{part} {points:+}")).collect();
        let RiskAssessment { points, .. } = assessment;
        let message = format!(
            "the risk of the call is {points} of 100, and the threshold is {} ({})",
            self.threshold,
            parts.join(", ")
        );
        Finding::new("risk", "threshold", Severity::High, message)
    }
}

#[rail(priority = 20, name = "risk")]
impl RiskScore {
    /// Scores a call before it runs.
    #[on(PreToolCall, provides = [RiskAssessment])]
    async fn score(
        &self,
        call: &mut ToolCallInputs,
        ctx: &mut RailContext,
    ) -> Result<Provide<RiskAssessment>, AskError> {
        let assessment = self.assess(&vault::revealed(call, ctx));
        if assessment.points < self.threshold || (self.above == Caution::Ask && is_approved(call, ctx)) {
            return Ok(Provide::value(assessment));
        }
        let finding = self.finding(&assessment);
        finding.clone().report(ctx);
        if self.above == Caution::Deny {
            return Ok(Provide::skip(finding.reason()));
        }
        let request = ApprovalRequest::new("risk", "threshold", call, finding.message, ctx);
        let stops = settle(&self.asker, &request, call, ctx).await?.stops();
        Ok(stops.and_then(providing).unwrap_or_else(|| Provide::value(assessment)))
    }

    /// Forgets the approvals for the session.
    #[on(SessionEnd)]
    async fn forget(&self, session: &SessionInfo, ctx: &RailContext) -> Result<(), StoreError> {
        forget_session(&self.asker, session, ctx).await
    }
}

impl KitGuard for RiskScore {
    type Config = RiskConfig;
    type Needs = (Asker, KnownTools);

    const ASKS: bool = true;

    fn make(config: RiskConfig, (asker, known): (Asker, KnownTools)) -> Result<Self, ConfigError> {
        let risk = Self::new(config)?.with_asker(asker);
        let names: Vec<&str> = known.0.iter().map(String::as_str).collect();
        if !names.is_empty() {
            risk.check_tools(&names)?;
        }
        Ok(risk)
    }
}
