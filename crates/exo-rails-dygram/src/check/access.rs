//! Permissions of nodes on contexts.

use super::Checker;
use crate::model::{Edge, NodeId};

impl Checker<'_> {
    pub(super) fn access(&mut self) {
        let machine = self.machine;
        for edge in machine.edges() {
            match machine.accessed(edge) {
                Some((_, context)) => {
                    self.words(edge);
                    self.fields(edge, context);
                    self.read_only(edge, context);
                }
                None if edge.is_surely_access() => {
                    let target = machine.path(edge.target.node);
                    let message = format!("the label gives permissions, and `{target}` is not a context");
                    self.report("no-context", edge.place, message, format!("declare it as `Context {target};`"));
                }
                None => {}
            }
        }
    }

    /// A word that gives no permission leaves only the permission to read.
    fn words(&mut self, edge: &Edge) {
        let named = edge.permission_fields();
        for (at, part) in edge.label.iter().enumerate() {
            let is_field = named.iter().any(|(other, _)| *other == at);
            let text = part.value.as_str().filter(|_| part.name.is_none() && !is_field);
            let Some(word) = text.filter(|word| crate::model::permission(word).is_none()) else { continue };
            if let Some(similar) = self.similar(word, crate::model::permission_words()) {
                let message = format!("`{word}` gives no permission, so the edge allows only reading");
                self.report("unknown-permission", part.place, message, format!("write `{similar}`"));
            }
        }
    }

    fn fields(&mut self, edge: &Edge, context: NodeId) {
        let machine = self.machine;
        let owner = machine.node(context);
        if owner.attributes.is_empty() && !self.is_strict {
            return;
        }
        // A context in the context is named like a field.
        let inner: Vec<_> = machine.children(context).iter().map(|id| &*machine.node(*id).name).collect();
        for (at, field) in edge.permission_fields() {
            let is_known = owner.field(&field).is_some() || inner.contains(&&*field);
            let Some(part) = edge.label.get(at).filter(|_| !is_known) else { continue };
            let help = match self.similar(&field, owner.attributes.iter().map(|field| &*field.name)) {
                Some(similar) => format!("write `{similar}`"),
                None => format!("add `{field};` to `{}`", machine.path(context)),
            };
            self.report(
                "unknown-field",
                part.place,
                format!("`{}` has no field `{field}`", machine.path(context)),
                help,
            );
        }
    }

    /// An edge that leaves a context gives no permission to write.
    fn read_only(&mut self, edge: &Edge, context: NodeId) {
        let (_, writes) = edge.permissions();
        if edge.source.node == context && !writes.is_empty() {
            let (node, context) = (self.machine.path(edge.target.node), self.machine.path(context));
            let message = format!("an edge from a context allows only reading, so `{node}` may not write `{context}`");
            self.report(
                "write-without-permission",
                edge.place,
                message,
                format!("write `{node} -writes-> {context};`"),
            );
        }
    }
}
