//! What a name means at a place in the machine.

use super::{Attribute, Machine, Node, NodeId, NodeKind};

/// What a path means.
///
/// ```
/// use exo_rails_dygram::Found;
///
/// let machine = exo_rails_dygram::read("flow.dygram", "Process review { Task draft; Task check { limit: 3; } }").machine;
/// let review = machine.find("review");
/// let check = machine.find("review.check").expect("the file has the node");
/// assert_eq!(machine.resolve(review, &["check", "limit"]), Found::Node(check, Some("limit".to_owned())));
/// assert_eq!(machine.resolve(None, &["check"]), Found::Node(check, None));
/// assert_eq!(machine.resolve(None, &["chekc"]), Found::Nothing);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A node, or an attribute of a node. The name of an attribute in an object has dots.
    Node(NodeId, Option<String>),
    /// Several nodes have this name, and none of them is nearest.
    Several(Vec<NodeId>),
    /// No node has this name.
    Nothing,
}

/// How many nodes of a name are searched from far. Otherwise a file with many nodes and many edges would take long.
const MAX_CANDIDATES: usize = 100;

impl Machine {
    /// Finds what a path means inside the node `within`, or at the top level.
    ///
    /// The search for the first name starts among the children of the node. It goes on in the nodes around it, up to the top
    /// level. The other names of the path are children, and the last ones may be an attribute. If this finds nothing, the path
    /// may be the end of a longer path anywhere in the machine. This second search looks only at the first 100 nodes with the
    /// first name.
    #[must_use]
    pub fn resolve(&self, within: Option<NodeId>, path: &[&str]) -> Found {
        let scopes = within.into_iter().chain(within.into_iter().flat_map(|id| self.ancestors(id))).map(Some);
        let found = scopes.chain([None]).find_map(|scope| self.resolve_in(scope, path));
        found.unwrap_or_else(|| self.resolve_anywhere(path))
    }

    /// Finds a path among the children of a node, or at the top level.
    fn resolve_in(&self, scope: Option<NodeId>, path: &[&str]) -> Option<Found> {
        let mut at = scope;
        let mut used = 0;
        while let Some(child) = path.get(used).and_then(|name| self.child(at, name)) {
            at = Some(child);
            used += 1;
        }
        let id = at.filter(|_| used > 0)?;
        let rest = path.get(used..).unwrap_or_default();
        let Some(field) = rest.first() else { return Some(Found::Node(id, None)) };
        self.node(id).field(field).map(|_| Found::Node(id, Some(rest.join("."))))
    }

    fn child(&self, parent: Option<NodeId>, name: &str) -> Option<NodeId> {
        match parent {
            None => self.find(name),
            Some(parent) => self.find(&format!("{}.{name}", self.path(parent))),
        }
    }

    fn resolve_anywhere(&self, path: &[&str]) -> Found {
        let Some(first) = path.first() else { return Found::Nothing };
        let candidates = self.named(first).iter().filter(|id| self.parent(**id).is_some()).take(MAX_CANDIDATES);
        let mut found: Vec<_> = candidates.filter_map(|id| self.resolve_in(self.parent(*id), path)).collect();
        match found.len() {
            0 => Found::Nothing,
            1 => found.swap_remove(0),
            _ => Found::Several(found.iter().filter_map(node_of).collect()),
        }
    }

    /// Returns the attribute with this name of the node, or of the nearest node around it that has one. The search skips
    /// contexts, because their attributes are fields.
    ///
    /// ```
    /// let text = "Process load { source: \"db\"; Task fetch { prompt: \"Fetch from {{source}}.\"; } }";
    /// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
    /// let fetch = machine.find("load.fetch").expect("the file has the node");
    /// assert_eq!(machine.attribute_around(fetch, "source").and_then(|found| found.value.clone()), Some("db".into()));
    /// ```
    #[must_use]
    pub fn attribute_around(&self, node: NodeId, name: &str) -> Option<&Attribute> {
        let nodes = std::iter::once(node).chain(self.ancestors(node));
        nodes.filter(|id| self.kind(*id) != NodeKind::Context).find_map(|id| self.node(id).field(name))
    }

    /// Returns all names by which a node can be called in an edge, for "did you mean".
    pub(crate) fn callable_names(&self) -> impl Iterator<Item = &str> {
        let names = self.nodes().iter().map(|Node { name, .. }| name.as_str());
        names.chain(self.ids().map(|id| self.path(id)))
    }
}

fn node_of(found: &Found) -> Option<NodeId> {
    match found {
        Found::Node(id, _) => Some(*id),
        _ => None,
    }
}
