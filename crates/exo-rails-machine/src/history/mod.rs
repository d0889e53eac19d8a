//! The history of an execution.

mod lines;
mod replay;

use std::sync::Arc;
use std::time::SystemTime;

use exo_rails::message::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contexts::Written;
pub use lines::JsonLines;
pub use replay::{Position, ReplayError, replay};

/// Everything that happened in an execution. The program `exo-rails` writes it to `execution-history.json`.
///
/// ```
/// use exo_rails_agent::ScriptedModel;
/// use exo_rails_machine::Executor;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let machine = exo_rails_dygram::read("flow.dygram", "State idle; End done; idle -> done;").machine;
/// let executor = Executor::builder(&machine, "[]".parse::<ScriptedModel>()?).build()?;
/// let history = executor.run().await?.history;
/// let json = serde_json::to_value(&history)?;
/// assert_eq!(json["status"], "completed");
/// assert_eq!(json["steps"][0]["currentNode"], "idle");
/// assert_eq!(json["steps"][0]["transitionType"], "automated");
/// assert_eq!(json["summary"]["automatedTransitions"], 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct History {
    /// The title of the machine.
    pub machine_title: String,
    /// When the execution started, in the format of RFC 3339.
    pub start_time: String,
    /// When the execution ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    /// The status of the execution.
    pub status: Status,
    /// The steps. They are in an `Arc`, because each saved state contains all of them.
    pub steps: Vec<Arc<HistoryStep>>,
    /// The totals.
    pub summary: Summary,
}

/// The status of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// It can go on.
    Running,
    /// It waits for an answer to the question of a rail, or for a decision about an unknown tool call.
    Suspended,
    /// All paths have ended.
    Completed,
    /// It failed, or reached the limit of its steps or visits.
    Error,
    /// The program stopped it, or it exceeded its time limit.
    Stopped,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryStep {
    /// The number of the step, from 1.
    pub step_number: u64,
    /// The number of the path. The first one is 0.
    pub path: u64,
    /// The node where the path was.
    pub current_node: String,
    /// The nodes to which the step led. This is empty if the path ended.
    pub next_nodes: Vec<String>,
    /// The paths that the step started, besides the path itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub started_paths: Vec<StartedPath>,
    /// Whether the machine or the agent decided.
    pub transition_type: TransitionType,
    /// The result of the step.
    pub outcome: StepOutcome,
    /// The reason that the agent gave for its choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the agent did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_invocation: Option<AgentInvocation>,
    /// Changes of the machine and of its tools.
    pub mutations: Vec<Mutation>,
    /// Fields that were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Written>,
    /// The writes that the machine took back, in this order. With `@errorHandling("compensate")`, these are writes of a failed
    /// path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_back: Vec<Written>,
    /// The errors of the attempts that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// When the step ended.
    pub timestamp: String,
}

/// A path that a step started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StartedPath {
    /// The number of the path.
    pub path: u64,
    /// The node at which it began.
    pub node: String,
}

/// Who decided about a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransitionType {
    /// The machine.
    Automated,
    /// The agent.
    AgentControlled,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StepOutcome {
    /// The path is at another node.
    Moved,
    /// The path waits at a barrier.
    Waits,
    /// The path waits for the paths that it started.
    Forked,
    /// The path has ended.
    Ended,
    /// The path has failed.
    Failed,
}

/// What the agent did in a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentInvocation {
    /// The instructions of the node.
    pub system_prompt: String,
    /// The first input.
    pub user_prompt: String,
    /// The conversation at the node. The outputs of tools have the role `user`.
    pub conversation_history: Vec<Said>,
    /// The names of the tools that the agent called. Each name is there once.
    pub tools_used: Vec<String>,
    /// The target that the agent chose. This is empty if the agent chose none.
    pub transition_chosen: String,
    /// The tokens.
    pub token_usage: TokenUsage,
}

/// A message in the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The role: `user` or `assistant`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// The tokens of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// The tokens that the model read.
    pub input: u64,
    /// The tokens that the model wrote.
    pub output: u64,
}

impl From<&Usage> for TokenUsage {
    fn from(usage: &Usage) -> Self {
        Self { input: usage.prompt_tokens, output: usage.completion_tokens }
    }
}

/// A change of the machine or of its tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mutation {
    /// The tool that made the change: `construct_tool`, `propose_tool_improvement` or `update_definition`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The details.
    pub data: Value,
}

/// The totals of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Summary {
    /// The number of steps.
    pub total_steps: u64,
    /// The steps that the machine decided.
    pub automated_transitions: u64,
    /// The steps that the agent decided.
    pub agent_decisions: u64,
    /// The tools that agents constructed.
    pub tools_constructed: u64,
    /// The improvements that agents proposed.
    pub tool_improvements_proposed: u64,
    /// The tokens of all model calls.
    pub total_tokens: u64,
}

impl History {
    pub(crate) fn begin(title: &str, now: SystemTime) -> Self {
        Self {
            machine_title: title.to_owned(),
            start_time: format_time(now),
            end_time: None,
            status: Status::Running,
            steps: Vec::new(),
            summary: Summary::default(),
        }
    }

    pub(crate) fn add(&mut self, step: HistoryStep) {
        let sums = &mut self.summary;
        // A saved history and the counts of a model may have any numbers.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut sums.total_steps, 1);
        match step.transition_type {
            _ if step.outcome == StepOutcome::Failed => {}
            TransitionType::Automated if step.next_nodes.is_empty() => {}
            TransitionType::Automated => add(&mut sums.automated_transitions, 1),
            TransitionType::AgentControlled => add(&mut sums.agent_decisions, 1),
        }
        let mutations = |kind: &str| step.mutations.iter().filter(|mutation| mutation.kind == kind).count() as u64;
        add(&mut sums.tools_constructed, mutations("construct_tool"));
        add(&mut sums.tool_improvements_proposed, mutations("propose_tool_improvement"));
        let usage = step.agent_invocation.as_ref().map(|invocation| invocation.token_usage).unwrap_or_default();
        add(&mut sums.total_tokens, usage.input.saturating_add(usage.output));
        self.steps.push(Arc::new(step));
    }
}

/// Formats a time as the history does: in the format of RFC 3339, with milliseconds.
///
/// ```
/// use std::time::UNIX_EPOCH;
///
/// assert_eq!(exo_rails_machine::format_time(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
/// ```
#[must_use]
pub fn format_time(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}
