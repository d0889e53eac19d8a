//! What a name means in a condition or in a template of a node.

use std::collections::{HashMap, HashSet};

use super::Checker;
use crate::diagnostic::Place;
use crate::model::{Access, Edge, Found, Machine, NodeId, NodeKind};

/// Names that every executor knows.
const BUILT_IN: [&str; 3] = ["errorCount", "errors", "activeState"];

/// The contexts that nodes may read, and the contexts that have a field.
pub(super) struct Readable<'a> {
    machine: &'a Machine,
    contexts_of: HashMap<NodeId, Vec<Access>>,
    /// The first context with a field of this name.
    with_field: HashMap<&'a str, NodeId>,
    /// The names of the machine's attributes.
    attributes: HashSet<&'a str>,
    /// Whether an edge starts a path for each item of a list. Such a path reads it as `item`.
    has_items: bool,
}

impl<'a> Readable<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        let mut with_field = HashMap::new();
        for id in machine.ids().filter(|id| machine.kind(*id) == NodeKind::Context) {
            for field in &machine.node(id).attributes {
                with_field.entry(&*field.name).or_insert(id);
            }
        }
        let attributes = machine.attributes.iter().map(|attribute| &*attribute.name).collect();
        let is_map = |edge: &Edge| ["map", "foreach", "each"].iter().any(|name| edge.annotation(name).is_some());
        let has_items = machine.edges().iter().any(is_map);
        Self { machine, contexts_of: HashMap::new(), with_field, attributes, has_items }
    }

    fn contexts(&mut self, node: NodeId) -> &[Access] {
        self.contexts_of.entry(node).or_insert_with(|| self.machine.access(node))
    }
}

impl Checker<'_> {
    /// Checks a name that `node` reads: a field of a context, an attribute of a node or the machine, or a built-in name.
    pub(super) fn read(&mut self, readable: &mut Readable<'_>, node: NodeId, path: &[String], place: Place) {
        let names: Vec<_> = path.iter().map(String::as_str).collect();
        let Some(first) = names.first() else { return };
        if BUILT_IN.contains(first) || readable.attributes.contains(first) {
            return;
        }
        // No node is called `machine`.
        if *first == "machine" && names.get(1).is_some_and(|name| readable.attributes.contains(name)) {
            return;
        }
        match self.machine.resolve(Some(node), &names) {
            Found::Node(context, Some(field)) => self.read_field(readable, node, context, &field, place),
            Found::Node(..) => {}
            Found::Several(_) | Found::Nothing => self.read_bare(readable, node, &names, place),
        }
    }

    fn read_field(&mut self, readable: &mut Readable<'_>, node: NodeId, context: NodeId, field: &str, place: Place) {
        let field = field.split('.').next().unwrap_or(field);
        let may_read = |access: &Access| access.context == context && access.reads.contains(field);
        let is_own = node == context || self.machine.kind(context) != NodeKind::Context;
        if !is_own && !readable.contexts(node).iter().any(may_read) {
            self.unreadable(node, context, field, place);
        }
    }

    fn unreadable(&mut self, node: NodeId, context: NodeId, field: &str, place: Place) {
        let (reader, owner) = (self.machine.path(node), self.machine.path(context));
        let message = format!("`{reader}` may not read `{field}` of `{owner}`");
        self.report("read-without-permission", place, message, format!("write `{reader} -read: {field}-> {owner};`"));
    }

    /// A name alone is the only such field among the contexts that the node may read.
    fn read_bare(&mut self, readable: &mut Readable<'_>, node: NodeId, names: &[&str], place: Place) {
        let Some(first) = names.first() else { return };
        let machine = self.machine;
        let owner = readable.with_field.get(first).copied();
        let has_field =
            |access: &&Access| access.reads.contains(first) && machine.node(access.context).field(first).is_some();
        let found: Vec<_> = readable.contexts(node).iter().filter(has_field).map(|access| access.context).collect();
        match (found.as_slice(), owner) {
            ([_], _) => {}
            ([], _) if *first == "item" && readable.has_items => {}
            ([], _) if machine.attribute_around(node, first).is_some() => {}
            ([one, other, ..], _) => {
                let (one, other) = (machine.path(*one), machine.path(*other));
                let message = format!("several contexts that `{}` may read have a field `{first}`", machine.path(node));
                self.error("ambiguous-field", place, message, format!("write `{one}.{first}` or `{other}.{first}`"));
            }
            ([], Some(owner)) => self.unreadable(node, owner, first, place),
            ([], None) => self.unknown_field(readable, node, names, place),
        }
    }

    fn unknown_field(&mut self, readable: &mut Readable<'_>, node: NodeId, names: &[&str], place: Place) {
        let machine = self.machine;
        let (Some(first), written) = (names.first(), names.join(".")) else { return };
        // A node whose field is missing is a better guess than another name.
        let node_of = |length: usize| match machine.resolve(Some(node), names.get(..length)?) {
            Found::Node(owner, None) => Some((length, owner)),
            _ => None,
        };
        if let Some((length, owner)) = (1..=names.len()).rev().find_map(node_of) {
            let owner_node = machine.node(owner);
            if owner_node.attributes.is_empty() && !self.is_strict {
                return;
            }
            let wrong = names.get(length).copied().unwrap_or_default();
            let before = names.get(..length).unwrap_or_default().join(".");
            let help = match self.similar(wrong, owner_node.attributes.iter().map(|field| &*field.name)) {
                Some(similar) => format!("write `{before}.{similar}`"),
                None => format!("add `{wrong};` to `{}`", machine.path(owner)),
            };
            self.report("unknown-field", place, format!("`{}` has no field `{wrong}`", machine.path(owner)), help);
            return;
        }
        let contexts: Vec<_> = readable.contexts(node).iter().map(|access| access.context).collect();
        // A context without declared fields may have any.
        if !self.is_strict && contexts.iter().any(|id| machine.node(*id).attributes.is_empty()) {
            return;
        }
        let fields = contexts.iter().flat_map(|id| machine.node(*id).attributes.iter().map(|field| &*field.name));
        let nodes = contexts.iter().map(|id| &*machine.node(*id).name);
        let attributes = machine.attributes.iter().map(|attribute| &*attribute.name);
        let help = match self.similar(first, fields.chain(nodes).chain(attributes).chain(BUILT_IN)) {
            Some(similar) => format!("write `{similar}`"),
            None => format!("add the field to a context that `{}` may read", machine.path(node)),
        };
        let message = format!("`{written}` is not a field of a context that `{}` may read", machine.path(node));
        self.report("unknown-field", place, message, help);
    }
}
