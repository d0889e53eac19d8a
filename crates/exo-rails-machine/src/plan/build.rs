//! Makes a plan from a machine.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use exo_rails_dygram::{Annotation, Edge, Machine, Node, NodeId, NodeKind, Value};

use super::{Flow, Plan, PlanEdge, PlanError, PlanNode, Template, Work, annotations};
use crate::conditions::{Condition, ConditionError};
use crate::contexts::{ContextRules, Grant};
use crate::definition::{Code, RUST};

pub(super) fn plan(machine: &Machine, code: &Code) -> Result<Plan, PlanError> {
    let rules = ContextRules::of(machine).with_types(&code.contexts);
    let problems = code.contexts.iter().flat_map(|(name, context)| context.problems(name)).collect();
    let mut builder = Builder { machine, code, rules, problems };
    let control: Vec<_> = machine.ids().filter(|id| machine.kind(*id).is_control()).collect();
    let nodes: Vec<_> = control.iter().map(|id| Arc::new(builder.node(*id))).collect();
    let starts: Vec<_> = machine.starts().into_iter().map(|id| machine.path(id).to_owned()).collect();
    if starts.is_empty() {
        builder.problems.push("it has no node at which it begins: write one, such as `State start;`".to_owned());
    }
    let compensations = builder.compensations(&control);
    if !builder.problems.is_empty() {
        return Err(PlanError { problems: builder.problems });
    }
    let by_path = nodes.iter().enumerate().map(|(at, node)| (node.path.clone(), at)).collect();
    let (concurrency, on_error) = (annotations::concurrency(machine), annotations::on_error(machine));
    Ok(Plan {
        machine: machine.clone(),
        nodes,
        by_path,
        starts,
        compensations,
        rules: builder.rules,
        code: code.clone(),
        concurrency,
        on_error,
    })
}

struct Builder<'a> {
    machine: &'a Machine,
    code: &'a Code,
    rules: ContextRules,
    problems: Vec<String>,
}

impl Builder<'_> {
    fn node(&mut self, id: NodeId) -> PlanNode {
        let (machine, node) = (self.machine, self.machine.node(id));
        let kind = machine.kind(id);
        let grants = self.rules.grants(machine, id);
        let edges = self.edges(id);
        let is_end = kind == NodeKind::End || node.annotation("end").is_some();
        PlanNode {
            path: machine.path(id).to_owned(),
            kind,
            type_name: node.type_name.clone().unwrap_or_else(|| format!("{kind:?}")),
            title: node.title.clone(),
            work: work(node, is_end, &grants),
            is_meta: node.is_meta(),
            is_end,
            is_join: node.type_name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("join")),
            agent: node.attribute("agent").and_then(Value::as_str).map(str::to_owned),
            prompt: node.prompt().and_then(|text| self.template(id, &grants, text)),
            outer: self.outer(id, &grants),
            entry: machine.entry(id).map(|child| machine.path(child).to_owned()),
            tools: self.tools(id),
            retries: annotations::retries(node),
            timeout: annotations::timeout(node),
            urgency: annotations::urgency(node),
            is_checkpoint: node.annotation("checkpoint").is_some_and(Annotation::is_enabled),
            edges,
            grants,
        }
    }

    /// Returns the nodes with `@compensate`, with the nodes that they name.
    fn compensations(&mut self, nodes: &[NodeId]) -> Vec<(String, Option<String>)> {
        let machine = self.machine;
        let mut found = Vec::new();
        for id in nodes.iter().copied().filter(|id| machine.node(*id).is_compensation()) {
            let path = machine.path(id).to_owned();
            match machine.compensated(id) {
                Ok(of) => found.push((path, of.map(|of| machine.path(of).to_owned()))),
                Err(name) => {
                    self.problems
                        .push(format!("`@compensate` of `{path}` names `{name}`, which is not a node of the flow"));
                }
            }
        }
        found
    }

    /// Returns the tools of a node: those to which it has an edge, and those that the program names.
    fn tools(&self, id: NodeId) -> Vec<String> {
        let mut names = tools(self.machine, id);
        for name in self.code.tools.get(self.machine.path(id)).into_iter().flatten() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    fn template(&mut self, id: NodeId, grants: &[Grant], text: &str) -> Option<Template> {
        Template::read(self.machine, id, grants, text).map_err(|problem| self.problems.push(problem)).ok()
    }

    /// Returns the prompts of the nodes around a node, from the outside to the inside.
    fn outer(&mut self, id: NodeId, grants: &[Grant]) -> Vec<Template> {
        let machine = self.machine;
        let mut texts: Vec<_> = machine.ancestors(id).filter_map(|outer| machine.node(outer).prompt()).collect();
        texts.reverse();
        texts.into_iter().filter_map(|text| self.template(id, grants, text)).collect()
    }

    /// Returns the edges by which a node can be left: its own, or else those of the nearest node around it that has some.
    fn edges(&mut self, id: NodeId) -> Vec<Arc<PlanEdge>> {
        let machine = self.machine;
        let mut owners = std::iter::once(id).chain(machine.ancestors(id));
        let Some(owner) = owners.find(|id| machine.transitions(*id).next().is_some()) else { return Vec::new() };
        let names = self.names_of_targets(owner);
        let edges: Vec<_> = machine.transitions(owner).map(|(_, edge)| edge).collect();
        edges.into_iter().filter_map(|edge| self.edge(owner, edge, &names).map(Arc::new)).collect()
    }

    fn edge(&mut self, owner: NodeId, edge: &Edge, names: &HashMap<NodeId, String>) -> Option<PlanEdge> {
        let machine = self.machine;
        let condition = match self.condition(owner, edge) {
            Ok(condition) => condition,
            Err(error) => {
                self.problems.push(format!("`{}`: {error}", machine.path(owner)));
                return None;
            }
        };
        let flow = annotations::flow(machine, owner, edge);
        Some(PlanEdge {
            target: machine.path(edge.target.node).to_owned(),
            tool: format!("{}{}", prefix(&flow), names.get(&edge.target.node).map_or("", String::as_str)),
            description: description(machine, edge),
            condition,
            is_auto: edge.is_auto(),
            flow,
            priority: edge.priority(),
            barrier: annotations::barrier(edge),
        })
    }

    /// Returns the condition of an edge: CEL, or else a function of the program.
    fn condition(&self, owner: NodeId, edge: &Edge) -> Result<Option<Condition>, ConditionError> {
        let rust = edge.attributes.iter().find(|attribute| attribute.name == RUST);
        let Some(text) = rust.and_then(|attribute| attribute.value.as_ref()).and_then(Value::as_str) else {
            return Condition::of(self.machine, owner, edge);
        };
        let function = self.code.functions.get(text).ok_or_else(|| ConditionError {
            condition: text.to_owned(),
            cause: "it is a Rust condition without its function: write `when` and a CEL condition".to_owned(),
        })?;
        Ok(Some(Condition::of_function(function)))
    }

    /// Returns the names of the targets in tools: the short name if no other target has it, or else the path with `__`.
    fn names_of_targets(&mut self, owner: NodeId) -> HashMap<NodeId, String> {
        let machine = self.machine;
        let targets: HashSet<_> = machine.transitions(owner).map(|(_, edge)| edge.target.node).collect();
        let mut sharing: HashMap<&str, usize> = HashMap::new();
        for id in &targets {
            *sharing.entry(&machine.node(*id).name).or_default() += 1;
        }
        let shares = |id: NodeId| sharing.get(&*machine.node(id).name).is_some_and(|nodes| *nodes > 1);
        let name = |id: &NodeId| {
            let name = if shares(*id) { machine.path(*id).replace('.', "__") } else { machine.node(*id).name.clone() };
            (*id, name)
        };
        let names: HashMap<_, _> = targets.iter().map(name).collect();
        let mut seen = HashSet::new();
        let mut sorted: Vec<_> = names.values().collect();
        sorted.sort();
        if let Some(twice) = sorted.into_iter().find(|name| !seen.insert(*name)) {
            let path = machine.path(owner);
            self.problems.push(format!(
                "two targets of `{path}` would have the tool `transition_to_{twice}`: rename one of them"
            ));
        }
        names
    }
}

/// Returns the beginning of the name of an edge's tool.
const fn prefix(flow: &Flow) -> &'static str {
    match flow {
        Flow::Single | Flow::Fork => "transition_to_",
        Flow::Spawn => "spawn_async_to_",
        Flow::Map(_) => "map_spawn_to_",
    }
}

/// Returns what an edge is for: its attribute or the texts of its label, or else the title of its target.
fn description(machine: &Machine, edge: &Edge) -> Option<String> {
    let written = edge.attributes.iter().find(|attribute| attribute.name == "description");
    let written = written.and_then(|attribute| attribute.value.as_ref()).and_then(Value::as_str).map(str::to_owned);
    let texts: Vec<_> = edge.texts().collect();
    let label = (!texts.is_empty()).then(|| texts.join(" "));
    let target = machine.node(edge.target.node);
    let described = || target.attribute("description").and_then(Value::as_str).map(str::to_owned);
    written.or(label).or_else(described).or_else(|| target.title.clone())
}

fn work(node: &Node, is_end: bool, grants: &[Grant]) -> Work {
    let writes = grants.iter().any(|grant| !grant.writes.is_empty());
    match () {
        () if node.prompt().is_some() => Work::Task,
        () if !is_end && (node.is_meta() || writes) => Work::State,
        () => Work::None,
    }
}

fn tools(machine: &Machine, id: NodeId) -> Vec<String> {
    let targets = machine.outgoing(id).map(|(_, edge)| edge.target.node);
    let sources = machine.incoming(id).map(|(_, edge)| edge.source.node);
    let mut names = Vec::new();
    for other in targets.chain(sources).filter(|other| machine.kind(*other) == NodeKind::Tool) {
        let name = machine.node(other).name.clone();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
