//! Declares the nodes of a file.

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::model::{Attribute, Node, NodeId, Note};
use crate::syntax::{self, Item, is_keyword};

impl<'a> Builder<'a> {
    /// Declares the nodes in a block, and keeps its edges and notes for later. Returns the attributes of the block.
    pub(super) fn declare(&mut self, within: Option<NodeId>, items: &'a [Item]) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        for item in items {
            match item {
                Item::Attribute(attribute) => attributes.push(self.attribute(attribute)),
                Item::Edge(edge) => self.edges.push((within, edge)),
                Item::Node(node) if is_note(node) => self.notes.push((within, node)),
                Item::Node(node) => self.declare_node(within, node),
            }
        }
        attributes
    }

    fn declare_node(&mut self, within: Option<NodeId>, node: &'a syntax::Node) {
        let names: Vec<_> = node.path.names.iter().map(|name| (name.text.as_str(), self.place(name.span))).collect();
        let Some(((name, place), around)) = names.split_last() else { return };
        let parent = around.iter().try_fold(within, |parent, (name, place)| {
            let space = Node { place: *place, ..Node::named(*name) };
            self.space(parent, space).map(Some)
        });
        let Some(parent) = parent else { return };
        let declared = Node {
            name: (*name).to_owned(),
            type_name: node.type_name.as_ref().map(|name| name.text.clone()),
            title: node.title.as_ref().map(|title| title.value.clone()),
            annotations: self.annotations(&node.annotations),
            attributes: Vec::new(),
            is_implied: false,
            place: *place,
        };
        let Some(id) = self.add(parent, declared) else {
            // The statements in it are still read, so that their mistakes are found too.
            let existing = self.existing(parent, name);
            self.declare(existing, &node.items);
            return;
        };
        let attributes = self.declare(Some(id), &node.items);
        self.check_attributes(&attributes, &format!("`{}`", node.path));
        self.machine.update_node(id, |node| node.attributes = attributes);
    }

    fn existing(&self, parent: Option<NodeId>, name: &str) -> Option<NodeId> {
        let path = parent.map_or_else(|| name.to_owned(), |parent| format!("{}.{name}", self.machine.path(parent)));
        self.machine.find(&path)
    }

    /// Returns the node around a node that is declared by its path.
    pub(super) fn space(&mut self, parent: Option<NodeId>, node: Node) -> Option<NodeId> {
        if let Some(existing) = self.existing(parent, &node.name) {
            return Some(existing);
        }
        let id = self.add_new(parent, node)?;
        self.namespaces.insert(id);
        Some(id)
    }

    pub(super) fn add_new(&mut self, parent: Option<NodeId>, node: Node) -> Option<NodeId> {
        let place = node.place;
        match self.machine.add_node(parent, node) {
            Ok(id) => Some(id),
            Err(error) => {
                self.diagnostics.push(Diagnostic::error("node", place, error.to_string()));
                None
            }
        }
    }

    /// Adds a node, or completes the one that the path of another node has declared. Reports duplicates.
    pub(super) fn add(&mut self, parent: Option<NodeId>, node: Node) -> Option<NodeId> {
        if is_keyword(&node.name) {
            let found = Diagnostic::error(
                "keyword",
                node.place,
                format!("`{}` is a keyword, and no name of a node", node.name),
            );
            self.diagnostics.push(found.with_help("give the node another name"));
            return None;
        }
        let Some(existing) = self.existing(parent, &node.name) else { return self.add_new(parent, node) };
        if self.namespaces.remove(&existing) {
            self.machine.update_node(existing, |known| *known = node);
            return Some(existing);
        }
        let message = format!("the node `{}` is declared twice", self.machine.path(existing));
        let first = self.machine.node(existing).place;
        let help = if self.imported.contains(&existing) {
            format!("write `{} as otherName` in the import, or give this node another name", node.name)
        } else {
            "remove one of the two, or give it another name".to_owned()
        };
        let found = Diagnostic::error("duplicate-node", node.place, message).with_help(help);
        self.diagnostics.push(found.with_related(first, "the first one is here"));
        None
    }

    /// Attaches the notes to their nodes.
    pub(super) fn attach_notes(&mut self) {
        for (within, note) in std::mem::take(&mut self.notes) {
            let Some(target) = self.target_of_note(within, note) else { continue };
            let mut attributes = Vec::new();
            for item in &note.items {
                let span = match item {
                    Item::Attribute(attribute) => {
                        let is_target = attribute.name.text == "target";
                        attributes.extend((!is_target).then(|| self.attribute(attribute)));
                        continue;
                    }
                    Item::Node(node) => node.span,
                    Item::Edge(edge) => edge.span,
                };
                let found = Diagnostic::error("note", self.place(span), "a note has only attributes");
                self.diagnostics.push(found.with_help("move the node or the edge out of the note"));
            }
            self.check_attributes(&attributes, "the note");
            let note = Note {
                target,
                title: note.title.as_ref().map(|title| title.value.clone()),
                annotations: self.annotations(&note.annotations),
                attributes,
                place: self.place(note.path.span),
            };
            // The target is of this machine.
            let _ = self.machine.add_note(note);
        }
    }

    fn target_of_note(&mut self, within: Option<NodeId>, note: &syntax::Node) -> Option<NodeId> {
        // `target` names the node, if the note has its own name.
        let target = note.items.iter().find_map(|item| match item {
            Item::Attribute(attribute) if attribute.name.text == "target" => match &attribute.value.as_ref()?.kind {
                syntax::ValueKind::Name(path) => Some(path),
                _ => None,
            },
            _ => None,
        });
        let path = target.unwrap_or(&note.path);
        let found = self.lookup(within, path);
        if found.is_none() {
            self.unknown_node(path, "a note is about a node", crate::diagnostic::Severity::Error);
        }
        found.map(|(id, _)| id)
    }
}

fn is_note(node: &syntax::Node) -> bool {
    node.type_name.as_ref().is_some_and(|name| name.text.eq_ignore_ascii_case("note"))
}
