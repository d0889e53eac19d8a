//! The hook points of an agent platform, declared as events: memories, sessions, workflows, pipelines, gaps, agents made
//! at run time, the context and its skills.
//!
//! An agent made with [`Agent`](crate::Agent) passes the [events of its lifecycle](crate::events). A platform around it
//! has more points at which something is to be guarded, and these are the 24 of y-agent. Each is declared like an
//! [custom event](derive@crate::Event): a chain names those that it serves, and the program that comes to the point
//! runs them.
//!
//! ```
//! use exo_rails::platform::{MemoryRecalled, MemoryQuery, Recollection};
//! use exo_rails::prelude::*;
//!
//! /// Nothing of the user's health is remembered.
//! #[rail(priority = 20, on = [MemoryRecalled])]
//! fn privacy(found: &mut Recollection) {
//!     found.memories.retain(|memory| !memory.tags.iter().any(|tag| tag == "health"));
//! }
//!
//! rail_chain! {
//!     #[chain(events = [MemoryRecalled])]
//!     struct MemoryRails { privacy }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
//! let (query, mut found) = (MemoryQuery::new("what the user likes"), Recollection::default());
//! let decision = (MemoryRails {}).dispatch::<MemoryRecalled>((&query, &mut found), &mut RailContext::new("support")).await?;
//! assert!(decision.is_continue());
//! # Ok(()) }
//! ```
//!
//! # The points
//!
//! What a rail may decide is "nothing", or one of the levels of [`Allows`](crate::Allows), each of which includes those
//! before it; behind "skip" and "retry" stands what a skip may bring. *After* says that the event is told after what it
//! tells of has happened: an onion reverses its rails. Where the last column names an event of the lifecycle, that is the
//! same point for a single agent. Its name at run time is that of y-agent's point, in snake case behind `platform.`.
//!
//! | point of y-agent | event | payload | a rail may decide | after | in the lifecycle |
//! |---|---|---|---|---|---|
//! | `PreLlmCall` | [`PreLlmRequest`] | `&mut ModelCallInputs` | retry, `ModelResponse` | | `PreLlmCall` |
//! | `PostLlmCall` | [`PostLlmResponse`] | `&ModelCallInputs`, `&mut ModelResponse` | retry | yes | `PostLlmCall` |
//! | `PreToolExecute` | [`PreToolExecute`] | `&mut ToolCallInputs` | retry, `ToolOutput` | | `PreToolCall` |
//! | `PostToolExecute` | [`PostToolExecute`] | `&ToolCallInputs`, `&mut ToolOutput` | retry | yes | `PostToolCall` |
//! | `MemoryStored` | [`MemoryStored`] | `&Memory` | nothing | yes | |
//! | `MemoryRecalled` | [`MemoryRecalled`] | `&MemoryQuery`, `&mut Recollection` | skip, `Recollection` | yes | |
//! | `SessionCreated` | [`SessionCreated`] | `&SessionInfo` | abort | | `SessionStart` |
//! | `SessionClosed` | [`SessionClosed`] | `&SessionInfo` | nothing | yes | `SessionEnd` |
//! | `PreCompaction` | [`PreContextCompaction`] | `&mut CompactionInputs` | skip, `CompactionOutput` | | `PreCompaction` |
//! | `PostCompaction` | [`PostContextCompaction`] | `&CompactionInputs`, `&CompactionOutput` | nothing | yes | `PostCompaction` |
//! | `WorkflowStarted` | [`WorkflowStarted`] | `&Workflow` | abort | | |
//! | `WorkflowCompleted` | [`WorkflowCompleted`] | `&Workflow`, `&WorkflowOutcome` | nothing | yes | |
//! | `AgentLoopStart` | [`AgentLoopStart`] | `&mut InvokeInputs` | retry, `InvokeOutput` | | `Start` |
//! | `AgentLoopEnd` | [`AgentLoopEnd`] | `&InvokeInputs`, `&mut InvokeOutput` | retry | yes | `Finished` |
//! | `PrePipelineStep` | [`PrePipelineStep`] | `&mut PipelineStep` | retry, `StepOutput` | | |
//! | `PostPipelineStep` | [`PostPipelineStep`] | `&PipelineStep`, `&mut StepOutput` | retry | yes | |
//! | `ToolGapDetected` | [`ToolGapDetected`] | `&ToolGap` | skip, `ToolGapResolution` | | |
//! | `ToolGapResolved` | [`ToolGapResolved`] | `&ToolGap`, `&mut ToolGapResolution` | abort | yes | |
//! | `AgentGapDetected` | [`AgentGapDetected`] | `&AgentGap` | skip, `AgentGapResolution` | | |
//! | `AgentGapResolved` | [`AgentGapResolved`] | `&AgentGap`, `&mut AgentGapResolution` | abort | yes | |
//! | `DynamicAgentCreated` | [`DynamicAgentCreated`] | `&mut DynamicAgent` | abort | | |
//! | `DynamicAgentDeactivated` | [`DynamicAgentDeactivated`] | `&DynamicAgent` | nothing | yes | |
//! | `ContextOverflow` | [`ContextOverflow`] | `&ContextUse` | abort | | |
//! | `PostSkillInjection` | [`PostSkillInjection`] | `&mut SkillInjection` | abort | yes | |
//!
//! Four have another name here than there, because the lifecycle has events of those names, and a chain tells events by
//! their names.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::ToolSpec;
use crate::{
    CompactionInputs, CompactionOutput, Event, HookPoint, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse,
    SessionInfo, ToolCallInputs, ToolOutput,
};

/// The points in the order of the table.
pub const ALL: [HookPoint; 24] = [
    PreLlmRequest::POINT,
    PostLlmResponse::POINT,
    PreToolExecute::POINT,
    PostToolExecute::POINT,
    MemoryStored::POINT,
    MemoryRecalled::POINT,
    SessionCreated::POINT,
    SessionClosed::POINT,
    PreContextCompaction::POINT,
    PostContextCompaction::POINT,
    WorkflowStarted::POINT,
    WorkflowCompleted::POINT,
    AgentLoopStart::POINT,
    AgentLoopEnd::POINT,
    PrePipelineStep::POINT,
    PostPipelineStep::POINT,
    ToolGapDetected::POINT,
    ToolGapResolved::POINT,
    AgentGapDetected::POINT,
    AgentGapResolved::POINT,
    DynamicAgentCreated::POINT,
    DynamicAgentDeactivated::POINT,
    ContextOverflow::POINT,
    PostSkillInjection::POINT,
];

/// A request is about to be sent to the model. A skip may bring the answer.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = &mut ModelCallInputs, allows = "retry", substitute = ModelResponse, name = "platform.pre_llm_call"
)]
pub struct PreLlmRequest;

/// The model has answered. A skip accepts the answer as it stands.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = (&ModelCallInputs, &mut ModelResponse), allows = "retry", name = "platform.post_llm_call", after = true
)]
pub struct PostLlmResponse;

/// A tool is about to be called. A skip may bring its output.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = &mut ToolCallInputs, allows = "retry", substitute = ToolOutput, name = "platform.pre_tool_execute"
)]
pub struct PreToolExecute;

/// A tool has returned. A skip accepts the output as it stands.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = (&ToolCallInputs, &mut ToolOutput), allows = "retry", name = "platform.post_tool_execute", after = true
)]
pub struct PostToolExecute;

/// A memory has been stored. Its rails observe: what must not be stored is refused where it is made.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &Memory, name = "platform.memory_stored", after = true)]
pub struct MemoryStored;

/// Memories have been found, and are about to be told to the model. A skip may bring others.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = (&MemoryQuery, &mut Recollection), allows = "skip", substitute = Recollection,
    name = "platform.memory_recalled", after = true
)]
pub struct MemoryRecalled;

/// A session begins, or is forked from another. An abort refuses it.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &SessionInfo, allows = "abort", name = "platform.session_created")]
pub struct SessionCreated;

/// A session ends. Its rails observe.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &SessionInfo, name = "platform.session_closed", after = true)]
pub struct SessionClosed;

/// A history is about to be made shorter. A skip may bring the shorter one.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = &mut CompactionInputs, allows = "skip", substitute = CompactionOutput, name = "platform.pre_compaction"
)]
pub struct PreContextCompaction;

/// A history has been made shorter. Its rails observe.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = (&CompactionInputs, &CompactionOutput), name = "platform.post_compaction", after = true)]
pub struct PostContextCompaction;

/// A workflow begins. An abort refuses it.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &Workflow, allows = "abort", name = "platform.workflow_started")]
pub struct WorkflowStarted;

/// A workflow has ended, well or not. Its rails observe.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = (&Workflow, &WorkflowOutcome), name = "platform.workflow_completed", after = true)]
pub struct WorkflowCompleted;

/// The loop of an agent begins: a run. A skip may bring its output.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = &mut InvokeInputs, allows = "retry", substitute = InvokeOutput, name = "platform.agent_loop_start"
)]
pub struct AgentLoopStart;

/// The loop of an agent has its answer. A skip accepts it as it stands.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = (&InvokeInputs, &mut InvokeOutput), allows = "retry", name = "platform.agent_loop_end", after = true
)]
pub struct AgentLoopEnd;

/// A step of a pipeline is about to be taken. A skip may bring its output.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = &mut PipelineStep, allows = "retry", substitute = StepOutput, name = "platform.pre_pipeline_step"
)]
pub struct PrePipelineStep;

/// A step of a pipeline has been taken. A skip accepts its output as it stands.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = (&PipelineStep, &mut StepOutput), allows = "retry", name = "platform.post_pipeline_step", after = true
)]
pub struct PostPipelineStep;

/// An agent has asked for a tool that there is not. A skip leaves the gap, or brings what closes it; an abort ends the
/// run.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &ToolGap, allows = "skip", substitute = ToolGapResolution, name = "platform.tool_gap_detected")]
pub struct ToolGapDetected;

/// There is a tool for the gap, and it is about to be used. An abort refuses it.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = (&ToolGap, &mut ToolGapResolution), allows = "abort", name = "platform.tool_gap_resolved", after = true
)]
pub struct ToolGapResolved;

/// There is no agent for a task. A skip leaves the gap, or brings what closes it; an abort ends the run.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &AgentGap, allows = "skip", substitute = AgentGapResolution, name = "platform.agent_gap_detected")]
pub struct AgentGapDetected;

/// There is an agent for the task, and it is about to be given it. An abort refuses it.
#[derive(Clone, Copy, Debug, Event)]
#[event(
    payload = (&AgentGap, &mut AgentGapResolution), allows = "abort", name = "platform.agent_gap_resolved", after = true
)]
pub struct AgentGapResolved;

/// An agent has been put together at run time, and is about to be registered. Rails may take tools from it; an abort
/// refuses it.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &mut DynamicAgent, allows = "abort", name = "platform.dynamic_agent_created")]
pub struct DynamicAgentCreated;

/// An agent that was made at run time is there no longer. Its rails observe.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &DynamicAgent, name = "platform.dynamic_agent_deactivated", after = true)]
pub struct DynamicAgentDeactivated;

/// The context does not fit into the model's window, and something is about to be done about it. An abort ends the run.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &ContextUse, allows = "abort", name = "platform.context_overflow")]
pub struct ContextOverflow;

/// Skills have been put into the context. Rails may take some out again; an abort ends the run.
#[derive(Clone, Copy, Debug, Event)]
#[event(payload = &mut SkillInjection, allows = "abort", name = "platform.post_skill_injection", after = true)]
pub struct PostSkillInjection;

/// Something that is remembered beyond a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Its name in the store.
    pub id: String,
    /// What is remembered.
    pub text: String,
    /// What it is about: for rails and for finding it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How well it fits the query that found it, between 0 and 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What memories are searched for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryQuery {
    /// What they are to be about.
    pub text: String,
    /// How many are wanted at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The memories that a query has found, the best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recollection {
    /// The memories.
    pub memories: Vec<Memory>,
}

/// A workflow: steps of agents and tools towards one end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workflow {
    /// Which run of the workflow it is.
    pub id: String,
    /// What the workflow is called.
    pub name: String,
    /// What it is given.
    #[serde(default)]
    pub input: Value,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What has become of a workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkflowOutcome {
    /// What it yields.
    #[serde(default)]
    pub output: Value,
    /// Why it failed, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A step of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PipelineStep {
    /// What the pipeline is called.
    pub pipeline: String,
    /// What the step is called.
    pub name: String,
    /// Which it is, from 0.
    pub index: usize,
    /// What it is given: what the step before it yields.
    #[serde(default)]
    pub input: Value,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What a step of a pipeline yields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepOutput {
    /// What the next step is given.
    pub output: Value,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A tool that an agent has asked for and that there is not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolGap {
    /// What the agent called the tool.
    pub tool_name: String,
    /// What it wanted to call it with.
    #[serde(default)]
    pub arguments: Value,
    /// What the tool would be for, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What closes a gap: the tool that is used instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolGapResolution {
    /// What the model is told about the tool.
    pub tool: ToolSpec,
    /// Whether the tool was made for the gap, and is not one that was there.
    #[serde(default)]
    pub is_new: bool,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A task for which there is no agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentGap {
    /// What the agent would have to be able to do.
    pub capability: String,
    /// The task.
    pub task: String,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What closes a gap: the agent that is given the task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentGapResolution {
    /// The agent.
    pub agent: DynamicAgent,
    /// Whether the agent was made for the gap, and is not one that was there.
    #[serde(default)]
    pub is_new: bool,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// An agent that was put together at run time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DynamicAgent {
    /// Its name in the registry.
    pub id: String,
    /// What it is told to be.
    pub instructions: String,
    /// The names of the tools that it may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Who made it: a user, or another agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How much of the model's window the context takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextUse {
    /// How many tokens it has.
    pub tokens: u64,
    /// How many the window has room for.
    pub window: u64,
    /// How many messages it has.
    #[serde(default)]
    pub messages: usize,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Instructions for one kind of task, told to the model when it has one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// What it is called.
    pub name: String,
    /// What the model is told.
    pub text: String,
    /// Whatever else belongs to it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The skills that have been put into a context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillInjection {
    /// The skills, in the order in which the model is told them.
    pub skills: Vec<Skill>,
}

impl Memory {
    /// A memory of this text.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), ..Self::default() }
    }
}

impl MemoryQuery {
    /// A query for memories about this.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl Workflow {
    /// A run of this workflow.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), ..Self::default() }
    }
}

impl PipelineStep {
    /// This step of this pipeline.
    #[must_use]
    pub fn new(pipeline: impl Into<String>, name: impl Into<String>, index: usize) -> Self {
        Self { pipeline: pipeline.into(), name: name.into(), index, ..Self::default() }
    }
}

impl ToolGap {
    /// A tool of this name is missing.
    #[must_use]
    pub fn new(tool_name: impl Into<String>) -> Self {
        Self { tool_name: tool_name.into(), ..Self::default() }
    }
}

impl ToolGapResolution {
    /// This tool closes the gap.
    #[must_use]
    pub fn new(tool: ToolSpec) -> Self {
        Self { tool, is_new: false, extra: Map::new() }
    }
}

impl AgentGap {
    /// An agent that can do this is missing for the task.
    #[must_use]
    pub fn new(capability: impl Into<String>, task: impl Into<String>) -> Self {
        Self { capability: capability.into(), task: task.into(), ..Self::default() }
    }
}

impl DynamicAgent {
    /// An agent that is told to be this, without tools.
    #[must_use]
    pub fn new(id: impl Into<String>, instructions: impl Into<String>) -> Self {
        Self { id: id.into(), instructions: instructions.into(), ..Self::default() }
    }
}
