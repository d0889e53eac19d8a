//! The tools of a node: transitions, contexts, and the program's tools, each within the permissions of the node.

mod context;
mod transition;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use exo_rails::{GuardSet, OperationError, OperationErrorKind, RunContext, RunError, ServesOperation, Tool};

use crate::plan::{Flow, PlanEdge, PlanNode};
use crate::state::Live;
use crate::transition::Transition;
pub(crate) use transition::taken;

/// What the tools of a visit share.
pub(crate) struct Desk<R> {
    pub(crate) live: Arc<Live>,
    pub(crate) rails: Arc<R>,
    /// The context of the transitions of the path.
    pub(crate) ctx: Arc<RunContext>,
    pub(crate) path: u64,
    pub(crate) node: Arc<PlanNode>,
    /// The error that ends the machine, if a tool met one.
    pub(crate) fatal: Arc<std::sync::Mutex<Option<RunError>>>,
    /// Whether the tools are parts of compositions. What they do is then not the output of the agent's call.
    pub(crate) is_in_composition: bool,
}

impl<R> Clone for Desk<R> {
    fn clone(&self) -> Self {
        Self {
            live: Arc::clone(&self.live),
            rails: Arc::clone(&self.rails),
            ctx: Arc::clone(&self.ctx),
            path: self.path,
            node: Arc::clone(&self.node),
            fatal: Arc::clone(&self.fatal),
            is_in_composition: self.is_in_composition,
        }
    }
}

impl<R> Desk<R> {
    /// Checks that the visit has not ended.
    pub(crate) fn ensure_open(&self) -> Result<(), OperationError> {
        let chosen = self.live.with(|state, _| state.visit_mut(self.path).and_then(|visit| visit.chosen.clone()));
        chosen.map_or(Ok(()), |chosen| {
            let message =
                format!("the work at `{}` has ended: the machine goes to `{}`", self.node.path, chosen.target);
            Err(refused(message))
        })
    }

    /// Returns the error of a guarded operation inside a tool. The model reads what it can change. Every other error also ends the
    /// machine.
    pub(crate) fn error_of(&self, error: RunError) -> OperationError {
        match error {
            RunError::Operation(_)
            | RunError::RetriesExhausted(_)
            | RunError::StepLimit { .. }
            | RunError::TooDeep(_) => error.into(),
            // The steps before would run again when the person has answered.
            error if error.suspension().is_some() => refused(
                "a rail asks a person about a call inside this tool, which cannot wait for the answer: call that tool directly",
            ),
            error => {
                let message = error.to_string();
                self.end_with(error, message)
            }
        }
    }

    /// Notes the error that ends the machine. The model reads the message.
    fn end_with(&self, error: RunError, message: String) -> OperationError {
        *self.fatal.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        refused(message)
    }
}

pub(crate) fn refused(message: impl Into<String>) -> OperationError {
    OperationError::new(OperationErrorKind::Denied, message)
}

pub(crate) fn invalid(message: impl Into<String>) -> OperationError {
    OperationError::new(OperationErrorKind::InvalidRequest, message)
}

impl<R: GuardSet + ServesOperation<Transition> + 'static> Desk<R> {
    /// Makes the tools that the machine has for the node. `edges` are those that the agent may take now.
    pub(crate) fn tools(&self, edges: &[&Arc<PlanEdge>]) -> Vec<Tool> {
        let mut tools: Vec<_> = edges.iter().map(|edge| self.transition_tool(edge)).collect();
        tools.extend(self.context_tools());
        tools
    }
}

/// Returns the names of the tools that the machine makes for a node, whatever its conditions are.
pub(crate) fn names_of(node: &PlanNode) -> Vec<String> {
    let mut names: Vec<_> = node.edges.iter().filter_map(|edge| name_of_edge(edge)).collect();
    for (context, name) in context_names(node) {
        let grant = node.grants.iter().find(|grant| grant.context == context);
        if grant.is_some_and(|grant| !grant.reads.is_empty()) {
            names.push(format!("read_{name}"));
        }
        if grant.is_some_and(|grant| !grant.writes.is_empty()) {
            names.push(format!("write_{name}"));
        }
    }
    names
}

/// Returns the name of the tool for an edge. Paths take edges with `@parallel` by themselves.
pub(crate) fn name_of_edge(edge: &PlanEdge) -> Option<String> {
    (!matches!(edge.flow, Flow::Fork)).then(|| edge.tool.clone())
}

/// Returns the names of contexts in tools: the short name if no other context of the node has it, or else the path with `__`.
fn context_names(node: &PlanNode) -> BTreeMap<String, String> {
    let short = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
    let shares = |path: &str| node.grants.iter().filter(|grant| short(&grant.context) == short(path)).count() > 1;
    let name = |path: &str| if shares(path) { path.replace('.', "__") } else { short(path) };
    node.grants.iter().map(|grant| (grant.context.clone(), name(&grant.context))).collect()
}
