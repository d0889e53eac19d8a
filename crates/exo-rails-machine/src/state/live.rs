//! The state while the machine runs, shared by the executor and the tools of its nodes.

use std::sync::{Arc, Mutex, PoisonError};

use super::{MachineState, Path};
use crate::conditions::{ConditionError, Facts};
use crate::plan::{Plan, PlanEdge, PlanNode};

pub(crate) struct Live(Mutex<Inner>);

struct Inner {
    state: MachineState,
    plan: Arc<Plan>,
}

impl Live {
    pub(crate) fn new(state: MachineState, plan: Arc<Plan>) -> Self {
        Self(Mutex::new(Inner { state, plan }))
    }

    /// Calls a function with the state. No one else reads or writes it meanwhile, so the function must be short.
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut MachineState, &Arc<Plan>) -> R) -> R {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *inner;
        change(&mut inner.state, &inner.plan)
    }

    /// Replaces the plan.
    pub(crate) fn set_plan(&self, plan: Arc<Plan>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).plan = plan;
    }

    pub(crate) fn plan(&self) -> Arc<Plan> {
        self.with(|_, plan| Arc::clone(plan))
    }

    pub(crate) fn snapshot(&self) -> MachineState {
        self.with(|state, _| state.clone())
    }

    pub(crate) fn into_state(self) -> MachineState {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).state
    }

    /// Returns whether an edge may be taken now: its condition is true, or it has none.
    pub(crate) fn is_open(&self, edge: &PlanEdge, path: u64) -> Result<bool, ConditionError> {
        let Some(condition) = &edge.condition else { return Ok(true) };
        self.with(|state, _| {
            let at = state.path(path);
            let facts = Facts {
                errors: &state.errors,
                node: at.map_or("", |path| &*path.node),
                item: at.and_then(|path| path.item.as_ref()),
            };
            condition.is_met(&state.contexts, &facts)
        })
    }

    /// Returns the node of a path, in the current plan.
    pub(crate) fn node(&self, path: u64) -> Option<Arc<PlanNode>> {
        self.with(|state, plan| state.path(path).and_then(|path: &Path| plan.node(&path.node).cloned()))
    }
}
