//! The machine, with its nodes and edges.

use std::collections::HashMap;
use std::fmt;

use super::id::{EdgeId, NodeId};
use super::{Annotation, Attribute, Edge, Node, Note, Value};
use crate::syntax::{MAX_LEVELS, is_keyword, is_name};

/// A machine: nodes, and edges between them.
///
/// Two machines are equal if they have the same tree of nodes and the same edges in the same order. The places in files do not
/// matter.
///
/// ```
/// use exo_rails_dygram::{Edge, Machine, Node};
///
/// let mut built = Machine::new();
/// let plan = built.add_node(None, Node::named("plan"))?;
/// let done = built.add_node(None, Node::named("done"))?;
/// built.add_edge(Edge::new(plan, done))?;
///
/// let read = exo_rails_dygram::read("flow.dygram", "plan; done; plan -> done;").machine;
/// assert_eq!(built, read);
/// # Ok::<(), exo_rails_dygram::AddError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The title.
    pub title: Option<String>,
    /// The annotations of the machine.
    pub annotations: Vec<Annotation>,
    /// The attributes of the machine.
    pub attributes: Vec<Attribute>,
    nodes: Vec<Node>,
    links: Vec<Links>,
    edges: Vec<Edge>,
    notes: Vec<Note>,
    by_path: HashMap<String, NodeId>,
    by_name: HashMap<String, Vec<NodeId>>,
    roots: Vec<NodeId>,
}

/// What is around a node.
#[derive(Clone, Debug, Default)]
struct Links {
    path: String,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    outgoing: Vec<EdgeId>,
    incoming: Vec<EdgeId>,
}

/// Why a node or an edge cannot be added to a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddError {
    /// The name has a character other than ASCII letters, digits and `_`, begins with a digit, or is `machine` or `import`.
    Name(String),
    /// The parent already has a node with this name. The text is the path of the node.
    Duplicate(String),
    /// The edge has a label or annotations, and its arrow cannot have any.
    Label,
    /// The node would be deeper than [`MAX_LEVELS`](crate::syntax::MAX_LEVELS), or its path would be longer than 1,024 bytes.
    Depth,
    /// A node belongs to another machine.
    Foreign,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => {
                write!(
                    f,
                    "`{name}` is not a name: use ASCII letters, digits and `_`, do not begin with a digit, and do not use a keyword"
                )
            }
            Self::Label => f.write_str("an arrow of this kind has no label, except a single word in `<-->`"),
            Self::Duplicate(path) => write!(f, "the machine already has a node `{path}`"),
            Self::Depth => {
                write!(f, "a machine has at most {MAX_LEVELS} levels of nodes, and paths of at most {MAX_PATH} bytes")
            }
            Self::Foreign => f.write_str("the machine has no node of this number"),
        }
    }
}

impl std::error::Error for AddError {}

/// How many bytes the path of a node may have. Each node in a node repeats the path.
const MAX_PATH: usize = 1024;

/// Checks the names of annotations and attributes.
fn check_names(annotations: &[Annotation], attributes: &[Attribute]) -> Result<(), AddError> {
    let names =
        annotations.iter().map(|annotation| &annotation.name).chain(attributes.iter().map(|attribute| &attribute.name));
    names.into_iter().find(|name| !is_name(name)).map_or(Ok(()), |name| Err(AddError::Name(name.clone())))
}

/// For functions that take a machine or what has one, by value or by reference.
impl AsRef<Self> for Machine {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Machine {
    /// Makes a machine without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node at the top level, or in a parent.
    ///
    /// # Errors
    ///
    /// If the name is not valid, if the parent already has a child with this name, if the parent is too deep, or if the parent
    /// belongs to another machine.
    pub fn add_node(&mut self, parent: Option<NodeId>, node: Node) -> Result<NodeId, AddError> {
        if !is_name(&node.name) || is_keyword(&node.name) {
            return Err(AddError::Name(node.name));
        }
        if let Some(name) = node.type_name.as_ref().filter(|name| !is_name(name) || is_keyword(name)) {
            return Err(AddError::Name(name.clone()));
        }
        check_names(&node.annotations, &node.attributes)?;
        let path = match parent {
            Some(parent) => format!("{}.{}", self.links.get(parent.0).ok_or(AddError::Foreign)?.path, node.name),
            None => node.name.clone(),
        };
        let levels = parent.map_or(1, |parent| self.ancestors(parent).count() + 2);
        if levels > MAX_LEVELS || path.len() > MAX_PATH {
            return Err(AddError::Depth);
        }
        if self.by_path.contains_key(&path) {
            return Err(AddError::Duplicate(path));
        }
        let id = NodeId(self.nodes.len());
        self.by_path.insert(path.clone(), id);
        self.by_name.entry(node.name.clone()).or_default().push(id);
        self.nodes.push(node);
        self.links.push(Links { path, parent, ..Links::default() });
        match parent.and_then(|parent| self.links.get_mut(parent.0)) {
            Some(parent) => parent.children.push(id),
            None => self.roots.push(id),
        }
        Ok(id)
    }

    /// Adds an edge.
    ///
    /// # Errors
    ///
    /// If one of its nodes belongs to another machine, if a name is not valid, or if the arrow cannot have the label.
    pub fn add_edge(&mut self, edge: Edge) -> Result<EdgeId, AddError> {
        let (source, target) = (edge.source.node.0, edge.target.node.0);
        if source.max(target) >= self.links.len() {
            return Err(AddError::Foreign);
        }
        check_names(&edge.annotations, &edge.attributes)?;
        if !edge.may_have_label() {
            return Err(AddError::Label);
        }
        let id = EdgeId(self.edges.len());
        self.edges.push(edge);
        if let Some(source) = self.links.get_mut(source) {
            source.outgoing.push(id);
        }
        if let Some(target) = self.links.get_mut(target) {
            target.incoming.push(id);
        }
        Ok(id)
    }

    /// Adds a note.
    ///
    /// # Errors
    ///
    /// If its node belongs to another machine.
    pub fn add_note(&mut self, note: Note) -> Result<(), AddError> {
        if note.target.0 >= self.nodes.len() {
            return Err(AddError::Foreign);
        }
        self.notes.push(note);
        Ok(())
    }

    /// Returns all nodes. Each node comes before its children.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the numbers of all nodes.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    /// Returns all edges in the order of the file.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns all notes.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns a node.
    ///
    /// # Panics
    ///
    /// If the number is of another machine, and this one has fewer nodes.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        #[expect(clippy::indexing_slicing, reason = "numbers come from this machine: see `# Panics`")]
        &self.nodes[id.0]
    }

    /// Changes a node. The change cannot rename the node, because the name is part of the paths of the machine.
    pub fn update_node(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(id.0) {
            let name = node.name.clone();
            change(node);
            node.name = name;
        }
    }

    /// Returns an edge.
    ///
    /// # Panics
    ///
    /// If the number is of another machine, and this one has fewer edges.
    #[must_use]
    pub fn edge(&self, id: EdgeId) -> &Edge {
        #[expect(clippy::indexing_slicing, reason = "numbers come from this machine: see `# Panics`")]
        &self.edges[id.0]
    }

    fn links(&self, id: NodeId) -> Option<&Links> {
        self.links.get(id.0)
    }

    /// Returns the path of a node: the names of the nodes around it and its own name, with dots between them.
    #[must_use]
    pub fn path(&self, id: NodeId) -> &str {
        self.links(id).map_or("", |links| &links.path)
    }

    /// Returns the node with a path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<NodeId> {
        self.by_path.get(path).copied()
    }

    /// Returns all nodes with this name, at all levels.
    #[must_use]
    pub fn named(&self, name: &str) -> &[NodeId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the parent of a node: the node around it.
    #[must_use]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.links(id).and_then(|links| links.parent)
    }

    /// Returns the nodes around a node, from the innermost to the outermost.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// Returns the nodes directly in a node.
    #[must_use]
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        self.links(id).map_or(&[], |links| &links.children)
    }

    /// Returns the nodes at the top level.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// Returns the edges that leave a node, in the order of the file.
    pub fn outgoing(&self, id: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.links(id).into_iter().flat_map(|links| &links.outgoing).map(|edge| (*edge, self.edge(*edge)))
    }

    /// Returns the edges that enter a node, in the order of the file.
    pub fn incoming(&self, id: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.links(id).into_iter().flat_map(|links| &links.incoming).map(|edge| (*edge, self.edge(*edge)))
    }

    /// Returns whether the machine has `@StrictMode` or `@strict`.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        let is_strict = |annotation: &&Annotation| annotation.is("StrictMode") || annotation.is("strict");
        self.annotations.iter().find(is_strict).is_some_and(Annotation::is_enabled)
    }

    /// Returns whether the machine has `@errorHandling("compensate")`, so that failed paths undo their work.
    #[must_use]
    pub fn compensates(&self) -> bool {
        let strategy = self.annotations.iter().find(|annotation| annotation.is("errorHandling"));
        strategy.and_then(Annotation::value).and_then(Value::as_str) == Some("compensate")
    }

    /// Returns the nodes in the order of the tree, with the place of each in it.
    pub(super) fn tree_order(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut open: Vec<_> = self.roots.iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            order.push(id);
            open.extend(self.children(id).iter().rev());
        }
        order
    }

    fn is_same_node(&self, id: NodeId, other: &Self, other_id: NodeId) -> bool {
        self.path(id) == other.path(other_id)
    }

    fn has_same_edges(&self, other: &Self) -> bool {
        let is_same = |(edge, with): (&Edge, &Edge)| {
            let ends = self.is_same_node(edge.source.node, other, with.source.node)
                && self.is_same_node(edge.target.node, other, with.target.node);
            let attributes =
                (&edge.source.attribute, &edge.target.attribute) == (&with.source.attribute, &with.target.attribute);
            ends && attributes
                && Edge { source: with.source.clone(), target: with.target.clone(), ..edge.clone() } == *with
        };
        self.edges.len() == other.edges.len() && self.edges.iter().zip(&other.edges).all(is_same)
    }

    fn has_same_notes(&self, other: &Self) -> bool {
        let is_same = |(note, with): (&Note, &Note)| {
            self.is_same_node(note.target, other, with.target) && Note { target: with.target, ..note.clone() } == *with
        };
        self.notes.len() == other.notes.len() && self.notes.iter().zip(&other.notes).all(is_same)
    }
}

impl PartialEq for Machine {
    fn eq(&self, other: &Self) -> bool {
        let heads =
            (&self.title, &self.annotations, &self.attributes) == (&other.title, &other.annotations, &other.attributes);
        let is_same = |(id, with): (&NodeId, &NodeId)| {
            self.is_same_node(*id, other, *with) && self.node(*id) == other.node(*with)
        };
        heads
            && self.nodes.len() == other.nodes.len()
            && self.tree_order().iter().zip(&other.tree_order()).all(is_same)
            && self.has_same_edges(other)
            && self.has_same_notes(other)
    }
}

impl Eq for Machine {}
