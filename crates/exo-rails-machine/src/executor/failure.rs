//! Attempts, timeouts, and paths that fail.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::{GuardSet, ServesOperation};
use exo_rails_agent::Model;

use super::choice::Next;
use super::flow::settle;
use super::{Execution, MachineError};
use crate::history::{StepOutcome, TransitionType};
use crate::plan::{OnError, PlanEdge, PlanNode};
use crate::state::PathStatus;
use crate::transition::Transition;

const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

impl<M, R> Execution<'_, M, R>
where
    M: Model + 'static,
    R: GuardSet + ServesOperation<Transition> + 'static,
{
    /// Does the work of a node, with its timeout and its attempts.
    pub(super) async fn work(&self, id: u64, node: &PlanNode) -> Result<Next, MachineError> {
        loop {
            let error = match self.attempt(id, node).await {
                Ok(next) => return Ok(next),
                Err(error) => error,
            };
            let attempts = self.live.with(|state, _| state.path(id).map_or(0, |path| path.failures.len()));
            let is_last = attempts >= usize::try_from(node.retries).unwrap_or(usize::MAX);
            if is_last || !error.is_of_path() || !error.may_be_repeated() {
                return Err(error);
            }
            self.note_failure(id, &error);
            // The next attempt begins anew. What this one has written stays written, so the history must have it.
            self.live.with(|state, _| {
                if let Some(path) = state.path_mut(id) {
                    path.failed_visit = path.visit.take().or(path.failed_visit.take());
                    path.allowed.clear();
                }
            });
            self.save().await?;
            tokio::time::sleep(delay(attempts)).await;
        }
    }

    async fn attempt(&self, id: u64, node: &PlanNode) -> Result<Next, MachineError> {
        let Some(limit) = node.timeout else { return self.choose(id, node).await };
        let result = tokio::time::timeout(limit, self.choose(id, node)).await;
        result
            .unwrap_or_else(|_| Err(MachineError::Timeout { node: node.path.clone(), milliseconds: limit.as_millis() }))
    }

    fn note_failure(&self, id: u64, error: &MachineError) {
        self.live.with(|state, _| {
            state.errors.push(error.without_values());
            if let Some(path) = state.path_mut(id) {
                path.failures.push(error.to_string());
            }
        });
    }

    /// Ends a path with an error, and the machine too unless other paths may go on.
    pub(super) fn failed(&self, id: u64, node: &PlanNode, error: MachineError) -> Result<(), MachineError> {
        let on_error = self.live.plan().on_error;
        if !error.is_of_path() {
            return Err(error);
        }
        self.note_failure(id, &error);
        self.record(id, node, Vec::new(), StepOutcome::Failed, TransitionType::Automated, None);
        if on_error == OnError::FailFast {
            return Err(error);
        }
        self.live.with(|state, plan| {
            state.end_path(id, PathStatus::Failed);
            settle(state, plan);
        });
        Ok(())
    }

    /// Sends a failed path to the next node with `@compensate`. The rails are asked as at every transition. If they refuse it, the
    /// path goes to the one after it.
    pub(super) async fn compensate(&self, id: u64, node: &PlanNode) -> Result<(), MachineError> {
        let next = || self.live.with(|state, _| state.path(id)?.undo.as_ref()?.nodes.last().cloned());
        while let Some(target) = next() {
            // An agent may have removed the node from the machine.
            let is_known = self.live.with(|_, plan| plan.node(&target).is_some());
            let edge = Arc::new(PlanEdge::to_compensation(&target));
            let result = if is_known { self.allowed(id, node, &edge).await.map(Some) } else { Ok(None) };
            let edge = match result {
                Err(error) if !error.is_of_path() => return Err(error),
                Err(error) => {
                    self.note_failure(id, &error);
                    None
                }
                Ok(edge) => edge,
            };
            self.live.with(|state, plan| {
                if let Some(undo) = state.path_mut(id).and_then(|path| path.undo.as_mut()) {
                    undo.nodes.pop();
                }
                if let Some(edge) = &edge {
                    state.enter(id, plan.entered(&edge.target));
                }
            });
            if edge.is_some() {
                return Ok(());
            }
        }
        self.record(id, node, Vec::new(), StepOutcome::Failed, TransitionType::Automated, None);
        self.live.with(|state, plan| {
            state.end_path(id, PathStatus::Failed);
            settle(state, plan);
        });
        Ok(())
    }
}

/// Returns the delay before the next attempt: 1 s, 2 s, 4 s, and so on up to 30 s.
fn delay(attempts: usize) -> Duration {
    let factor = u32::try_from(attempts).ok().and_then(|attempts| 2_u32.checked_pow(attempts));
    factor.map_or(LONGEST_DELAY, |factor| FIRST_DELAY.saturating_mul(factor).min(LONGEST_DELAY))
}
