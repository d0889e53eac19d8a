//! Drawings of a machine, with the path that it took.

mod dot;
mod mermaid;
#[cfg(feature = "svg")]
mod svg;

use std::collections::BTreeSet;

use exo_rails_dygram::{Arrow, Edge, Machine, NodeId, NodeKind, Value};

use crate::definition::RUST;
use crate::history::History;

pub use dot::dot;
pub use mermaid::mermaid;
#[cfg(feature = "svg")]
pub use svg::svg;

/// The nodes and edges that a history has.
#[derive(Debug, Default)]
struct Taken {
    nodes: BTreeSet<String>,
    edges: BTreeSet<(String, String)>,
}

impl Taken {
    fn of(history: Option<&History>) -> Self {
        let mut taken = Self::default();
        for step in history.into_iter().flat_map(|history| &history.steps) {
            taken.nodes.insert(step.current_node.clone());
            taken.edges.extend(step.next_nodes.iter().map(|next| (step.current_node.clone(), next.clone())));
        }
        taken
    }

    fn has_node(&self, path: &str) -> bool {
        self.nodes.contains(path)
    }

    /// Returns whether the history has an edge. An edge of a node with children is taken from one of them, and enters one.
    fn has_edge(&self, machine: &Machine, edge: &Edge) -> bool {
        let (source, target) = (machine.path(edge.source.node), machine.path(edge.target.node));
        let is_in = |path: &str, outer: &str| {
            path == outer || path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
        };
        let mut edges = self.edges.iter();
        machine.is_transition(edge) && edges.any(|(from, to)| is_in(from, source) && is_in(to, target))
    }
}

/// Returns the name of a node in a drawing. It is made of letters, digits and `_`, and no two nodes have the same.
fn name(machine: &Machine, id: NodeId) -> String {
    // Names of nodes may have `_`, so a dot becomes something else.
    format!("n_{}", machine.path(id).replace('_', "_u").replace('.', "_d"))
}

/// Returns what a node shows.
fn label(machine: &Machine, id: NodeId) -> String {
    let node = machine.node(id);
    node.title.as_ref().map_or_else(|| node.name.clone(), |title| format!("{}: {title}", node.name))
}

/// Returns what an edge shows: its annotations, its condition, and the other parts of its label in their order.
fn edge_label(edge: &Edge) -> String {
    let mut parts: Vec<_> = edge.annotations.iter().map(|annotation| format!("@{}", annotation.name)).collect();
    parts.extend(edge.condition().map(|condition| format!("{}: {}", word(condition.kind), condition.text)));
    let rust = edge.attributes.iter().find(|attribute| attribute.name == RUST);
    let rust = rust.and_then(|attribute| attribute.value.as_ref()).and_then(Value::as_str);
    parts.extend(rust.map(|condition| format!("when: {condition}")));
    parts.extend(edge.label.iter().filter_map(|part| {
        let value = part.value.as_str()?;
        match part.name.as_deref() {
            None => Some(value.to_owned()),
            Some(name) => (!is_condition(name)).then(|| format!("{name}: {value}")),
        }
    }));
    parts.join(", ")
}

const fn word(kind: exo_rails_dygram::ConditionKind) -> &'static str {
    match kind {
        exo_rails_dygram::ConditionKind::Unless => "unless",
        _ => "when",
    }
}

fn is_condition(name: &str) -> bool {
    ["when", "unless", "if"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// Returns the nodes that a drawing shows in a node, or at the top level.
fn shown(machine: &Machine, parent: Option<NodeId>) -> Vec<NodeId> {
    let all = parent.map_or_else(|| machine.roots(), |parent| machine.children(parent));
    all.iter().copied().filter(|id| machine.kind(*id) != NodeKind::Style).collect()
}

/// Returns whether the line of an edge is broken: it is not a transition.
fn is_broken(machine: &Machine, edge: &Edge) -> bool {
    !machine.is_transition(edge) || edge.arrow == Arrow::Double
}
