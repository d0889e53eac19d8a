//! Calls of tools that do not exist.

use std::collections::HashSet;

use exo_rails::prelude::*;
pub use exo_rails_policy::capability_gap::{CapabilityGapConfig, GapAction};
use exo_rails_policy::{ConfigError, Severity};

use crate::config::makes;
use crate::finding::Finding;
use crate::kit_guard::needs_only_its_configuration;
use crate::shape::feedback::refuse_call;
use crate::shape::names::{nearest_names, same};
use crate::shape::offered::Offered;

const GUARD: &str = "capability_gap";

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
/// use exo_rails_guards::CapabilityGap;
/// use exo_rails_guards::capability_gap::GapAction;
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
        match same(name, tools).as_slice() {
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

makes!(CapabilityGap, CapabilityGapConfig);

needs_only_its_configuration!(CapabilityGap, CapabilityGapConfig);
