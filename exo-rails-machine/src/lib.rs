#![doc = include_str!("../README.md")]
#![allow(clippy::doc_markdown, reason = "DyGram is a name, and no item of the code")]

mod conditions;
mod contexts;
mod draw;
mod executor;
mod history;
mod meta;
mod plan;
mod prompt;
mod registry;
mod state;
mod tools;
mod transition;

pub use crate::conditions::{Condition, ConditionError, Facts};
pub use crate::contexts::{AccessError, ContextRules, Contexts, FieldRule, Grant, Written, fits, schema_of};
pub use crate::draw::{dot, mermaid};
pub use crate::executor::{
    BuildError, Done, Execution, Executor, ExecutorBuilder, Limits, MachineError, Progress, Stopped,
};
pub use crate::history::{
    AgentInvocation, History, HistoryStep, JsonLines, Mutation, Position, ReplayError, Said, Status, StepOutcome,
    Summary, TokenUsage, TransitionType, replay,
};
pub use crate::plan::{Barrier, Flow, ListName, OnError, Plan, PlanEdge, PlanError, PlanNode, Work};
pub use crate::registry::{RegistryDiagnostics, RegistryError, ToolPattern, ToolRegistry};
pub use crate::state::{ConstructedTool, Implementation, MachineState, StateFile, StateSink};
pub use crate::transition::{
    PostTransition, PreTransition, Transition, TransitionError, TransitionRecord, TransitionRequest,
};
