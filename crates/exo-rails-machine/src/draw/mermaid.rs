//! Mermaid.

use std::fmt::Write;

use exo_rails_dygram::{Machine, NodeId, NodeKind};

use super::{Taken, edge_label, is_broken, label, name, shown};
use crate::history::History;

/// Draws a machine as a Mermaid flowchart. With a history, the nodes and edges that it contains are thick and green.
///
/// ```
/// let machine = exo_rails_dygram::read("flow.dygram", "State idle; End done; idle -@auto-> done;").machine;
/// let text = exo_rails_machine::mermaid(&machine, None);
/// assert_eq!(text, "flowchart TD\n    n_idle([\"idle\"])\n    n_done(((\"done\")))\n    n_idle -->|\"@auto\"| n_done\n");
/// ```
#[must_use]
pub fn mermaid(machine: impl AsRef<Machine>, history: Option<&History>) -> String {
    let machine = machine.as_ref();
    let taken = Taken::of(history);
    let mut text = "flowchart TD\n".to_owned();
    for id in shown(machine, None) {
        node(&mut text, machine, id, 1);
    }
    let mut thick = Vec::new();
    for (at, edge) in machine.edges().iter().enumerate() {
        let (source, target) = (name(machine, edge.source.node), name(machine, edge.target.node));
        let arrow = if is_broken(machine, edge) { "-.->" } else { "-->" };
        let label = edge_label(edge);
        let label = if label.is_empty() { String::new() } else { format!("|\"{}\"|", escaped(&label)) };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "    {source} {arrow}{label} {target}");
        if taken.has_edge(machine, edge) {
            thick.push(at.to_string());
        }
    }
    let visited: Vec<_> =
        machine.ids().filter(|id| taken.has_node(machine.path(*id))).map(|id| name(machine, id)).collect();
    if !visited.is_empty() {
        let _ =
            writeln!(text, "    classDef taken stroke:#2a7,stroke-width:3px\n    class {} taken", visited.join(","));
    }
    if !thick.is_empty() {
        let _ = writeln!(text, "    linkStyle {} stroke:#2a7,stroke-width:3px", thick.join(","));
    }
    text
}

fn node(text: &mut String, machine: &Machine, id: NodeId, depth: usize) {
    let (indent, name, label) = ("    ".repeat(depth), name(machine, id), escaped(&label(machine, id)));
    let children = shown(machine, Some(id));
    if children.is_empty() {
        let (open, close) = match machine.kind(id) {
            NodeKind::Task => ("[", "]"),
            NodeKind::Init => ("((", "))"),
            NodeKind::End => ("(((", ")))"),
            NodeKind::Context => ("[(", ")]"),
            NodeKind::Tool => ("{{", "}}"),
            _ => ("([", "])"),
        };
        let _ = writeln!(text, "{indent}{name}{open}\"{label}\"{close}");
        return;
    }
    let _ = writeln!(text, "{indent}subgraph {name}[\"{label}\"]");
    for child in children {
        node(text, machine, child, depth + 1);
    }
    let _ = writeln!(text, "{indent}end");
}

/// Writes letters that end a text, or that Mermaid reads as something else, as entities.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' | '|' | ';' => {
                let _ = write!(escaped, "#{};", u32::from(letter));
            }
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
