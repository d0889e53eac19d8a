#![doc = include_str!("../README.md")]
//! # Where to begin
//!
//! - [`machine!`] and [`machine_file!`] write a machine in Rust or read it from a file.
//! - [`Executor`] runs it, and [`ExecutorBuilder`] has the settings.
//! - [`MachineState`] is what is saved, and a [`StateSink`] saves it. [`MachineState::questions`] are the open questions.
//! - [`History`] is the audit trail, and [`replay`] checks it.
//! - [`Transition`] is the operation that rails guard, with the events [`PreTransition`], [`PostTransition`] and [`TransitionError`].
//! - [`mermaid`] and [`dot`] draw a machine.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::doc_markdown, reason = "DyGram is a name, and no item of the code")]

mod conditions;
mod contexts;
mod definition;
mod draw;
mod executor;
#[doc(hidden)]
pub mod for_macros;
mod history;
mod macros;
mod meta;
mod plan;
mod prompt;
mod registry;
mod state;
mod tools;
mod transition;

pub use crate::conditions::{Condition, ConditionError, Facts};
pub use crate::contexts::{AccessError, ContextRules, Contexts, FieldRule, Grant, Written, fits, schema_of};
pub use crate::definition::Definition;
#[cfg(feature = "svg")]
#[cfg_attr(docsrs, doc(cfg(feature = "svg")))]
pub use crate::draw::svg;
pub use crate::draw::{dot, mermaid};
pub use crate::executor::{
    BuildError, Done, Execution, Executor, ExecutorBuilder, GuardsMachine, Limits, MachineError, Progress, Stopped,
};
pub use crate::history::{
    AgentInvocation, History, HistoryStep, JsonLines, Mutation, Position, ReplayError, Said, StartedPath, Status,
    StepOutcome, Summary, TokenUsage, TransitionType, format_time, replay,
};
pub use crate::plan::{Barrier, Flow, ListName, OnError, Plan, PlanEdge, PlanError, PlanNode, Urgency, Work};
pub use crate::registry::{NamePattern, RegistryDiagnostics, RegistryError, ToolRegistry};
pub use crate::state::{Checkpoint, ConstructedTool, Implementation, MachineState, PathQuestion, StateFile, StateSink};
pub use crate::transition::{
    PostTransition, PreTransition, Transition, TransitionError, TransitionRecord, TransitionRequest,
};
pub use exo_rails_dygram::Machine;

/// A type that stands for a node of a machine. The macros [`machine!`] and [`machine_file!`] make such types.
///
/// ```
/// use exo_rails_machine::{Node, machine};
///
/// machine! {
///     machine Light {
///         init Off { -> On; }
///         end On;
///     }
/// }
///
/// assert_eq!(light::On::PATH, "On");
/// ```
pub trait Node {
    /// The path of the node: the names of the nodes around it and its own name, with dots between them.
    const PATH: &'static str;
}
