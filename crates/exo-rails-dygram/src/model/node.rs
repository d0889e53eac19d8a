//! Nodes and notes.

use super::{Annotation, Attribute, NodeId, Value};
use crate::diagnostic::Place;

/// A node of a machine. [`Machine`](super::Machine) knows its parent, its children and its kind.
///
/// ```
/// use exo_rails_dygram::{Machine, Node};
///
/// let mut machine = Machine::new();
/// let plan = machine.add_node(None, Node { type_name: Some("Task".to_owned()), ..Node::named("plan") })?;
/// assert_eq!(machine.path(plan), "plan");
/// # Ok::<(), exo_rails_dygram::AddError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The name, without the names of the nodes around it.
    pub name: String,
    /// The type, as the file writes it. See [`Machine::kind`](super::Machine::kind) for its meaning.
    pub type_name: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The annotations.
    pub annotations: Vec<Annotation>,
    /// The attributes. The attributes of a context are its fields.
    pub attributes: Vec<Attribute>,
    /// Whether only edges name the node, and no statement declares it.
    pub is_implied: bool,
    /// Where the name is.
    pub place: Place,
}

impl Node {
    /// Makes a node with only a name.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Returns the value of an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.field(name).and_then(|attribute| attribute.value.as_ref())
    }

    /// Returns an attribute.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the annotation with this name. The comparison ignores case.
    #[must_use]
    pub fn annotation(&self, name: &str) -> Option<&Annotation> {
        self.annotations.iter().find(|annotation| annotation.is(name))
    }

    /// Returns the prompt: what the agent should do at this node.
    #[must_use]
    pub fn prompt(&self) -> Option<&str> {
        self.attribute("prompt").and_then(Value::as_str)
    }

    /// Returns whether the node has `@compensate`. Only failed paths visit such a node.
    #[must_use]
    pub fn is_compensation(&self) -> bool {
        self.annotation("compensate").is_some_and(Annotation::is_enabled)
    }

    /// Returns whether the agent may change the machine at this node: the attribute `meta` is true, or the node has `@meta`.
    #[must_use]
    pub fn is_meta(&self) -> bool {
        let attribute = self.attribute("meta").and_then(Value::as_bool);
        attribute.unwrap_or_else(|| self.annotation("meta").is_some_and(Annotation::is_enabled))
    }
}

/// The tools with which an agent at a node with `meta` changes the tools and the machine.
///
/// ```
/// assert!(exo_rails_dygram::META_TOOLS.contains(&"construct_tool"));
/// ```
pub const META_TOOLS: [&str; 7] = [
    "construct_tool",
    "list_available_tools",
    "propose_tool_improvement",
    "get_machine_definition",
    "get_tool_nodes",
    "build_tool_from_node",
    "update_definition",
];

/// A note about a node: `Note plan "Why this comes first";`
///
/// ```
/// let machine = exo_rails_dygram::read("flow.dygram", "State idle; Note idle \"Waits for work\";").machine;
/// assert_eq!(machine.nodes().len(), 1);
/// assert_eq!(machine.notes()[0].title.as_deref(), Some("Waits for work"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The node that the note is about.
    pub target: NodeId,
    /// The text.
    pub title: Option<String>,
    /// The annotations.
    pub annotations: Vec<Annotation>,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// Where the note names its node.
    pub place: Place,
}
