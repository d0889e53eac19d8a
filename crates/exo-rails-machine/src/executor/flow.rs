//! Moves paths: one edge, several edges at once, barriers and joins.

use std::sync::Arc;

use exo_rails::{GuardSet, ServesOperation};
use exo_rails_agent::Model;

use super::choice::Next;
use super::{Execution, MachineError};
use crate::history::{StepOutcome, TransitionType};
use crate::plan::{Barrier, Plan, PlanEdge, PlanNode};
use crate::state::{MachineState, Path, PathStatus};
use crate::transition::Transition;

impl<M, R> Execution<'_, M, R>
where
    M: Model + 'static,
    R: GuardSet + ServesOperation<Transition> + 'static,
{
    /// Moves a path, and adds the step to the history.
    pub(super) fn apply(&self, id: u64, node: &PlanNode, next: Next) -> Result<(), MachineError> {
        self.check_circle(id, node, &next)?;
        // The nodes of the paths that the step has started beside this one.
        let mut others: Vec<_> = self.live.with(|state, _| {
            let started = state.path(id).map(|path| path.started.as_slice()).unwrap_or_default();
            started.iter().map(|started| started.node.clone()).collect()
        });
        let kind = |by_agent| if by_agent { TransitionType::AgentControlled } else { TransitionType::Automated };
        match next {
            Next::Take { edge, reason, by_agent } => {
                let (to, waits) = self.live.with(|state, plan| arrive(state, plan, id, &edge));
                others.insert(0, to.clone());
                let outcome = if waits.is_some() { StepOutcome::Waits } else { StepOutcome::Moved };
                self.record(id, node, others, outcome, kind(by_agent), reason);
                self.live.with(|state, _| go(state, id, to, waits));
            }
            Next::Fork(edges) => {
                let mut nodes = self.live.with(|state, plan| fork(state, plan, id, &edges));
                nodes.extend(others);
                self.record(id, node, nodes, StepOutcome::Forked, TransitionType::Automated, None);
            }
            Next::Map { edge, items, reason, by_agent } => {
                let target = self.live.with(|state, plan| {
                    let target = plan.entered(&edge.target).to_owned();
                    for item in items {
                        state.start_path(id, &target, true, edge.priority, Some(item));
                    }
                    if let Some(path) = state.path_mut(id) {
                        path.status = PathStatus::Forked;
                    }
                    target
                });
                others.insert(0, target);
                self.record(id, node, others, StepOutcome::Forked, kind(by_agent), reason);
            }
            Next::End => {
                self.record(id, node, others, StepOutcome::Ended, TransitionType::Automated, None);
                self.live.with(|state, _| state.end_path(id, PathStatus::Ended));
            }
        }
        self.live.with(settle);
        Ok(())
    }

    /// Finds a circle of automatic steps in which nothing changes. It would never end.
    fn check_circle(&self, id: u64, node: &PlanNode, next: &Next) -> Result<(), MachineError> {
        let until = self.executor.settings.until.as_ref().map(|(until, _)| until);
        self.live.with(|state, _| {
            let now = (state.contexts.revision(), state.errors.len());
            let is_alone = state.paths.iter().filter(|path| path.status == PathStatus::Active).count() == 1;
            let Some(path) = state.path_mut(id) else { return Ok(()) };
            let is_automatic = matches!(next, Next::Take { by_agent: false, .. }) && path.visit.is_none();
            if !is_automatic || path.unchanged_since != now {
                path.unchanged.clear();
                path.unchanged_since = now;
            }
            if !is_automatic {
                return Ok(());
            }
            // Another path may change something, and `until` may end the machine.
            let may_end = !is_alone || until.is_some_and(|until| path.unchanged.contains(until));
            if let (Some(at), false) = (path.unchanged.iter().position(|seen| *seen == node.path), may_end) {
                let mut nodes: Vec<_> = path.unchanged.iter().skip(at).cloned().collect();
                nodes.push(node.path.clone());
                return Err(MachineError::EndlessLoop { nodes });
            }
            if !path.unchanged.contains(&node.path) {
                path.unchanged.push(node.path.clone());
            }
            Ok(())
        })
    }
}

/// Returns the barrier before the target of an edge.
fn barrier(plan: &Plan, edge: &PlanEdge) -> Option<Barrier> {
    let join = || {
        let target = plan.node(&edge.target).filter(|node| node.is_join)?;
        Some(Barrier { name: target.path.clone(), is_merge: true })
    };
    edge.barrier.clone().or_else(join)
}

/// Returns the node to which an edge leads, and the barrier at which the path waits before it.
fn arrive(state: &MachineState, plan: &Plan, id: u64, edge: &PlanEdge) -> (String, Option<Barrier>) {
    let to = plan.entered(&edge.target).to_owned();
    let has_others = || {
        let parent = state.path(id).and_then(|path| path.parent);
        parent.is_some()
            || state.paths.iter().any(|path| path.id != id && path.parent.is_none() && !path.status.is_over())
    };
    (to, barrier(plan, edge).filter(|_| has_others()))
}

fn go(state: &mut MachineState, id: u64, target: String, waits: Option<Barrier>) {
    match waits {
        Some(Barrier { name, is_merge }) => {
            if let Some(path) = state.path_mut(id) {
                path.status = PathStatus::Waiting { barrier: name, target, is_merge };
            }
        }
        None => state.enter(id, &target),
    }
}

/// Starts a path for each edge. The path itself waits for them.
fn fork(state: &mut MachineState, plan: &Plan, id: u64, edges: &[Arc<PlanEdge>]) -> Vec<String> {
    let mut nodes = Vec::new();
    for edge in edges {
        let target = plan.entered(&edge.target);
        state.start_path(id, target, true, edge.priority, None);
        nodes.push(target.to_owned());
    }
    if let Some(path) = state.path_mut(id) {
        path.status = PathStatus::Forked;
    }
    nodes
}

/// Opens the barriers at which all paths have arrived, and ends paths whose paths have ended.
pub(super) fn settle(state: &mut MachineState, plan: &std::sync::Arc<Plan>) {
    let waits = |path: &Path| matches!(path.status, PathStatus::Waiting { .. } | PathStatus::Forked);
    while state.paths.iter().any(waits) && (open_one(state, plan) || end_one(state, plan)) {}
}

/// Ends a path that waits for paths that have all ended. Returns whether there was one.
fn end_one(state: &mut MachineState, plan: &Plan) -> bool {
    let is_over = |id: u64| state.paths.iter().filter(|path| path.parent == Some(id)).all(|path| path.status.is_over());
    let has_failed = |id: u64| {
        let mut children = state.paths.iter().filter(|path| path.parent == Some(id)).peekable();
        children.peek().is_some() && children.all(|path| path.status == PathStatus::Failed)
    };
    let found = state.paths.iter().find(|path| path.status == PathStatus::Forked && is_over(path.id));
    let Some((id, failed)) = found.map(|path| (path.id, has_failed(path.id))) else { return false };
    if failed {
        state.begin_undo(id, plan);
    }
    state.end_path(id, if failed { PathStatus::Failed } else { PathStatus::Ended });
    true
}

/// Opens a barrier at which all paths of a group wait. Returns whether there was one.
fn open_one(state: &mut MachineState, plan: &Plan) -> bool {
    let parents: std::collections::BTreeSet<_> = state.paths.iter().map(|path| path.parent).collect();
    for parent in parents {
        let group: Vec<_> = state.paths.iter().filter(|path| path.parent == parent && !path.status.is_over()).collect();
        let waiting: Vec<_> = group
            .iter()
            .filter_map(|path| match &path.status {
                PathStatus::Waiting { barrier, target, is_merge } => {
                    Some((path.id, barrier.clone(), target.clone(), *is_merge))
                }
                _ => None,
            })
            .collect();
        let Some((first, name, target, is_merge)) = waiting.first().cloned() else { continue };
        if waiting.len() < group.len() || waiting.iter().any(|(_, other, ..)| *other != name) {
            continue;
        }
        if is_merge {
            // The path that started them goes on, or else the first of them.
            let into = parent.unwrap_or(first);
            for (id, ..) in &waiting {
                state.merge(*id, into);
            }
            state.enter(into, plan.entered(&target));
        } else {
            for (id, _, target, _) in &waiting {
                state.enter(*id, plan.entered(target));
            }
        }
        return true;
    }
    false
}
