//! What a node is, by its type or by what it has.

use super::{Attribute, Machine, Node, NodeId};

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A node where a machine starts.
    Init,
    /// A node for work. If it has a prompt, an agent does the work.
    Task,
    /// A node without work.
    State,
    /// A node where a path ends.
    End,
    /// Data that other nodes read and write.
    Context,
    /// A description of a tool, with its schemas.
    Tool,
    /// Rules for drawings.
    Style,
    /// A node of another type, such as `Process` or `join`. It is part of the flow of control.
    Custom,
    /// A node without a type. It is part of the flow of control.
    Untyped,
}

/// Types that mean contexts.
const CONTEXTS: [&str; 8] = ["context", "data", "input", "output", "result", "entity", "resource", "concept"];

/// Attributes that make an untyped node a tool.
const TOOL_ATTRIBUTES: [&str; 5] = ["input", "output", "parameters", "schema", "returns"];

/// Attributes that no context has.
const WORK_ATTRIBUTES: [&str; 4] = ["prompt", "meta", "condition", "action"];

/// Parts of names that make an untyped node a context.
const CONTEXT_NAMES: [&str; 7] = ["context", "output", "input", "data", "result", "config", "state"];

impl NodeKind {
    /// Types with a meaning, for "did you mean".
    pub(crate) const KNOWN: [&str; 17] = [
        "task", "state", "init", "end", "context", "data", "input", "output", "result", "entity", "resource",
        "concept", "tool", "style", "note", "process", "join",
    ];

    /// Returns whether nodes of this kind are part of the flow of control.
    #[must_use]
    pub const fn is_control(self) -> bool {
        !matches!(self, Self::Context | Self::Tool | Self::Style)
    }

    /// Returns the kind that a type means. The comparison ignores case.
    #[must_use]
    pub fn of_type(type_name: &str) -> Self {
        const KINDS: [(&str, NodeKind); 6] = [
            ("init", NodeKind::Init),
            ("task", NodeKind::Task),
            ("state", NodeKind::State),
            ("end", NodeKind::End),
            ("tool", NodeKind::Tool),
            ("style", NodeKind::Style),
        ];
        let contexts = CONTEXTS.iter().map(|name| (*name, Self::Context));
        let mut known = KINDS.into_iter().chain(contexts);
        known.find(|(name, _)| type_name.eq_ignore_ascii_case(name)).map_or(Self::Custom, |(_, kind)| kind)
    }
}

impl Machine {
    /// Returns what a node is for.
    ///
    /// If the node has a type, the type decides. Otherwise, the first of these rules that applies decides:
    ///
    /// 1. A node with a prompt is a task.
    /// 2. A node is a context if the nearest typed node around it is a context. It is then a part of the data of this context.
    /// 3. A node with one of the attributes `input`, `output`, `parameters`, `schema` and `returns` is a tool.
    /// 4. A node is a context if it has children, has no edges, and all its children are contexts. Children that are contexts
    ///    only because of their names do not count.
    /// 5. A node without children is a context if its name contains a word such as `context`, `data` or `result`, or if it has
    ///    attributes and none of them is `prompt`, `meta`, `condition` or `action`.
    /// 6. A node without children and attributes is a context if it has only incoming edges, and if the labels of all these
    ///    edges give permissions, such as `reads`, `writes`, `stores` or a list of fields.
    /// 7. A node is an init if it has outgoing edges and no incoming edges.
    ///
    /// ```
    /// use exo_rails_dygram::NodeKind;
    ///
    /// let text = "plan { prompt: \"Plan\"; }  userInput;  begin -> plan;  ENTITY order;";
    /// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
    /// let kind = |path| machine.find(path).map(|node| machine.kind(node));
    /// assert_eq!(kind("plan"), Some(NodeKind::Task));
    /// assert_eq!(kind("userInput"), Some(NodeKind::Context));
    /// assert_eq!(kind("begin"), Some(NodeKind::Init));
    /// assert_eq!(kind("order"), Some(NodeKind::Context));
    /// ```
    #[must_use]
    pub fn kind(&self, id: NodeId) -> NodeKind {
        let node = self.node(id);
        let inferred = || self.inferred_kind(id, node);
        node.type_name.as_ref().map_or_else(inferred, |name| NodeKind::of_type(name))
    }

    fn inferred_kind(&self, id: NodeId, node: &Node) -> NodeKind {
        let has_any =
            |names: &[&str]| node.attributes.iter().any(|Attribute { name, .. }| names.contains(&name.as_str()));
        let is_leaf = self.children(id).is_empty();
        if has_any(&["prompt"]) {
            return NodeKind::Task;
        }
        if self.is_in_context(id) {
            return NodeKind::Context;
        }
        if has_any(&TOOL_ATTRIBUTES) {
            return NodeKind::Tool;
        }
        if self.has_only_contexts(id) {
            return NodeKind::Context;
        }
        let has_data = !node.attributes.is_empty() && !has_any(&WORK_ATTRIBUTES);
        if is_leaf && (has_data || is_named_as_context(&node.name)) {
            return NodeKind::Context;
        }
        if is_leaf && node.attributes.is_empty() && self.is_only_accessed(id) {
            return NodeKind::Context;
        }
        let is_entered = self.incoming(id).any(|(_, edge)| edge.source.node != id);
        if !is_entered && self.outgoing(id).next().is_some() {
            return NodeKind::Init;
        }
        NodeKind::Untyped
    }

    /// Returns whether the nearest node around a node that has a type is a context. The node is then a part of its data.
    fn is_in_context(&self, id: NodeId) -> bool {
        let mut types = self.ancestors(id).filter_map(|outer| self.node(outer).type_name.as_deref());
        types.next().is_some_and(|name| NodeKind::of_type(name) == NodeKind::Context)
    }

    /// Returns whether a node without edges only groups contexts.
    fn has_only_contexts(&self, id: NodeId) -> bool {
        // Enough for every real file, and it bounds the time.
        const MOST: usize = 256;
        let has_edges = self.outgoing(id).chain(self.incoming(id)).next().is_some();
        let children = self.children(id);
        let is_group = !has_edges && (1..=MOST).contains(&children.len());
        // A name such as `state1` alone says too little about a whole group.
        let is_data = |id: NodeId| self.kind(id) == NodeKind::Context && !self.is_context_by_name(id);
        is_group && children.iter().all(|child| is_data(*child))
    }

    /// Returns whether nodes read and write this one, and nothing else happens to it.
    fn is_only_accessed(&self, id: NodeId) -> bool {
        let mut entering = self.incoming(id).peekable();
        let is_entered = entering.peek().is_some();
        is_entered && entering.all(|(_, edge)| edge.is_surely_access()) && self.outgoing(id).next().is_none()
    }

    /// Returns whether only the name of a node makes it a context.
    pub(crate) fn is_context_by_name(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let is_plain = node.type_name.is_none() && node.attributes.is_empty() && self.children(id).is_empty();
        is_plain && !self.is_in_context(id) && self.kind(id) == NodeKind::Context
    }
}

fn is_named_as_context(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower != "state" && CONTEXT_NAMES.iter().any(|part| lower.contains(part))
}
