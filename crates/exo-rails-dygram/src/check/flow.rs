//! The flow of control: what is reached, what ends, and what happens without a decision.

use std::collections::{HashMap, HashSet};

use super::Checker;
use crate::condition::Expression;
use crate::diagnostic::Diagnostic;
use crate::model::{ConditionKind, Edge, EdgeId, Machine, NodeId, NodeKind};
use crate::syntax::Arrow;

/// Edges with these annotations are taken together with others.
const TOGETHER: [&str; 7] = ["async", "spawn", "parallel", "fork", "map", "foreach", "each"];

impl Checker<'_> {
    pub(super) fn flow(&mut self) {
        self.without_transitions();
        let reached = self.unreachable();
        for id in self.machine.ids().filter(|id| self.machine.kind(*id).is_control()) {
            if reached.contains(&id) {
                self.ways_out(id);
            }
            self.automatic(id);
            self.fallback(id);
            self.duplicate_edges(id);
        }
        self.endless();
    }

    /// A machine whose nodes only other arrows connect never leaves its first node.
    fn without_transitions(&mut self) {
        let machine = self.machine;
        if machine.edges().iter().any(|edge| machine.is_transition(edge)) {
            return;
        }
        let is_step = |edge: &&Edge| {
            let ends = [&edge.source, &edge.target].map(|end| machine.kind(end.node));
            matches!(edge.arrow, Arrow::Double | Arrow::Fat) && ends.iter().all(|kind| kind.is_control())
        };
        if let Some(edge) = machine.edges().iter().find(is_step) {
            let (source, target) = (machine.path(edge.source.node), machine.path(edge.target.node));
            let message =
                format!("the machine never goes from `{source}` to `{target}`: `{}` is not a transition", edge.arrow);
            self.warn("no-transition", edge.place, message, format!("write `{source} -> {target};` if it should"));
        }
    }

    fn unreachable(&mut self) -> HashSet<NodeId> {
        let machine = self.machine;
        let reached = reached(machine);
        let start = machine.starts().first().map_or("start", |id| machine.path(*id));
        let has_flow = machine.edges().iter().any(|edge| machine.is_transition(edge));
        let is_part = |id: NodeId| machine.kind(id).is_control() && !is_base(machine, id);
        for id in machine.ids().filter(|id| has_flow && is_part(*id) && !reached.contains(id)) {
            let message = format!("the machine never reaches `{}`", machine.path(id));
            let help = format!("write an edge to it, such as `{start} -> {};`", machine.path(id));
            self.report("unreachable", machine.node(id).place, message, help);
        }
        reached
    }

    /// A task leads on, or a node around it does. A node of the type `init` leads on too. An end does not.
    fn ways_out(&mut self, id: NodeId) {
        let machine = self.machine;
        let leads_on = |id: NodeId| machine.transitions(id).next().is_some();
        let is_stuck = !leads_on(id) && !machine.ancestors(id).any(leads_on);
        let is_stuck = is_stuck && !machine.node(id).is_compensation();
        let is_declared = machine.node(id).type_name.is_some() && machine.children(id).is_empty();
        let path = machine.path(id);
        let place = machine.node(id).place;
        match machine.kind(id) {
            NodeKind::Task if is_stuck => {
                let help = format!("write an edge such as `{path} -> done;`, with `End done;`");
                self.report("no-way-out", place, format!("the task `{path}` has no way out"), help);
            }
            NodeKind::Init if is_stuck && is_declared => {
                let help = format!("write an edge such as `{path} -> first;`");
                self.report("no-way-out", place, format!("the machine begins at `{path}`, and cannot go on"), help);
            }
            NodeKind::End if leads_on(id) => {
                let help = "remove the edge, or make the node a state";
                self.report("end-leads-on", place, format!("the end `{path}` has an edge to another node"), help);
            }
            _ => {}
        }
    }

    /// An edge without a condition is taken before all later ones, if it is automatic.
    fn automatic(&mut self, id: NodeId) {
        let machine = self.machine;
        let is_alone = |edge: &Edge| edge.is_auto() && !TOGETHER.iter().any(|name| edge.annotation(name).is_some());
        let mut first: Option<&Edge> = None;
        for (_, edge) in machine.transitions(id).filter(|(_, edge)| is_alone(edge)) {
            let Some(before) = first else {
                first = edge.condition().is_none().then_some(edge);
                continue;
            };
            let path = machine.path(id);
            let found = match edge.condition() {
                None => (
                    "ambiguous-auto",
                    format!("`{path}` has two `@auto` edges without a condition"),
                    "give the first one a condition, or remove `@auto`",
                ),
                Some(_) => (
                    "never-taken",
                    format!("this edge is never taken: an earlier `@auto` edge of `{path}` has no condition"),
                    if before.priority() > edge.priority() {
                        "give this edge a higher `@priority`"
                    } else {
                        "move the edge without a condition after this one"
                    },
                ),
            };
            self.report(found.0, edge.place, found.1, found.2);
            let related = before.place;
            self.diagnostics.last_mut().into_iter().for_each(|last| {
                last.related.push((related, "the earlier edge is here".to_owned()));
            });
        }
    }

    /// If all edges of a node have conditions, all of them may be false.
    fn fallback(&mut self, id: NodeId) {
        let machine = self.machine;
        let edges: Vec<_> = machine.transitions(id).map(|(_, edge)| edge).collect();
        let Some(last) = edges.last() else { return };
        if edges.iter().any(|edge| edge.condition().is_none()) || is_exhaustive(&edges) {
            return;
        }
        let path = machine.path(id);
        let message = format!("`{path}` cannot go on if all conditions of its edges are false");
        self.report(
            "no-fallback",
            last.place,
            message,
            format!("write an edge without a condition: `{path} -> other;`"),
        );
    }

    fn duplicate_edges(&mut self, id: NodeId) {
        let machine = self.machine;
        let mut seen: HashMap<NodeId, Vec<&Edge>> = HashMap::new();
        for (_, edge) in machine.transitions(id) {
            let same = seen.entry(edge.target.node).or_default();
            if let Some(first) = same.iter().find(|first| **first == edge) {
                let (source, target) = (machine.path(id), machine.path(edge.target.node));
                let message = format!("the edge from `{source}` to `{target}` is declared twice");
                let found =
                    Diagnostic::warning("duplicate-edge", edge.place, message).with_help("remove one of the two");
                self.diagnostics.push(found.with_related(first.place, "the first one is here"));
            }
            // Enough for every real file, and it bounds the time.
            if same.len() < 16 {
                same.push(edge);
            }
        }
    }

    /// A circle of nodes, each of which always leaves by the next edge, has no end.
    fn endless(&mut self) {
        let machine = self.machine;
        let mut done: HashSet<NodeId> = HashSet::new();
        for start in machine.ids() {
            let mut walk: Vec<(NodeId, EdgeId)> = Vec::new();
            let mut at = start;
            while done.insert(at) {
                let Some(edge) = self.always_taken(at) else { break };
                walk.push((at, edge));
                at = machine.edge(edge).target.node;
            }
            let Some(first) = walk.iter().position(|(id, _)| *id == at) else { continue };
            let circle = walk.get(first..).unwrap_or_default();
            let mut paths: Vec<_> = circle.iter().map(|(id, _)| machine.path(*id)).collect();
            paths.push(machine.path(at));
            if let Some((_, edge)) = circle.last() {
                let message = format!("the machine never leaves this circle: {}", paths.join(" -> "));
                let help = "give one of the edges a condition, and its node another edge";
                self.report("endless", machine.edge(*edge).place, message, help);
            }
        }
    }

    /// Returns the edge by which a node is always left without a decision.
    fn always_taken(&self, id: NodeId) -> Option<EdgeId> {
        let machine = self.machine;
        let mut edges = machine.transitions(id);
        let (first, edge) = edges.next()?;
        let is_single = edges.next().is_none();
        let has_decision = machine.kind(id) == NodeKind::Task && machine.node(id).prompt().is_some();
        let has_condition = machine.transitions(id).any(|(_, edge)| edge.condition().is_some());
        let ends = machine.kind(id) == NodeKind::End;
        if ends || has_condition || !machine.children(id).is_empty() {
            return None;
        }
        if is_single && !has_decision {
            return edge.condition().is_none().then_some(first);
        }
        machine.transitions(id).find(|(_, edge)| edge.is_auto()).map(|(id, _)| id)
    }
}

/// Returns whether a node is only there so that others inherit from it: it has `@Abstract`, or `<|--` leaves it and no transition
/// does.
fn is_base(machine: &Machine, id: NodeId) -> bool {
    let has_heirs = machine.outgoing(id).any(|(_, edge)| edge.arrow == Arrow::Inherit);
    machine.node(id).annotation("abstract").is_some() || (has_heirs && machine.transitions(id).next().is_none())
}

/// Returns the nodes that the machine can reach.
///
/// A node with children is entered at its first task, or else its first state, or else its first other node of the flow. A node
/// in a reached one can be left by the edges of the nodes around it.
fn reached(machine: &Machine) -> HashSet<NodeId> {
    let mut reached = HashSet::new();
    let mut open = machine.starts();
    open.extend(machine.ids().filter(|id| machine.node(*id).is_compensation()));
    while let Some(id) = open.pop() {
        if !reached.insert(id) {
            continue;
        }
        open.extend(machine.transitions(id).map(|(_, edge)| edge.target.node));
        open.extend(machine.parent(id).filter(|parent| machine.kind(*parent).is_control()));
        open.extend(machine.entry(id));
    }
    reached
}

/// Returns whether one of the conditions is always true: `true`, or `when` and `unless` with the same text.
fn is_exhaustive(edges: &[&Edge]) -> bool {
    let cel = |edge: &&Edge| {
        let condition = edge.condition()?;
        let expression = Expression::parse(condition.text).ok()?;
        Some((condition.kind == ConditionKind::Unless, expression.cel().to_owned()))
    };
    let conditions: HashSet<_> = edges.iter().filter_map(cel).collect();
    conditions.iter().any(|(negated, cel)| {
        let opposite =
            conditions.contains(&(!negated, cel.clone())) || conditions.contains(&(*negated, format!("!({cel})")));
        opposite || *cel == (!negated).to_string()
    })
}
