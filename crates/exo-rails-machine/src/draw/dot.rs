//! DOT, the language of Graphviz.

use std::fmt::Write;

use exo_rails_dygram::{Machine, NodeId, NodeKind};

use super::{Taken, edge_label, is_broken, label, name, shown};
use crate::history::History;

/// Draws a machine in DOT. With a history, the nodes and edges that it contains are thick and green.
///
/// ```
/// let machine = exo_rails_dygram::read("flow.dygram", "State idle; End done; idle -> done;").machine;
/// let text = exo_rails_machine::dot(&machine, None);
/// assert!(text.contains("n_idle -> n_done;"));
/// ```
#[must_use]
pub fn dot(machine: impl AsRef<Machine>, history: Option<&History>) -> String {
    let machine = machine.as_ref();
    let taken = Taken::of(history);
    let mut text = format!("digraph \"{}\" {{\n", escaped(machine.title.as_deref().unwrap_or("machine")));
    text.push_str("    compound=true;\n    node [fontname=\"sans-serif\"];\n");
    for id in shown(machine, None) {
        node(&mut text, machine, &taken, id, 1);
    }
    for edge in machine.edges() {
        let mut attributes = Vec::new();
        let label = edge_label(edge);
        if !label.is_empty() {
            attributes.push(format!("label=\"{}\"", escaped(&label)));
        }
        if is_broken(machine, edge) {
            attributes.push("style=dashed".to_owned());
        }
        if taken.has_edge(machine, edge) {
            attributes.push("color=\"#22aa77\", penwidth=3".to_owned());
        }
        // An edge of a node with children is one of its frame.
        for (id, end) in [(edge.source.node, "ltail"), (edge.target.node, "lhead")] {
            if !shown(machine, Some(id)).is_empty() {
                attributes.push(format!("{end}=cluster_{}", name(machine, id)));
            }
        }
        let attributes = if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        let (source, target) = (inner(machine, edge.source.node), inner(machine, edge.target.node));
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "    {source} -> {target}{attributes};");
    }
    text.push_str("}\n");
    text
}

/// Returns the name of a node without children: the node itself, or the first one in it.
fn inner(machine: &Machine, id: NodeId) -> String {
    let mut at = id;
    while let Some(child) = shown(machine, Some(at)).first() {
        at = *child;
    }
    name(machine, at)
}

fn node(text: &mut String, machine: &Machine, taken: &Taken, id: NodeId, depth: usize) {
    let (indent, name, label) = ("    ".repeat(depth), name(machine, id), escaped(&label(machine, id)));
    let children = shown(machine, Some(id));
    if children.is_empty() {
        let shape = match machine.kind(id) {
            NodeKind::Task => "box",
            NodeKind::Init => "circle",
            NodeKind::End => "doublecircle",
            NodeKind::Context => "cylinder",
            NodeKind::Tool => "hexagon",
            _ => "ellipse",
        };
        let color = if taken.has_node(machine.path(id)) { ", color=\"#22aa77\", penwidth=3" } else { "" };
        let _ = writeln!(text, "{indent}{name} [label=\"{label}\", shape={shape}{color}];");
        return;
    }
    let _ = writeln!(text, "{indent}subgraph cluster_{name} {{\n{indent}    label=\"{label}\";");
    for child in children {
        node(text, machine, taken, child, depth + 1);
    }
    let _ = writeln!(text, "{indent}}}");
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ")
}
