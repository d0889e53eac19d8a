//! Questions of rails about transitions.

use std::sync::Arc;

use exo_rails::events::Suspended;
use exo_rails::{GuardSet, InvokeInputs, RunContext, RunError, ServesOperation};
use exo_rails_agent::Model;

use super::{Execution, MachineError};
use crate::plan::PlanNode;
use crate::state::Asked;
use crate::tools::taken;
use crate::transition::Transition;

impl<M, R> Execution<'_, M, R>
where
    M: Model + 'static,
    R: GuardSet + ServesOperation<Transition> + 'static,
{
    /// Makes the context of the transitions of a path. Questions of rails belong to the step of the path, also when the step is
    /// repeated after the machine was suspended.
    pub(super) fn transition_context(&self, id: u64) -> RunContext {
        let step = self.live.with(|state, _| state.path(id).map_or(0, |path| path.last_step));
        let mut ctx = self.ctx.child();
        ctx.set_step(u32::try_from(step).unwrap_or(u32::MAX));
        ctx
    }

    /// Notes the question that a rail asks about a transition, and tells the rails of [`Suspended`].
    pub(super) async fn suspend(&self, id: u64, node: &PlanNode, error: RunError) -> MachineError {
        let question = error.open_question();
        self.live.with(|state, _| {
            if let Some(path) = state.path_mut(id) {
                path.question.clone_from(&question);
            }
        });
        if let Some(question) = &question {
            let (inputs, mut ctx) = (InvokeInputs::default(), self.transition_context(id));
            // A rail that faults here must not hide the question.
            if let Err(fault) = self.executor.rails.dispatch::<Suspended>((&inputs, question), &mut ctx).await {
                tracing::warn!(node = node.path, %fault, "a rail of `Suspended` has failed");
            }
        }
        MachineError::Suspended { node: node.path.clone(), error }
    }

    /// Lets the rails decide about the edge that the agent wants to take. If the agent does not leave the node by it, the agent
    /// reads what has happened, and works on.
    pub(super) async fn decide_asked(&self, id: u64, node: &PlanNode, asked: Asked) -> Result<(), MachineError> {
        let is_it = |edge: &&Arc<crate::plan::PlanEdge>| {
            !edge.is_auto && (&edge.tool, &edge.target) == (&asked.tool, &asked.target)
        };
        let desk = self.desk(id, node, &Arc::default());
        let said = match node.edges.iter().find(is_it) {
            None => Some(format!("the machine has no edge to `{}` now", asked.target)),
            Some(edge) => match desk.transition(edge, asked.reason).await {
                Ok(record) => {
                    let is_over =
                        self.live.with(|state, _| state.visit_mut(id).is_some_and(|visit| visit.chosen.is_some()));
                    (!is_over).then(|| taken(edge, &record))
                }
                Err(error @ (RunError::Operation(_) | RunError::RetriesExhausted(_))) => Some(error.to_string()),
                Err(error) if error.suspension().is_some() => return Err(self.suspend(id, node, error).await),
                Err(error) => return Err(MachineError::Run { node: node.path.clone(), error }),
            },
        };
        self.live.with(|state, _| {
            if let Some(visit) = state.visit_mut(id) {
                (visit.asked, visit.effect) = (None, None);
            }
        });
        said.map_or(Ok(()), |said| self.go_on(id, node, said))
    }
}
