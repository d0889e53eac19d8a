//! Declares the nodes of a file.

use std::collections::HashMap;

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
        let has_path = !around.is_empty();
        if let Some(id) = self.continued(parent, name, has_path) {
            let attributes = self.declare(Some(id), &node.items);
            self.check_attributes(&attributes, &format!("`{}`", node.path));
            self.complete(id, Node { attributes, ..declared });
            return;
        }
        let Some(id) = self.add(parent, declared) else {
            // The statements in it are still read, so that their mistakes are found too.
            let existing = self.existing(parent, name);
            self.declare(existing, &node.items);
            return;
        };
        if has_path {
            self.with_path.insert(id);
        }
        let attributes = self.declare(Some(id), &node.items);
        self.check_attributes(&attributes, &format!("`{}`", node.path));
        self.machine.update_node(id, |node| node.attributes = attributes);
    }

    /// Returns the node that a statement goes on to declare: one of the two statements names it with its path.
    fn continued(&self, parent: Option<NodeId>, name: &str, has_path: bool) -> Option<NodeId> {
        let existing = self.existing(parent, name)?;
        let is_declared = !self.namespaces.contains(&existing) && !self.imported.contains(&existing);
        (is_declared && (has_path || self.with_path.contains(&existing))).then_some(existing)
    }

    /// Adds what a further statement says about a node. If both say something else, the last one counts.
    fn complete(&mut self, id: NodeId, more: Node) {
        let known = self.machine.node(id).clone();
        if let (Some(one), Some(other)) = (&known.type_name, &more.type_name)
            && !one.eq_ignore_ascii_case(other)
        {
            let message = format!("the node `{}` has the types `{one}` and `{other}`", self.machine.path(id));
            let found = Diagnostic::new(self.severity(), "several-types", more.place, message);
            let found = found.with_help("write the same type at both places, or only at one");
            self.diagnostics.push(found.with_related(known.place, "the first type is here"));
        }
        let attributes = self.completed(id, known.attributes, more.attributes);
        let mut annotations = known.annotations;
        annotations.extend(more.annotations);
        self.machine.update_node(id, |node| {
            node.type_name = more.type_name.or(node.type_name.take());
            node.title = more.title.or(node.title.take());
            (node.annotations, node.attributes) = (annotations, attributes);
        });
    }

    /// Adds attributes. One with a known name replaces the other.
    fn completed(&mut self, id: NodeId, mut known: Vec<Attribute>, more: Vec<Attribute>) -> Vec<Attribute> {
        let at: HashMap<_, _> = known.iter().enumerate().map(|(at, attribute)| (attribute.name.clone(), at)).collect();
        for attribute in more {
            let Some(first) = at.get(&attribute.name).and_then(|at| known.get_mut(*at)) else {
                known.push(attribute);
                continue;
            };
            let message = format!("`{}` has two attributes `{}`", self.machine.path(id), attribute.name);
            let found = Diagnostic::new(self.severity(), "duplicate-attribute", attribute.place, message);
            let found = found.with_help("remove one of them: the last one counts");
            self.diagnostics.push(found.with_related(first.place, "the first one is here"));
            *first = attribute;
        }
        known
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
                format!("`{}` is a keyword, so it cannot be the name of a node", node.name),
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
            Item::Attribute(attribute) if attribute.name.text == "target" => named(attribute.value.as_ref()?),
            _ => None,
        });
        let path = target.as_ref().unwrap_or(&note.path);
        let found = self.lookup(within, path);
        if found.is_none() {
            self.unknown_node(path, "a note is about a node", self.severity());
        }
        found.map(|(id, _)| id)
    }
}

/// Returns the path that a value names: a name, or a text with one.
fn named(value: &syntax::Value) -> Option<syntax::Path> {
    let span = value.span;
    match &value.kind {
        syntax::ValueKind::Name(path) => Some(path.clone()),
        syntax::ValueKind::Text(text) if text.value.split('.').all(syntax::is_name) => {
            let name = |name: &str| syntax::Name { text: name.to_owned(), span };
            Some(syntax::Path { names: text.value.split('.').map(name).collect(), span })
        }
        _ => None,
    }
}

fn is_note(node: &syntax::Node) -> bool {
    node.type_name.as_ref().is_some_and(|name| name.text.eq_ignore_ascii_case("note"))
}
