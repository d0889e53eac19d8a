//! Scores the risk of tool calls. If the score reaches a threshold, a person must agree.

use std::collections::BTreeMap;
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{Provided, SessionInfo};
use serde::{Deserialize, Serialize};

use crate::approval::{ApprovalRequest, Ask, AskError, SuspendRun, forget_session, is_approved, providing, settle};
use crate::arguments::{ByTool, ToolName};
use crate::config::one_or_many;
use crate::config::{nearest, quoted};
use crate::permissions::{CallMatcher, Caution, Condition, Effect, PermissionRule, usual_effect};
use crate::{ConfigError, Finding, Severity, StoreError, vault};

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
    asker: Arc<dyn Ask>,
}

/// The configuration of the guard [`RiskScore`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RiskConfig {
    /// The score at which a person must agree, in points from 0 to 100. A higher score needs a person too. Default: 70.
    pub threshold: u8,
    /// What the guard does with a call whose score is at least the threshold: [`Caution::Ask`] asks a person, and
    /// [`Caution::Deny`] skips the call. Default: [`Caution::Ask`].
    pub above: Caution,
    /// Facts about tools. A key is a name or a glob: see [`ToolPattern`](crate::ToolPattern). Other spellings of a name match
    /// too. If several keys match, a name wins over a glob, and a glob with more fixed text wins over one with less.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolRisk>,
    /// Additional points for calls with certain arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<RiskAddition>,
}

impl Default for RiskConfig {
    fn default() -> Self {
        Self { threshold: 70, above: Caution::Ask, tools: BTreeMap::new(), additions: Vec::new() }
    }
}

/// Facts about a tool, on which the score of its calls depends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolRisk {
    /// Whether the tool can do harm that nobody can undo. Default: `false`.
    pub dangerous: bool,
    /// The category of the tool. By default, the guard knows the categories of usual names, such as `bash`. All other tools
    /// have [`RiskCategory::Other`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<RiskCategory>,
    /// Whether the tool uses the network. Default: `true` for usual names of such tools, and otherwise `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// Whether the tool writes files. Default: `true` for usual names of such tools, and otherwise `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem_write: Option<bool>,
    /// Additional points. The number can be negative. Default: 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub add: i16,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(points: &i16) -> bool {
    *points == 0
}

/// The kind of a tool, for its [`RiskScore`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskCategory {
    /// Runs commands. 30 points.
    Shell,
    /// Sends requests. 20 points.
    Network,
    /// Runs another agent. 15 points.
    Agent,
    /// Works with files. 10 points.
    Filesystem,
    /// Starts a workflow with several steps. 10 points.
    Workflow,
    /// Searches. No points.
    Search,
    /// Reads or writes the memory of the agent. No points.
    Memory,
    /// Looks up documents. No points.
    Knowledge,
    /// Anything else. 5 points.
    #[default]
    Other,
}

impl RiskCategory {
    /// Returns the points of the category.
    #[must_use]
    pub const fn points(self) -> i16 {
        match self {
            Self::Shell => 30,
            Self::Network => 20,
            Self::Agent => 15,
            Self::Filesystem | Self::Workflow => 10,
            Self::Search | Self::Memory | Self::Knowledge => 0,
            Self::Other => 5,
        }
    }
}

/// Additional points for calls with certain arguments. The conditions match like those of a [rule](PermissionRule) that asks:
/// the guard checks them in all readings of the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskAddition {
    /// The tools: names, or globs. In a configuration, one text or a list. Other spellings of the names match too.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<String>,
    /// Conditions about arguments. A key is the name of an argument, or a JSON pointer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, Condition>,
    /// The points, which may be negative.
    pub points: i16,
    /// The reason for the points. People read it when the guard asks, and the model reads it when the guard refuses.
    pub because: String,
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
            asker: Arc::new(SuspendRun),
        })
    }

    /// Sets how the guard asks people, such as a [`Desk`](crate::approval::Desk).
    #[must_use]
    pub fn with_asker(mut self, asker: Arc<dyn Ask>) -> Self {
        self.asker = asker;
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
        let message = match nearest(unknown, names) {
            Some(nearest) => format!("unknown tool: did you mean `{nearest}`?"),
            None => format!("unknown tool: write one of {}", quoted(names)),
        };
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
        let stops = settle(&*self.asker, &request, call, ctx).await?.stops();
        Ok(stops.and_then(providing).unwrap_or_else(|| Provide::value(assessment)))
    }

    /// Forgets the approvals for the session.
    #[on(SessionEnd)]
    async fn forget(&self, session: &SessionInfo, ctx: &RailContext) -> Result<(), StoreError> {
        forget_session(&*self.asker, session, ctx).await
    }
}
