//! Calls of tools that do not exist.

mod names;

use std::collections::HashSet;

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};

use super::feedback::{AfterFeedback, refuse_call};
use super::offered::Offered;
use crate::config::{builder, quoted};
use crate::{ConfigError, Finding, Severity};

const GUARD: &str = "capability_gap";

/// The number of similar names that the model reads.
const MAX_SIMILAR: usize = 3;

/// The number of all names that the model reads if none is similar.
const MAX_LISTED: usize = 20;

/// Answers a call of a tool that does not exist with the nearest names.
///
/// Models misspell names, or write the name that a tool has elsewhere: `functions.search`, `readFile` for `read_file`, or
/// `create_issue` for `mcp__github__create_issue`. By default, the guard skips the call, and the model reads the nearest
/// names. It can also [repair](GapAction::Repair) the name.
///
/// The tools are those of the last model call of the run, and [`tools`](CapabilityGapConfig::tools). If the guard has seen
/// neither, for example in a run that was resumed in another process, it lets each call pass. The program then finds out by
/// itself that a tool does not exist.
///
/// The guard runs on `PreToolCall`, and reads the tools at `PreLlmCall` and `PostLlmCall`. Its priority is 6, before the
/// guards that decide by the name of a tool, because it may change the name.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::shape::{CapabilityGap, GapAction};
///
/// rail_chain! { struct Guards { gap: CapabilityGap } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gap = CapabilityGap::builder().tools(["search", "read_file", "write_file"]);
/// let gap = gap.action(GapAction::Repair).idempotent(["read_file"]);
/// let (guards, mut ctx) = (Guards { gap: gap.build()? }, RunContext::new("demo"));
/// let tool = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(ToolOutput::text(&call.tool_name)) };
///
/// let output = guards.guard_tool_call(ToolCallInputs::new("functions.readFile"), &mut ctx, tool).await?;
/// assert_eq!(output.content, "read_file");
///
/// let output = guards.guard_tool_call(ToolCallInputs::new("writeFile"), &mut ctx, tool).await?;
/// assert!(output.content.ends_with("there is no tool of this name: did you mean `write_file`?"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct CapabilityGap {
    config: CapabilityGapConfig,
    idempotent: HashSet<String>,
}

/// The configuration of [`CapabilityGap`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CapabilityGapConfig {
    /// What happens to a call of a tool that does not exist. The default is `feedback`.
    pub action: GapAction,
    /// Names of tools that exist, beside those of the model's request.
    pub tools: Vec<String>,
    /// The tools to which [`GapAction::Repair`] may turn a call. Only tools whose repeated calls have the effect of one call
    /// belong here.
    pub idempotent: Vec<String>,
    /// How often in a run the model reads the nearest names. The default is 8.
    pub max_feedback: u32,
    /// What happens after that. The default is `skip`.
    pub after_feedback: AfterFeedback,
}

impl Default for CapabilityGapConfig {
    fn default() -> Self {
        Self {
            action: GapAction::default(),
            tools: Vec::new(),
            idempotent: Vec::new(),
            max_feedback: 8,
            after_feedback: AfterFeedback::default(),
        }
    }
}

/// What happens to a call of a tool that does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapAction {
    /// The call is skipped, and the model reads the nearest names.
    #[default]
    Feedback,
    /// The call becomes a call of the tool that the name means. The name must mean exactly one tool: only case, separators,
    /// plurals and the name space may differ. This tool must be one of the [idempotent](CapabilityGapConfig::idempotent)
    /// tools. Otherwise the call is skipped, as with [`Feedback`](Self::Feedback).
    ///
    /// If both names have a name space, it must be the same: a call of `gitlab.search` never becomes `github.search`.
    Repair,
    /// The run ends.
    Abort,
}

builder!(
    CapabilityGap,
    CapabilityGapConfig {
        action: GapAction,
        tools: [String],
        idempotent: [String],
        max_feedback: u32,
        after_feedback: AfterFeedback,
    }
);

impl CapabilityGap {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error if `action` and `idempotent` contradict each other.
    pub fn new(config: CapabilityGapConfig) -> Result<Self, ConfigError> {
        if config.action == GapAction::Repair && config.idempotent.is_empty() {
            let message = "`repair` turns calls into calls of these tools only: name at least one, or write `feedback`";
            return Err(ConfigError::new(message).in_key("idempotent"));
        }
        if config.action != GapAction::Repair && !config.idempotent.is_empty() {
            let message = "only `action = \"repair\"` uses this list: write this action, or leave the list out";
            return Err(ConfigError::new(message).in_key("idempotent"));
        }
        let idempotent = config.idempotent.iter().cloned().collect();
        Ok(Self { config, idempotent })
    }

    /// Returns the tool that the call becomes, if it may be repaired.
    fn repaired<'n>(&self, name: &str, tools: &[&'n str]) -> Option<&'n str> {
        if self.config.action != GapAction::Repair {
            return None;
        }
        match names::same(name, tools).as_slice() {
            [tool] if self.idempotent.contains(*tool) => Some(tool),
            _ => None,
        }
    }
}

#[rail(priority = 6, name = "capability_gap")]
impl CapabilityGap {
    #[on(PreLlmCall, PostLlmCall)]
    #[expect(clippy::unused_self, reason = "the method of a rail takes it")]
    fn remember(&self, request: &ModelCallInputs, ctx: &RailContext) {
        Offered::remember(request, ctx);
    }

    #[on(PreToolCall)]
    fn check(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> RailAction {
        let offered = Offered::of(ctx);
        let offered = offered.iter().map(|tool| tool.function.name.as_str());
        let mut tools: Vec<&str> = offered.chain(self.config.tools.iter().map(String::as_str)).collect();
        if tools.is_empty() || tools.contains(&call.tool_name.as_str()) {
            return RailAction::Continue;
        }
        tools.sort_unstable();
        tools.dedup();
        if let Some(tool) = self.repaired(&call.tool_name, &tools) {
            Finding::new(GUARD, "repaired", Severity::Low, format!("the name now is `{tool}`")).report(ctx);
            tool.clone_into(&mut call.tool_name);
            return RailAction::Continue;
        }
        let finding = Finding::new(GUARD, "unknown_tool", Severity::Low, nearest_names(&call.tool_name, &tools));
        if self.config.action == GapAction::Abort {
            let reason = finding.reason();
            finding.report(ctx);
            return RailAction::abort(reason);
        }
        refuse_call(GUARD, finding, self.config.max_feedback, self.config.after_feedback, ctx)
    }
}

/// Explains that the tool does not exist, with the nearest names. The text does not have the name itself, which the model
/// has chosen.
pub(super) fn nearest_names(name: &str, tools: &[&str]) -> String {
    let similar = names::nearest(name, tools, MAX_SIMILAR);
    let missing = "there is no tool of this name";
    match similar.as_slice() {
        [] if tools.len() > MAX_LISTED => {
            format!("{missing}, and none of the {} tools has a similar name", tools.len())
        }
        [] => format!("{missing}: the tools are {}", quoted(tools)),
        similar => format!("{missing}: did you mean {}?", quoted(similar)),
    }
}
