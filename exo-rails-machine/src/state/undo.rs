//! What happens after a path has failed, with `@errorHandling("compensate")`: nodes with `@compensate` do their work, and then the
//! writes of the path are taken back.

use serde::{Deserialize, Serialize};

use super::{MachineState, PathStatus};
use crate::contexts::Written;
use crate::history::StepOutcome;
use crate::plan::{OnError, Plan};

/// What a failed path still has to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// The nodes that the path visits. The next one is the last.
    pub(crate) nodes: Vec<String>,
    /// Whether the path has ended at its node, and goes to the next one.
    pub(crate) is_leaving: bool,
    /// What the path had written when it failed. The nodes may read it, so it is taken back behind them.
    written: Vec<Written>,
}

impl MachineState {
    /// Notes that the work of a path has failed or ended at its node. Returns the writes that are taken back now.
    pub(crate) fn undo(&mut self, id: u64, plan: &Plan, outcome: StepOutcome) -> Vec<Written> {
        if !matches!(outcome, StepOutcome::Ended | StepOutcome::Failed) {
            return Vec::new();
        }
        let has_failed = outcome == StepOutcome::Failed;
        let is_undoing = self.path(id).is_some_and(|path| path.undo.is_some());
        let begins = has_failed && !is_undoing && plan.on_error == OnError::Compensate;
        let nodes = if begins { self.compensations(id, plan) } else { Vec::new() };
        let Some(path) = self.path_mut(id) else { return Vec::new() };
        let written = std::mem::take(&mut path.written);
        let mut taken = Vec::new();
        if begins {
            path.undo = Some(Undo { nodes, is_leaving: false, written });
        } else if has_failed && is_undoing {
            // A node with `@compensate` has failed. What it has written is taken back at once.
            taken = self.take_back(written);
        }
        taken.extend(self.end_undo(id));
        taken
    }

    /// Takes the writes of a failed path back if it has visited all of its nodes.
    fn end_undo(&mut self, id: u64) -> Vec<Written> {
        let undo = self.path_mut(id).and_then(|path| path.undo.as_mut()).filter(|undo| undo.nodes.is_empty());
        let written = undo.map(|undo| std::mem::take(&mut undo.written)).unwrap_or_default();
        self.take_back(written)
    }

    /// Ends a path with a status, or lets it go on to the next node with `@compensate`.
    pub(crate) fn end_path(&mut self, id: u64, status: PathStatus) {
        let Some(path) = self.path_mut(id) else { return };
        path.status = match &mut path.undo {
            None => status,
            Some(undo) if undo.nodes.is_empty() && undo.written.is_empty() => PathStatus::Failed,
            Some(undo) => {
                undo.is_leaving = true;
                PathStatus::Active
            }
        };
    }

    /// Returns the nodes that undo what a path has done. A node that names another one is there if the path has left that one.
    fn compensations(&self, id: u64, plan: &Plan) -> Vec<String> {
        let has_left = |node: &String| {
            let steps = self.history.steps.iter().filter(|step| step.path == id && step.current_node == *node);
            steps.into_iter().any(|step| step.outcome != StepOutcome::Failed)
        };
        let undone = plan.compensations.iter().filter(|(_, of)| of.as_ref().is_none_or(has_left));
        undone.map(|(node, _)| node.clone()).collect()
    }

    /// Takes writes back, the newest first. What another path has written since then stays.
    fn take_back(&mut self, written: Vec<Written>) -> Vec<Written> {
        let mut taken = Vec::new();
        for write in written.into_iter().rev() {
            if self.contexts.take_back(&write) {
                taken.push(write);
            }
        }
        taken
    }
}
