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
    written: Vec<PastWrite>,
}

/// A write of a step that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PastWrite {
    /// The number of the step.
    step: u64,
    written: Written,
}

impl MachineState {
    /// Notes what a step has written, for the case that its path fails later.
    pub(crate) fn note_writes(&mut self, id: u64, step: u64, writes: &[Written]) {
        if let Some(path) = self.path_mut(id) {
            path.written.extend(writes.iter().map(|written| PastWrite { step, written: written.clone() }));
        }
    }

    /// Lets a path go on in place of another one. If it fails, it undoes the work of both.
    pub(crate) fn merge(&mut self, id: u64, into: u64) {
        let Some(path) = self.path_mut(id).filter(|_| id != into) else { return };
        path.status = PathStatus::Merged;
        let (written, merged) = (std::mem::take(&mut path.written), std::mem::take(&mut path.merged));
        if let Some(into) = self.path_mut(into) {
            into.merged.push(id);
            into.merged.extend(merged);
            into.written.extend(written);
            into.written.sort_by_key(|write| write.step);
        }
    }

    /// Notes that the work of a path has failed or ended at its node. Returns the writes that are taken back now.
    pub(crate) fn undo(&mut self, id: u64, plan: &Plan, outcome: StepOutcome) -> Vec<Written> {
        if !matches!(outcome, StepOutcome::Ended | StepOutcome::Failed) {
            return Vec::new();
        }
        let has_failed = outcome == StepOutcome::Failed;
        let is_undoing = self.path(id).is_some_and(|path| path.undo.is_some());
        let mut taken = Vec::new();
        if has_failed && is_undoing {
            // A node with `@compensate` has failed. What it has written is taken back at once.
            let written = self.path_mut(id).map(|path| std::mem::take(&mut path.written)).unwrap_or_default();
            taken = self.take_back(written);
        } else if has_failed {
            self.begin_undo(id, plan);
        } else if let Some(path) = self.path_mut(id) {
            path.written.clear();
        }
        taken.extend(self.end_undo(id));
        taken
    }

    /// Notes what a failed path has to undo, with `@errorHandling("compensate")`.
    pub(crate) fn begin_undo(&mut self, id: u64, plan: &Plan) {
        if plan.on_error != OnError::Compensate || self.path(id).is_none_or(|path| path.undo.is_some()) {
            return;
        }
        let nodes = self.compensations(id, plan);
        if let Some(path) = self.path_mut(id) {
            let written = std::mem::take(&mut path.written);
            path.undo = Some(Undo { nodes, is_leaving: false, written });
        }
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
        let merged = self.path(id).map(|path| path.merged.as_slice()).unwrap_or_default();
        let has_left = |node: &String| {
            let is_of = |path: u64| path == id || merged.contains(&path);
            let mut steps = self.history.steps.iter().filter(|step| is_of(step.path) && step.current_node == *node);
            steps.any(|step| step.outcome != StepOutcome::Failed)
        };
        let undone = plan.compensations.iter().filter(|(_, of)| of.as_ref().is_none_or(has_left));
        undone.map(|(node, _)| node.clone()).collect()
    }

    /// Takes writes back, the newest first. What another path has written since then stays.
    fn take_back(&mut self, written: Vec<PastWrite>) -> Vec<Written> {
        let mut taken = Vec::new();
        for PastWrite { written, .. } in written.into_iter().rev() {
            if self.contexts.take_back(&written) {
                taken.push(written);
            }
        }
        taken
    }
}
