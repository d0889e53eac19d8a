//! What the agent reads at a node: its objective, what it may read and write, and where it may go. Nothing else.

use std::sync::Arc;

use std::fmt::Write;

use exo_rails_dygram::Fields;

use crate::contexts::{ContextRules, Grant};
use crate::plan::{Flow, PlanEdge, PlanNode};

/// The texts for a visit.
pub(crate) struct Prompt {
    pub(crate) system: String,
    pub(crate) user: String,
}

/// What a prompt is made of.
pub(crate) struct Parts<'a> {
    pub(crate) title: &'a str,
    pub(crate) node: &'a PlanNode,
    pub(crate) rules: &'a ContextRules,
    /// The objective, with its values.
    pub(crate) objective: Option<String>,
    /// The objectives of the nodes around the node.
    pub(crate) outer: Vec<String>,
    pub(crate) edges: Vec<&'a Arc<PlanEdge>>,
    /// The item of `@map`.
    pub(crate) item: Option<String>,
}

pub(crate) fn prompt(parts: &Parts<'_>) -> Prompt {
    let mut system = format!("You work at a node of the state machine \"{}\".\n", parts.title);
    // Writing to a `String` cannot fail.
    let _ = write!(system, "\n- Node: **{}** ({})\n", parts.node.path, parts.node.type_name);
    for outer in &parts.outer {
        let _ = writeln!(system, "- Part of: {outer}");
    }
    let objective = parts.objective.as_deref().unwrap_or("Decide where the machine goes next.");
    let _ = writeln!(system, "- Objective: {objective}");
    if !parts.node.grants.is_empty() {
        system.push_str("\n## Contexts\n\n");
        for grant in &parts.node.grants {
            context(&mut system, parts.rules, grant);
        }
    }
    if !parts.edges.is_empty() {
        system.push_str("\n## Transitions\n\n");
        for edge in &parts.edges {
            let described = edge.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
            let effect = effect(&edge.flow);
            let _ = writeln!(system, "- **{}** with `{}`{effect}{described}", edge.target, edge.tool);
        }
        if parts.edges.iter().any(|edge| !matches!(edge.flow, Flow::Spawn)) {
            system.push_str(
                "\nWhen the objective is met, call the tool of one transition. It ends your work at this node.\n",
            );
        }
    }
    let mut user = objective.to_owned();
    if let Some(item) = &parts.item {
        let _ = write!(user, "\n\nItem: {item}");
    }
    Prompt { system, user }
}

/// Says what is special about the tool of an edge.
const fn effect(flow: &Flow) -> &'static str {
    match flow {
        Flow::Spawn => " (you go on here)",
        Flow::Map(_) => " (once for each item)",
        Flow::Single | Flow::Fork => "",
    }
}

fn context(text: &mut String, rules: &ContextRules, grant: &Grant) {
    // A permission for the same fields is one line.
    let both = (grant.reads == grant.writes).then_some(("read, write", &grant.reads));
    let apart = [("read", &grant.reads), ("write", &grant.writes)];
    for (verb, fields) in both.into_iter().chain(apart.into_iter().filter(|_| both.is_none())) {
        if fields.is_empty() {
            continue;
        }
        let names: Vec<_> = rules.names(&grant.context, fields).into_iter().collect();
        let listed = if names.is_empty() { "any".to_owned() } else { names.join(", ") };
        let _ = writeln!(text, "- **{}**: {verb}\n  - Fields: {listed}", grant.context);
    }
}

/// What the agent reads if it has ended its work without a choice.
pub(crate) fn reminder(edges: &[&Arc<PlanEdge>]) -> String {
    let tools: Vec<_> = edges.iter().map(|edge| format!("`{}`", edge.tool)).collect();
    format!("The machine cannot go on without your decision. Call one of these tools: {}.", tools.join(", "))
}

/// Returns the fields of a permission for the schema of a tool. `None` means any field.
pub(crate) fn field_names(rules: &ContextRules, context: &str, fields: &Fields) -> Option<Vec<String>> {
    let is_any = matches!(fields, Fields::All) && rules.is_open(context);
    (!is_any).then(|| rules.names(context, fields).into_iter().collect())
}
