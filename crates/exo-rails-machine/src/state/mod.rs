//! The state of an execution, which can be saved and resumed at every step.

mod check;
mod live;
mod questions;
mod store;
mod undo;

use std::collections::BTreeMap;

use exo_rails::message::{Messages, Usage};
use exo_rails::{OpenQuestion, SavedContext, ToolOutput};
use exo_rails_agent::{Resolution, SuspendedRun};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::contexts::{Contexts, Written};
use crate::history::{History, Mutation, Said, StartedPath, Status};
pub(crate) use live::Live;
pub use questions::PathQuestion;
pub(crate) use store::SharedSink;
pub use store::{Checkpoint, StateFile, StateSink};
pub(crate) use undo::{PastWrite, Undo};

/// The whole state of an execution.
///
/// It serializes to JSON with serde. With [`save_to`](crate::ExecutorBuilder::save_to), an executor saves it after each step,
/// before each tool runs and after each tool call. [`Executor::resume`](crate::Executor::resume) continues it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineState {
    /// The name of the execution, for spans, limits and records.
    pub(crate) run_id: String,
    /// The machine as DyGram.
    pub(crate) definition: String,
    /// Whether an agent has changed the machine.
    pub(crate) is_changed: bool,
    pub(crate) contexts: Contexts,
    pub(crate) paths: Vec<Path>,
    /// The paths whose steps are under way. They are finished before other paths go on, also after a crash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) round: Vec<u64>,
    pub(crate) steps: u64,
    /// How many runs of agents have begun. Each has its number, so no question of a rail is about two of them.
    #[serde(default)]
    pub(crate) runs: u32,
    pub(crate) visits: BTreeMap<String, u32>,
    pub(crate) errors: Vec<String>,
    /// The conversations by the names of their agents.
    pub(crate) conversations: BTreeMap<String, Messages>,
    pub(crate) tools: Vec<ConstructedTool>,
    /// The values of the run that rails keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<SavedContext>,
    pub(crate) history: History,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) program_values: Map<String, Value>,
}

/// A path through a machine. A machine without `@async`, `@parallel` and `@map` has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Path {
    pub(crate) id: u64,
    pub(crate) node: String,
    /// The path that waits for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<u64>,
    #[serde(default)]
    pub(crate) priority: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<Value>,
    pub(crate) status: PathStatus,
    /// Whether the visit of the node is counted.
    #[serde(default)]
    pub(crate) has_entered: bool,
    /// Whether the checkpoint of the visit is still to be kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) needs_checkpoint: bool,
    /// The paths that the path has started at the current node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) started: Vec<StartedPath>,
    /// Whether the paths beside this one are started.
    #[serde(default)]
    pub(crate) has_spawned: bool,
    /// The number of the last step of this path, so that all paths have their turn.
    #[serde(default)]
    pub(crate) last_step: u64,
    /// The nodes since anything but the place of the path has changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unchanged: Vec<String>,
    #[serde(default)]
    pub(crate) unchanged_since: (u64, usize),
    /// The errors of the attempts at the current node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) failures: Vec<String>,
    /// What the path has written, for `compensate`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) written: Vec<PastWrite>,
    /// The paths in whose place the path goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) merged: Vec<u64>,
    /// What the path still has to do since it has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<Undo>,
    /// The edges that the rails have allowed in this step, of several that the path takes at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) allowed: Vec<Allowed>,
    /// The question of a rail about a transition of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) question: Option<OpenQuestion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) visit: Option<Visit>,
    /// What failed attempts at the current node did, until the next attempt begins its visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failed_visit: Option<Visit>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PathStatus {
    Active,
    /// The path waits at a barrier, and then goes to the target.
    Waiting {
        barrier: String,
        target: String,
        is_merge: bool,
    },
    /// The path waits for the paths that it started.
    Forked,
    Ended,
    Failed,
    /// Another path goes on in its place.
    Merged,
}

impl Path {
    /// Returns whether the path has failed, and goes on to the next node with `@compensate`.
    pub(crate) fn is_leaving(&self) -> bool {
        self.undo.as_ref().is_some_and(|undo| undo.is_leaving)
    }
}

impl PathStatus {
    pub(crate) const fn is_over(&self) -> bool {
        matches!(self, Self::Ended | Self::Failed | Self::Merged)
    }
}

/// The work of the agent at a node, while it is under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Visit {
    pub(crate) system: String,
    pub(crate) user: String,
    /// The input of the current run of the agent.
    pub(crate) input: String,
    /// The names of the tools for the edges that the agent may take in this run.
    pub(crate) offered: Vec<String>,
    pub(crate) reminders: u32,
    /// The model calls of the runs that have ended.
    #[serde(default)]
    pub(crate) model_calls: u32,
    #[serde(default)]
    pub(crate) said: Vec<Said>,
    #[serde(default)]
    pub(crate) tools_used: Vec<String>,
    #[serde(default)]
    pub(crate) mutations: Vec<Mutation>,
    #[serde(default)]
    pub(crate) writes: Vec<Written>,
    #[serde(default)]
    pub(crate) usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chosen: Option<Chosen>,
    /// The edge that the agent wants to take, if a rail asks about it. The rails decide about it when the machine is resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<Asked>,
    /// The run of the agent, if it has begun and not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<Box<SuspendedRun>>,
    /// The output of the tool call that is under way, if the call has changed the state already. Another path may save the
    /// state before the call returns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) effect: Option<String>,
    /// Whether the tools of the node have changed since the agent began its run.
    #[serde(default)]
    pub(crate) has_new_tools: bool,
    /// How often the agent began a new run because its tools had changed.
    #[serde(default)]
    pub(crate) renewals: u32,
    /// Whether the agent has worked, and only the way is left to choose.
    #[serde(default)]
    pub(crate) has_worked: bool,
}

impl Visit {
    /// Begins a visit with the record of failed attempts: what was said, done and used in them.
    pub(crate) fn after(failed: Option<Self>) -> Self {
        let Self { said, tools_used, mutations, writes, usage, .. } = failed.unwrap_or_default();
        Self { said, tools_used, mutations, writes, usage, ..Self::default() }
    }
}

/// The edge that the agent chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Chosen {
    pub(crate) target: String,
    pub(crate) is_map: bool,
    pub(crate) reason: Option<String>,
}

/// An edge that the rails have allowed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Allowed {
    /// The target about which the rails were asked.
    pub(crate) asked: String,
    /// The target that they have chosen.
    pub(crate) taken: String,
}

/// The edge that the agent wants to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The name of the tool of the edge.
    pub(crate) tool: String,
    pub(crate) target: String,
    pub(crate) reason: Option<String>,
}

/// A tool that an agent constructed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConstructedTool {
    /// The name.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// The JSON Schema of its result, if the agent has given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// How it works.
    pub implementation: Implementation,
    /// The improvements that agents have proposed.
    #[serde(default)]
    pub improvements: Vec<String>,
}

/// How a constructed tool works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "strategy", content = "details")]
#[non_exhaustive]
pub enum Implementation {
    /// The model does the work, with these instructions.
    AgentBacked(String),
    /// A program in a sandbox.
    CodeGeneration(String),
    /// Other tools, one after the other. Each tool takes the output of the previous one.
    Composition(Vec<String>),
}

impl MachineState {
    /// Returns the status of the execution.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.history.status
    }

    /// Returns the history so far.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Returns the contexts.
    #[must_use]
    pub const fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// Returns the contexts, so that the program can change them. Programs may do this between two steps.
    pub const fn contexts_mut(&mut self) -> &mut Contexts {
        &mut self.contexts
    }

    /// Returns the values that the program keeps with the state. The executor saves them, but does not use them.
    #[must_use]
    pub const fn program_values(&self) -> &Map<String, Value> {
        &self.program_values
    }

    /// Returns the values that the program keeps with the state, so that the program can change them. A [`StateSink`] may add
    /// values to each state that it saves.
    pub const fn program_values_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.program_values
    }

    /// Resolves the calls whose effects are in the state, so that a resumed agent does not repeat them.
    pub(crate) fn settle_calls(&mut self) {
        for visit in self.paths.iter_mut().filter_map(|path| path.visit.as_mut()) {
            let (Some(output), Some(run)) = (visit.effect.take(), visit.run.as_mut()) else { continue };
            let number = run.unknown_calls().next().map(|(number, _)| number);
            if let Some(number) = number {
                // The number is of an unknown call, so it is open.
                drop(run.resolve(number, Resolution::Returned(ToolOutput::text(output))));
            }
        }
    }

    /// Returns the nodes of all paths that have not ended.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().filter(|path| !path.status.is_over()).map(|path| &*path.node)
    }

    /// Returns how often paths have visited a node.
    #[must_use]
    pub fn visits(&self, node: &str) -> u32 {
        self.visits.get(node).copied().unwrap_or_default()
    }

    /// Returns the suspended runs of agents. They wait for answers to [questions](Self::questions), or for decisions about
    /// [unknown calls](SuspendedRun::unknown_calls).
    pub fn suspended_runs(&mut self) -> impl Iterator<Item = &mut SuspendedRun> {
        let visits = self.paths.iter_mut().filter_map(|path| path.visit.as_mut());
        visits.filter_map(|visit| visit.run.as_deref_mut())
    }

    /// Returns the tools that agents have constructed.
    #[must_use]
    pub fn constructed_tools(&self) -> &[ConstructedTool] {
        &self.tools
    }

    /// Returns the machine as DyGram text, with the changes of agents.
    #[must_use]
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// Sends a path to a node.
    pub(crate) fn enter(&mut self, id: u64, node: &str) {
        if let Some(path) = self.path_mut(id) {
            node.clone_into(&mut path.node);
            path.status = PathStatus::Active;
            (path.has_entered, path.has_spawned, path.visit) = (false, false, None);
            if let Some(undo) = &mut path.undo {
                undo.is_leaving = false;
            }
            path.failures.clear();
        }
    }

    pub(crate) fn path(&self, id: u64) -> Option<&Path> {
        self.paths.iter().find(|path| path.id == id)
    }

    pub(crate) fn path_mut(&mut self, id: u64) -> Option<&mut Path> {
        self.paths.iter_mut().find(|path| path.id == id)
    }

    pub(crate) fn visit_mut(&mut self, id: u64) -> Option<&mut Visit> {
        self.path_mut(id).and_then(|path| path.visit.as_mut())
    }

    /// Starts a path beside another one, or below it if `is_child`.
    pub(crate) fn start_path(&mut self, from: u64, node: &str, is_child: bool, priority: i64, item: Option<Value>) {
        let parent = if is_child { Some(from) } else { self.path(from).and_then(|path| path.parent) };
        let path = self.add_path(node, parent, priority, item);
        if let Some(from) = self.path_mut(from) {
            from.started.push(StartedPath { path, node: node.to_owned() });
        }
    }

    /// Adds a path at a node. Returns its number.
    pub(crate) fn add_path(&mut self, node: &str, parent: Option<u64>, priority: i64, item: Option<Value>) -> u64 {
        let id = self.paths.len() as u64;
        self.paths.push(Path {
            id,
            node: node.to_owned(),
            parent,
            priority,
            item,
            status: PathStatus::Active,
            has_entered: false,
            needs_checkpoint: false,
            started: Vec::new(),
            has_spawned: false,
            last_step: 0,
            unchanged: Vec::new(),
            unchanged_since: (0, 0),
            failures: Vec::new(),
            written: Vec::new(),
            merged: Vec::new(),
            undo: None,
            allowed: Vec::new(),
            question: None,
            visit: None,
            failed_visit: None,
        });
        id
    }
}
