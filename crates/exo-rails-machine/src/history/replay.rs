//! The state of a machine at each step, from its history.

use std::collections::BTreeMap;

use super::{History, HistoryStep, StepOutcome};
use crate::contexts::Contexts;
use crate::definition::Definition;
use crate::plan::Plan;

/// Where a machine was after a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Position {
    /// The number of the step.
    pub step_number: u64,
    /// The node of each path that has not ended.
    pub nodes: BTreeMap<u64, String>,
    /// The contexts.
    pub contexts: Contexts,
}

/// Why a history does not fit a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step_number} is not a step of this machine: {problem}")]
pub struct ReplayError {
    /// The number of the step.
    pub step_number: u64,
    /// What is wrong.
    pub problem: String,
}

/// Replays a history, without a model and without tools. Returns where the machine was after each step.
///
/// If an agent has changed the machine itself, the replay ends after the step that made this change.
///
/// # Errors
///
/// If the machine cannot be executed, if a step takes an edge that the machine does not have, if a step writes a field that its
/// node may not write, or if a step takes back a value that the field does not have.
pub fn replay(machine: impl Into<Definition>, history: &History) -> Result<Vec<Position>, ReplayError> {
    let failed = |problem: String| ReplayError { step_number: 0, problem };
    let plan = Plan::of(&machine.into()).map_err(|error| failed(error.to_string()))?;
    let mut contexts = plan.first_values();
    let mut nodes = BTreeMap::new();
    let mut positions = Vec::new();
    for step in &history.steps {
        apply(&plan, step, &mut contexts).map_err(|problem| ReplayError { step_number: step.step_number, problem })?;
        match (step.outcome, step.next_nodes.first()) {
            (StepOutcome::Ended | StepOutcome::Failed, _) => drop(nodes.remove(&step.path)),
            (StepOutcome::Moved, Some(next)) => drop(nodes.insert(step.path, next.clone())),
            _ => drop(nodes.insert(step.path, step.current_node.clone())),
        }
        nodes.extend(step.started_paths.iter().map(|started| (started.path, started.node.clone())));
        positions.push(Position { step_number: step.step_number, nodes: nodes.clone(), contexts: contexts.clone() });
        if step.mutations.iter().any(|mutation| mutation.kind == "update_definition") {
            break;
        }
    }
    Ok(positions)
}

fn apply(plan: &Plan, step: &HistoryStep, contexts: &mut Contexts) -> Result<(), String> {
    let node = plan.node(&step.current_node).ok_or_else(|| format!("it has no node `{}`", step.current_node))?;
    for next in &step.next_nodes {
        let leads = |target: &str| target == next || plan.entered(target) == next;
        if !node.edges.iter().any(|edge| leads(&edge.target)) {
            return Err(format!("`{}` has no edge to `{next}`", node.path));
        }
    }
    // Fields that were written together may fit the type of their context only together.
    for written in step.writes.chunk_by(|one, other| one.context == other.context) {
        let Some(first) = written.first() else { continue };
        let data = written.iter().map(|written| (written.field.clone(), written.after.clone())).collect();
        contexts.write(plan.rules(), &node.grants, &first.context, data).map_err(|error| error.to_string())?;
    }
    for write in &step.taken_back {
        if !contexts.take_back(write) {
            return Err(format!("`{}` of `{}` cannot be taken back: it has another value", write.field, write.context));
        }
    }
    Ok(())
}
