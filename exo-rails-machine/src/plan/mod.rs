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
    /// How many paths work at the same time.
    pub concurrency: usize,
    /// What happens when a path fails.
    pub on_error: OnError,
}

/// A node of the flow of control.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the file")]
pub struct PlanNode {
    /// The names of the node and of the nodes around it.
    pub path: String,
    /// What the node is for.
    pub kind: NodeKind,
    /// The type in the file, or the name of the kind.
    pub type_name: String,
    /// The title.
    pub title: Option<String>,
    /// Who works at the node.
    pub work: Work,
    /// Whether the agent may change the machine at the node.
    pub is_meta: bool,
    /// Whether the machine ends here, even if the node has edges.
    pub is_end: bool,
    /// Whether paths that arrive here are joined.
    pub is_join: bool,
    /// The agent whose conversation the node continues. Nodes with the same agent share it. Without a name, each path has a
    /// conversation with the node.
    pub agent: Option<String>,
    /// The edges by which the node can be left, in the order in which they are tried: first those of a higher priority, then in
    /// the order of the file. A node without edges has those of the nodes around it.
    pub edges: Vec<Arc<PlanEdge>>,
    /// What the node may read and write.
    pub grants: Vec<Grant>,
    /// The names of the tool nodes to which the node has an edge.
    pub tools: Vec<String>,
    /// How often the work is repeated if it fails.
    pub retries: u32,
    /// How long the work may take.
    pub timeout: Option<Duration>,
    /// When a path at the node goes on, among the paths that can.
    pub urgency: Urgency,
    /// Whether the state is kept when a path enters the node: see [`StateSink::keep`](crate::StateSink::keep).
    pub is_checkpoint: bool,
    pub(crate) prompt: Option<Template>,
    pub(crate) outer: Vec<Template>,
    /// The child at which the node is entered.
    pub(crate) entry: Option<String>,
}

/// When a path goes on, among the paths that can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// Before all others: `@eager`.
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
    /// Nobody. The agent is asked only if several edges can be taken.
    None,
    /// The agent, if no automatic edge can be taken: the node is a state that may write or change the machine.
    State,
    /// The agent, before any edge is taken: the node has a prompt.
    Task,
}

/// An edge by which a node can be left.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanEdge {
    /// The path of the target, as the edge names it. If this node has children, one of them is entered.
    pub target: String,
    /// The name of the tool by which the agent takes the edge. Paths take edges with `@parallel` by themselves, so there is no
    /// such tool for them.
    pub tool: String,
    /// What the edge is for.
    pub description: Option<String>,
    /// The condition.
    pub condition: Option<Condition>,
    /// Whether the edge is taken without a decision.
    pub is_auto: bool,
    /// How many paths take the edge.
    pub flow: Flow,
    /// Edges with a higher number are tried first, and the paths that they start go first.
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
    /// A new path, beside the one that goes on: `@async`, `@spawn`.
    Spawn,
    /// A new path for each such edge of the node, and the path itself waits for all of them: `@parallel`, `@fork`.
    Fork,
    /// A new path for each item of a list, and the path itself waits for all of them: `@map`, `@foreach`, `@each`.
    Map(ListName),
}

/// The list whose items `@map` takes.
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
    /// Whether only one path goes on.
    pub is_merge: bool,
}

/// What happens when a path fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The machine fails.
    #[default]
    FailFast,
    /// The other paths go on.
    Continue,
    /// The other paths go on. The failed path visits the nodes with `@compensate`, and then its writes are taken back, the newest
    /// first.
    Compensate,
}

/// Why a machine cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the machine cannot be executed: {}", problems.join("; "))]
pub struct PlanError {
    /// What is wrong. There is at least one.
    pub problems: Vec<String>,
}

impl Plan {
    /// Makes the plan of a machine. The machine should have passed the [checks](exo_rails_dygram::check).
    ///
    /// # Errors
    ///
    /// If a condition is not CEL, if a prompt reads what its node may not, if two edges of a node would have the same tool,
    /// or if the machine has no node at which it could begin.
    pub fn new(machine: &Machine) -> Result<Self, PlanError> {
        Self::of(&machine.into())
    }

    /// Makes the plan of a machine with Rust code.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn of(definition: &Definition) -> Result<Self, PlanError> {
        build::plan(definition.machine(), definition.code())
    }

    /// Makes the plan of a changed machine, with the same Rust code.
    pub(crate) fn changed(&self, machine: &Machine) -> Result<Self, PlanError> {
        build::plan(machine, &self.code)
    }

    /// Returns the values that the contexts have at the beginning.
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

    /// Returns the nodes at which the machine begins. Each has a path.
    #[must_use]
    pub fn starts(&self) -> &[String] {
        &self.starts
    }

    /// Returns the contexts.
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

    /// Returns the node that is entered when an edge leads to a node: the node itself, or one in it.
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

    /// Returns the edges that are taken one at a time.
    pub fn single_edges(&self) -> impl Iterator<Item = &Arc<PlanEdge>> {
        self.edges.iter().filter(|edge| matches!(edge.flow, Flow::Single))
    }
}
