//! The plan of a machine: everything that the executor looks up, made once from the model.

mod annotations;
mod build;
mod template;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use exo_rails_dygram::{Machine, NodeId, NodeKind};

use crate::conditions::{Condition, Name};
use crate::contexts::{ContextRules, Contexts, Grant};
use crate::definition::{Code, Definition};
pub(crate) use template::{Template, value_at};

/// A machine that can be executed.
///
/// ```
/// use exo_rails_machine::{Plan, Work};
///
/// let file = "State idle; Task plan { prompt: \"Plan\"; } End done; idle -> plan; plan -> done, idle;";
/// let machine = exo_rails_dygram::read("flow.dygram", file).machine;
/// let plan = Plan::new(&machine)?;
/// let node = plan.node("plan").expect("the file has the node");
/// assert_eq!(node.work, Work::Task);
/// let tools: Vec<_> = node.edges.iter().map(|edge| &*edge.tool).collect();
/// assert_eq!(tools, ["transition_to_done", "transition_to_idle"]);
/// # Ok::<(), exo_rails_machine::PlanError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    machine: Machine,
    nodes: Vec<Arc<PlanNode>>,
    by_path: HashMap<String, usize>,
    starts: Vec<String>,
    /// The nodes with `@compensate` in the order of the file, and the nodes whose work they undo.
    pub(crate) compensations: Vec<(String, Option<String>)>,
    rules: ContextRules,
    code: Code,
    /// How many paths work at the same time. The default is 4.
    pub concurrency: usize,
    /// What happens when a path fails.
    pub on_error: OnError,
}

/// A node of the flow of control.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the file")]
pub struct PlanNode {
    /// The path of the node: the names of the nodes around it and its own name, with dots between them.
    pub path: String,
    /// What the node is for.
    pub kind: NodeKind,
    /// The type in the file. For a node without a type, this is the name of its kind.
    pub type_name: String,
    /// The title.
    pub title: Option<String>,
    /// Who works at the node.
    pub work: Work,
    /// Whether the agent may change the machine at the node.
    pub is_meta: bool,
    /// Whether a path ends here, even if the node has edges.
    pub is_end: bool,
    /// Whether the node joins the paths that arrive at it.
    pub is_join: bool,
    /// The name of the agent whose conversation the node continues. Nodes with the same agent share one conversation. Without a
    /// name, each path has its own conversation at the node.
    pub agent: Option<String>,
    /// The edges that leave the node, in the order in which the machine tries them. Edges with a higher priority come first,
    /// then the order of the file counts. A node without edges has the edges of the nearest node around it that has some.
    pub edges: Vec<Arc<PlanEdge>>,
    /// What the node may read and write.
    pub grants: Vec<Grant>,
    /// The names of the tools that the node uses: the tool nodes with an edge to or from it, and the tools in `uses` of
    /// `machine!`.
    pub tools: Vec<String>,
    /// How often the machine repeats failed work.
    pub retries: u32,
    /// How long each attempt of the work may take.
    pub timeout: Option<Duration>,
    /// When a path at the node goes on, in comparison with other paths.
    pub urgency: Urgency,
    /// Whether the executor keeps the state when a path enters the node. See [`StateSink::keep`](crate::StateSink::keep).
    pub is_checkpoint: bool,
    pub(crate) prompt: Option<Template>,
    pub(crate) outer: Vec<Template>,
    /// The child at which the node is entered.
    pub(crate) entry: Option<String>,
}

/// When a path goes on, in comparison with other paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// Before all other paths: `@eager`.
    Eager,
    /// In the order of their priorities.
    #[default]
    Normal,
    /// When no other path can go on: `@lazy`.
    Lazy,
}

/// Who works at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Nobody. The machine asks the agent only if several edges are possible.
    None,
    /// The agent, if no automatic edge is possible. Such a node has no prompt, but it may write a context or change the
    /// machine.
    State,
    /// The agent, before the machine takes any edge. Such a node has a prompt.
    Task,
}

/// An edge that leaves a node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanEdge {
    /// The path of the target. If the target has children, the path through the machine enters one of them.
    pub target: String,
    /// The name of the tool with which the agent takes the edge. The machine takes `@parallel` edges by itself, so agents do
    /// not get tools for these edges.
    pub tool: String,
    /// What the edge is for.
    pub description: Option<String>,
    /// The condition.
    pub condition: Option<Condition>,
    /// Whether the machine takes the edge without a decision.
    pub is_auto: bool,
    /// How many paths take the edge.
    pub flow: Flow,
    /// The priority. The machine tries edges with a higher number first, and the paths that they start go first.
    pub priority: i64,
    /// The barrier at which a path waits before the target.
    pub barrier: Option<Barrier>,
}

impl PlanEdge {
    /// Returns an edge that the machine takes without one in the file: to a node with `@compensate`.
    pub(crate) fn to_compensation(target: &str) -> Self {
        Self {
            target: target.to_owned(),
            tool: String::new(),
            description: None,
            condition: None,
            is_auto: true,
            flow: Flow::Single,
            priority: 0,
            barrier: None,
        }
    }
}

/// How many paths take an edge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Flow {
    /// The path itself.
    Single,
    /// A new path, while the current path goes on: `@async`, `@spawn`.
    Spawn,
    /// A new path for each such edge of the node. The current path waits for all of them: `@parallel`, `@fork`.
    Fork,
    /// A new path for each item of a list. The current path waits for all of them: `@map`, `@foreach`, `@each`.
    Map(ListName),
}

/// The list that `@map` names.
#[derive(Clone, Debug)]
pub struct ListName {
    /// The name in the file.
    pub text: String,
    pub(crate) name: Name,
    pub(crate) path: Vec<String>,
}

/// A place where paths wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Barrier {
    /// The name. Edges with the same name have the same barrier.
    pub name: String,
    /// Whether only one path goes on after the barrier.
    pub is_merge: bool,
}

/// What happens when a path fails: `@errorHandling`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The machine stops with the error.
    #[default]
    FailFast,
    /// The other paths go on.
    Continue,
    /// The other paths go on. The failed path visits the nodes with `@compensate`. Then the machine takes back its writes, the
    /// newest first.
    Compensate,
}

/// Why a machine cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the machine cannot be executed: {}", problems.join("; "))]
pub struct PlanError {
    /// What is wrong. There is at least one problem.
    pub problems: Vec<String>,
}

impl Plan {
    /// Makes the plan of a machine. The machine should have passed the [checks](exo_rails_dygram::check).
    ///
    /// # Errors
    ///
    /// If a condition is not CEL, if a prompt reads a field that its node may not read, if `@compensate` names an unknown node,
    /// if two edges of a node would have the same tool, or if the machine has no node at which it could start.
    pub fn new(machine: &Machine) -> Result<Self, PlanError> {
        Self::of(&machine.into())
    }

    /// Makes the plan of a machine with Rust code.
    ///
    /// # Errors
    ///
    /// In the cases of [`new`](Self::new), and if a type of the program does not fit its context.
    pub fn of(definition: &Definition) -> Result<Self, PlanError> {
        build::plan(definition.machine(), definition.code())
    }

    /// Makes the plan of a changed machine, with the same Rust code.
    pub(crate) fn changed(&self, machine: &Machine) -> Result<Self, PlanError> {
        build::plan(machine, &self.code)
    }

    /// Returns the values that the contexts have when the machine starts.
    #[must_use]
    pub fn first_values(&self) -> Contexts {
        let mut contexts = Contexts::first(&self.machine);
        contexts.set_typed(self.code.contexts.iter());
        contexts
    }

    /// Returns whether only the nodes that name a tool have it.
    pub(crate) fn is_named_tool(&self, name: &str) -> bool {
        let is_node = |id: &NodeId| self.machine.kind(*id) == NodeKind::Tool;
        self.machine.named(name).iter().any(is_node) || self.code.tools.values().flatten().any(|tool| tool == name)
    }

    /// Returns the machine.
    #[must_use]
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the title of the machine.
    #[must_use]
    pub fn title(&self) -> &str {
        self.machine.title.as_deref().unwrap_or("machine")
    }

    /// Returns all nodes of the flow of control.
    pub fn nodes(&self) -> impl Iterator<Item = &PlanNode> {
        self.nodes.iter().map(|node| &**node)
    }

    /// Returns the node with a path.
    #[must_use]
    pub fn node(&self, path: &str) -> Option<&Arc<PlanNode>> {
        self.by_path.get(path).and_then(|at| self.nodes.get(*at))
    }

    /// Returns the nodes at which the machine starts. Each of them starts a path.
    #[must_use]
    pub fn starts(&self) -> &[String] {
        &self.starts
    }

    /// Returns the contexts with their fields.
    #[must_use]
    pub const fn rules(&self) -> &ContextRules {
        &self.rules
    }

    /// Returns whether a tool node says how its tool works, so that an agent can build it.
    pub(crate) fn describes_tool(&self, name: &str) -> bool {
        self.machine.named(name).iter().filter(|id| self.machine.kind(**id) == NodeKind::Tool).any(|id| {
            ["prompt", "composition", "code"].iter().any(|attribute| self.machine.node(*id).field(attribute).is_some())
        })
    }

    /// Returns the node that a path enters when an edge leads to a node: the node itself, or a node in it.
    #[must_use]
    pub fn entered<'a>(&'a self, path: &'a str) -> &'a str {
        let mut at = path;
        while let Some(inner) = self.node(at).and_then(|node| node.entry.as_deref()) {
            at = inner;
        }
        at
    }
}

impl PlanNode {
    /// Returns the name of the conversation that a path has at the node.
    pub(crate) fn conversation(&self, path: u64) -> String {
        self.agent.as_ref().map_or_else(|| format!("{}#{path}", self.path), |agent| format!("agent:{agent}"))
    }

    /// Returns the edges that move the path itself, and start no other paths.
    pub fn single_edges(&self) -> impl Iterator<Item = &Arc<PlanEdge>> {
        self.edges.iter().filter(|edge| matches!(edge.flow, Flow::Single))
    }
}
