//! Follows imports.
//!
//! An imported node comes with the nodes in it. Edges and notes come too, if all their nodes are imported.

use std::collections::HashMap;

use exo_rails_text::names::nearest;

use super::{Builder, Files};
use crate::diagnostic::Diagnostic;
use crate::model::{Edge, Endpoint, Machine, Node, NodeId, Note};
use crate::syntax::{File, Import, ImportedName};

/// How many files may import each other in a row. Each takes a part of the stack.
const MAX_CHAIN: usize = 32;

/// How many nodes a file may import. A file can import the same nodes under many names.
const MAX_NODES: usize = 100_000;

/// The nodes of an imported file, with their numbers in the importing one.
type Copies = HashMap<NodeId, NodeId>;

impl Files<'_> {
    pub(super) fn imports(&mut self, builder: &mut Builder<'_>, name: &str, file: &File) {
        // A file may be imported by several statements, and the edges between their nodes are imported too.
        let mut files: Vec<(String, Copies)> = Vec::new();
        for import in &file.imports {
            let from = self.loader.resolve(name, &import.from.value);
            let Some(machine) = self.imported(builder, &from, import) else { continue };
            let at = files.iter().position(|(known, _)| *known == from).unwrap_or_else(|| {
                files.push((from.clone(), Copies::new()));
                files.len() - 1
            });
            if let Some((_, copies)) = files.get_mut(at) {
                builder.import(&machine, import, copies, self.broken.contains(&from));
            }
            self.done.insert(from, machine);
        }
        for (from, copies) in files {
            if let Some(machine) = self.done.get(&from) {
                builder.import_edges(machine, &copies);
            }
        }
    }

    /// Returns the machine of an imported file.
    fn imported(&mut self, builder: &mut Builder<'_>, from: &str, import: &Import) -> Option<Machine> {
        let place = builder.place(import.from.span);
        if let Some(first) = self.open.iter().position(|open| open == from) {
            let circle: Vec<_> = self.open.iter().skip(first).map(String::as_str).chain([from]).collect();
            let message = format!("files import each other in a circle: {}", circle.join(" -> "));
            let help = "move the nodes that both need to a third file";
            self.diagnostics.push(Diagnostic::error("import-circle", place, message).with_help(help));
            return None;
        }
        if self.open.len() >= MAX_CHAIN {
            let message = format!("the chain of imports is longer than {MAX_CHAIN} files");
            self.diagnostics
                .push(Diagnostic::error("import-depth", place, message).with_help("import the files directly"));
            return None;
        }
        if let Some(known) = self.done.remove(from) {
            return Some(known);
        }
        match self.loader.load(from) {
            Ok(text) => Some(self.file(from, &text)),
            Err(reason) => {
                let message = format!("the file `{from}` cannot be imported: {reason}");
                let help = "write a path that is relative to this file, such as `\"./other.dygram\"`";
                self.diagnostics.push(Diagnostic::error("import-file", place, message).with_help(help));
                None
            }
        }
    }
}

impl Builder<'_> {
    fn import(&mut self, machine: &Machine, import: &Import, copies: &mut Copies, is_broken: bool) {
        for name in &import.names {
            match machine.find(&name.path.to_string()) {
                Some(id) => self.import_node(machine, id, name, copies),
                None if is_broken => {}
                None => self.unknown_import(machine, import, name),
            }
        }
    }

    fn unknown_import(&mut self, machine: &Machine, import: &Import, name: &ImportedName) {
        const SHOWN: usize = 10;
        let message = format!("`{}` has no node `{}`", import.from.value, name.path);
        let names: Vec<_> = machine.roots().iter().take(SHOWN).map(|id| format!("`{}`", machine.path(*id))).collect();
        let known: Vec<&str> = machine.ids().map(|id| machine.path(id)).collect();
        let help = match nearest(&name.path.to_string(), &known) {
            Some(similar) => format!("write `{similar}`"),
            None if names.is_empty() => "the file has no nodes".to_owned(),
            None => format!("the file has {}", names.join(", ")),
        };
        let place = self.place(name.path.span);
        self.diagnostics.push(Diagnostic::error("import-name", place, message).with_help(help));
    }

    fn import_node(&mut self, machine: &Machine, id: NodeId, name: &ImportedName, copies: &mut Copies) {
        let names: Vec<_> = match &name.alias {
            Some(alias) => vec![alias],
            None => name.path.names.iter().collect(),
        };
        let Some((last, around)) = names.split_last() else { return };
        let parent = around.iter().try_fold(None, |parent, name| {
            let space = Node { place: self.place(name.span), ..Node::named(&name.text) };
            self.space(parent, space).map(Some)
        });
        let Some(parent) = parent else { return };
        let renamed = Node { name: last.text.clone(), place: self.place(last.span), ..machine.node(id).clone() };
        let Some(own) = self.add(parent, Node { is_implied: false, ..renamed }) else { return };
        self.imported.insert(own);
        copies.insert(id, own);
        let mut open: Vec<_> = machine.children(id).iter().rev().map(|child| (*child, own)).collect();
        while let Some((child, parent)) = open.pop() {
            let node = Node { is_implied: false, ..machine.node(child).clone() };
            let Some(own) = self.add(Some(parent), node) else { continue };
            if self.machine.nodes().len() > MAX_NODES {
                let message = format!("the file imports more than {MAX_NODES} nodes");
                self.diagnostics.push(Diagnostic::error("too-many-nodes", self.place(name.path.span), message));
                return;
            }
            copies.insert(child, own);
            open.extend(machine.children(child).iter().rev().map(|child| (*child, own)));
        }
    }

    fn import_edges(&mut self, machine: &Machine, copies: &Copies) {
        let end_of = |end: &Endpoint| copies.get(&end.node).map(|node| Endpoint { node: *node, ..end.clone() });
        for edge in machine.edges() {
            if let (Some(source), Some(target)) = (end_of(&edge.source), end_of(&edge.target)) {
                // Both ends are of this machine.
                let _ = self.machine.add_edge(Edge { source, target, ..edge.clone() });
            }
        }
        for note in machine.notes() {
            if let Some(target) = copies.get(&note.target) {
                // The target is of this machine.
                let _ = self.machine.add_note(Note { target: *target, ..note.clone() });
            }
        }
    }
}
