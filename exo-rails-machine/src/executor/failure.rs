//! Attempts, timeouts, and paths that fail.

use std::time::Duration;

use exo_rails::{GuardSet, ServesOperation};
use exo_rails_agent::Model;

use super::choice::Next;
use super::flow::settle;
use super::{Execution, MachineError};
use crate::history::{StepOutcome, TransitionType};
use crate::plan::{OnError, PlanNode};
use crate::state::{MachineState, PathStatus};
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
            if on_error == OnError::Compensate {
                take_back(state, id);
            }
            if let Some(path) = state.path_mut(id) {
                path.status = PathStatus::Failed;
            }
            settle(state, plan);
        });
        Ok(())
    }
}

/// Takes the writes of a path back, the newest first. What another path has written since then stays.
fn take_back(state: &mut MachineState, id: u64) {
    let written = state.path_mut(id).map(|path| std::mem::take(&mut path.written)).unwrap_or_default();
    for write in written.into_iter().rev() {
        if state.contexts.get(&write.context, &write.field) != Some(&write.after) {
            continue;
        }
        match write.before {
            Some(before) => state.contexts.set(&write.context, &write.field, before),
            None => state.contexts.remove(&write.context, &write.field),
        }
    }
}

/// Returns the delay before the next attempt: 1 s, 2 s, 4 s, and so on up to 30 s.
fn delay(attempts: usize) -> Duration {
    let factor = u32::try_from(attempts).ok().and_then(|attempts| 2_u32.checked_pow(attempts));
    factor.map_or(LONGEST_DELAY, |factor| FIRST_DELAY.saturating_mul(factor).min(LONGEST_DELAY))
}
