//! The flow of control of a machine: its transitions, where it starts, and where a path enters a node.

use std::collections::HashSet;

use super::id::{EdgeId, NodeId};
use super::{Annotation, Edge, Endpoint, Found, Machine, NodeKind, Value};
use crate::syntax::Arrow;

impl Machine {
    /// Returns whether an edge moves the machine from one node to another. Such an edge has the arrow `->`, and both ends are
    /// nodes of the flow of control, not attributes of nodes.
    #[must_use]
    pub fn is_transition(&self, edge: &Edge) -> bool {
        let is_control = |end: &Endpoint| end.attribute.is_none() && self.kind(end.node).is_control();
        edge.arrow == Arrow::Single && is_control(&edge.source) && is_control(&edge.target)
    }

    /// Returns the transitions that leave a node, in the order in which the machine tries them. Edges with a higher
    /// [priority](Edge::priority) come first. Edges with the same priority are in the order of the file.
    ///
    /// ```
    /// let text = "State a; State b; State c; a -> b; a -@priority(1)-> c;";
    /// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
    /// let a = machine.find("a").expect("the file has the node");
    /// let targets: Vec<_> = machine.transitions(a).map(|(_, edge)| machine.path(edge.target.node)).collect();
    /// assert_eq!(targets, ["c", "b"]);
    /// ```
    pub fn transitions(&self, id: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let mut edges: Vec<_> = self.outgoing(id).filter(|(_, edge)| self.is_transition(edge)).collect();
        edges.sort_by_key(|(_, edge)| std::cmp::Reverse(edge.priority()));
        edges.into_iter()
    }

    /// Returns the nodes at which the machine starts. Each of them starts a path.
    ///
    /// The first of these rules that finds a node decides. Only nodes of the flow of control count, and nodes with
    /// `@compensate` never count:
    ///
    /// 1. All nodes at the top level that have the type `init`, the annotation `@start` or the name `start`.
    /// 2. All nodes at the top level that have an outgoing transition, and that no transition from outside the node enters. A
    ///    transition to a node inside it counts as entering.
    /// 3. The first node at the top level. If a transition from outside enters it, the machine starts instead at the first node
    ///    on any level that has an outgoing transition and that no transition enters, if there is one.
    ///
    /// ```
    /// let machine = exo_rails_dygram::read("flow.dygram", "State a; State b; a -> b; b -> a;").machine;
    /// let paths: Vec<_> = machine.starts().into_iter().map(|id| machine.path(id)).collect();
    /// assert_eq!(paths, ["a"]);
    /// ```
    #[must_use]
    pub fn starts(&self) -> Vec<NodeId> {
        let is_marked = |id: &NodeId| {
            let node = self.node(*id);
            let is_init = node.type_name.as_deref().is_some_and(|name| NodeKind::of_type(name) == NodeKind::Init);
            is_init || node.annotation("start").is_some() || node.name.eq_ignore_ascii_case("start")
        };
        let is_part = |id: &NodeId| self.kind(*id).is_control() && !self.node(*id).is_compensation();
        let control: Vec<_> = self.roots().iter().copied().filter(is_part).collect();
        let marked: Vec<_> = control.iter().copied().filter(is_marked).collect();
        if !marked.is_empty() {
            return marked;
        }
        let entered = self.entered_from_outside();
        let is_first = |id: &NodeId| !entered.contains(id) && self.transitions(*id).next().is_some();
        let first: Vec<_> = control.iter().copied().filter(is_first).collect();
        if !first.is_empty() {
            return first;
        }
        let Some(root) = control.first().copied() else { return Vec::new() };
        let inner = entered.contains(&root).then(|| self.first_inner(&entered)).flatten();
        vec![inner.unwrap_or(root)]
    }

    /// Returns the first node that a transition leaves, and none from elsewhere enters, nor leads to a node around it.
    fn first_inner(&self, entered: &HashSet<NodeId>) -> Option<NodeId> {
        let transitions = self.edges().iter().filter(|edge| self.is_transition(edge));
        let (left, targets): (HashSet<_>, HashSet<_>) =
            transitions.map(|edge| (edge.source.node, edge.target.node)).unzip();
        let is_entered = |id: NodeId| entered.contains(&id) || self.ancestors(id).any(|outer| targets.contains(&outer));
        self.tree_order().into_iter().find(|id| left.contains(id) && !is_entered(*id))
    }

    /// Returns the nodes that a transition from elsewhere enters, perhaps at a node in them.
    fn entered_from_outside(&self) -> HashSet<NodeId> {
        let mut entered = HashSet::new();
        for edge in self.edges().iter().filter(|edge| self.is_transition(edge)) {
            let around = |id: NodeId| std::iter::once(id).chain(self.ancestors(id));
            let sources: Vec<_> = around(edge.source.node).collect();
            entered.extend(around(edge.target.node).filter(|id| !sources.contains(id)));
        }
        entered
    }

    /// Returns the node whose work a node with `@compensate(name)` undoes. Returns `None` if the annotation names no node. Such
    /// a node undoes the work of the whole path.
    ///
    /// # Errors
    ///
    /// If no node of the flow of control has this name. The error is the name.
    ///
    /// ```
    /// let text = "Task charge { prompt: \"Charge\"; } Task refund @compensate(charge) { prompt: \"Refund\"; } End done; charge -> done;";
    /// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
    /// let refund = machine.find("refund").expect("the file has the node");
    /// assert_eq!(machine.compensated(refund), Ok(machine.find("charge")));
    /// ```
    pub fn compensated(&self, id: NodeId) -> Result<Option<NodeId>, String> {
        let name = self.node(id).annotation("compensate").and_then(Annotation::value).and_then(Value::as_str);
        let Some(name) = name else { return Ok(None) };
        let names: Vec<_> = name.split('.').collect();
        match self.resolve(self.parent(id), &names) {
            Found::Node(of, None) if self.kind(of).is_control() => Ok(Some(of)),
            _ => Err(name.to_owned()),
        }
    }

    /// Returns the child that a path enters when a transition leads to a node. Returns `None` if the node has no children in
    /// the flow of control. The path then enters the node itself.
    ///
    /// The child with `@start` comes first, then the first init, the first task, the first state, and the first other node.
    ///
    /// ```
    /// let text = "Process review { State wait; Task check { prompt: \"Check\"; } }";
    /// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
    /// let review = machine.find("review").expect("the file has the node");
    /// assert_eq!(machine.entry(review), machine.find("review.check"));
    /// ```
    #[must_use]
    pub fn entry(&self, id: NodeId) -> Option<NodeId> {
        let is_part = |id: &NodeId| self.kind(*id).is_control() && !self.node(*id).is_compensation();
        let children: Vec<_> = self.children(id).iter().copied().filter(is_part).collect();
        let marked = children.iter().copied().find(|child| self.node(*child).annotation("start").is_some());
        let first = |kind: NodeKind| children.iter().copied().find(|child| self.kind(*child) == kind);
        let kinds = [NodeKind::Init, NodeKind::Task, NodeKind::State];
        marked.or_else(|| kinds.into_iter().find_map(first)).or_else(|| children.first().copied())
    }
}
