//! Types of nodes, and kinds that only names suggest.

use super::Checker;
use crate::model::{META_TOOLS, NodeId, NodeKind};
use crate::syntax::Arrow;

impl Checker<'_> {
    pub(super) fn kinds(&mut self) {
        let machine = self.machine;
        for id in machine.ids() {
            self.type_of(id);
            self.context_by_name(id);
            self.meta_tools(id);
        }
    }

    /// Only nodes with `meta` have the meta tools.
    fn meta_tools(&mut self, id: NodeId) {
        let machine = self.machine;
        let name = &*machine.node(id).name;
        if machine.kind(id) != NodeKind::Tool || !META_TOOLS.contains(&name) {
            return;
        }
        let users = machine.outgoing(id).chain(machine.incoming(id));
        for (_, edge) in users {
            let user = if edge.source.node == id { edge.target.node } else { edge.source.node };
            if machine.kind(user).is_control() && !machine.node(user).is_meta() {
                let message = format!("`{}` may not use the meta tool `{name}`", machine.path(user));
                let help = format!("add `meta: true;` to `{}`", machine.path(user));
                self.report("meta-tool", edge.place, message, help);
            }
        }
    }

    fn type_of(&mut self, id: NodeId) {
        // Short names are like many others.
        const SHORTEST: usize = 4;
        let node = self.machine.node(id);
        let Some(name) = &node.type_name else { return };
        // `node` is a common type, and no mistake for `note`.
        let is_known = NodeKind::KNOWN.iter().chain(&["node"]).any(|known| known.eq_ignore_ascii_case(name));
        if is_known || name.len() < SHORTEST {
            return;
        }
        if let Some(similar) = self.similar(&name.to_ascii_lowercase(), NodeKind::KNOWN) {
            let message = format!("the type `{name}` of `{}` has no meaning", self.machine.path(id));
            self.warn("unknown-type", node.place, message, format!("write `{similar}`"));
        }
    }

    /// A node such as `validateInput` is in the middle of the flow, and its name makes it a context.
    fn context_by_name(&mut self, id: NodeId) {
        let machine = self.machine;
        let leads_on = machine.outgoing(id).any(|(_, edge)| edge.arrow == Arrow::Single && !edge.is_surely_access());
        let is_entered = machine.incoming(id).any(|(_, edge)| edge.arrow == Arrow::Single && !edge.is_surely_access());
        if leads_on && is_entered && machine.is_context_by_name(id) {
            let node = machine.node(id);
            let message =
                format!("the name of `{}` makes it a context, so it is not part of the flow", machine.path(id));
            self.report(
                "context-by-name",
                node.place,
                message,
                format!("declare it: `State {};` or `Context {0};`", node.name),
            );
        }
    }
}
