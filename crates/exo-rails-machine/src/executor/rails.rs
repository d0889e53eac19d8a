//! The rails of a visit: those of the user, behind one that ends the visit.

use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, RunError};

use crate::state::Live;

/// Ends a visit before the next call, when the agent has chosen an edge or a rail has ended the machine.
pub(crate) struct EndsVisit {
    pub(crate) live: Arc<Live>,
    pub(crate) path: u64,
    pub(crate) fatal: Arc<Mutex<Option<RunError>>>,
    /// The limit of the model calls in the visit.
    pub(crate) model_calls: u32,
}

impl EndsVisit {
    /// Returns whether the agent needs a new run, because it has new tools.
    fn has_new_tools(&self) -> bool {
        self.live.with(|state, _| state.visit_mut(self.path).is_some_and(|visit| visit.has_new_tools))
    }

    /// Returns whether the runs of the visit have made all the model calls that they may. `step` is the one of the current run.
    fn has_made_all_calls(&self, step: u32) -> bool {
        let before = self.live.with(|state, _| state.visit_mut(self.path).map_or(0, |visit| visit.model_calls));
        before.saturating_add(step) >= self.model_calls
    }

    fn is_over(&self) -> bool {
        let is_fatal = self.fatal.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        is_fatal || self.live.with(|state, _| state.visit_mut(self.path).is_some_and(|visit| visit.chosen.is_some()))
    }
}

// Before all rails of the user, which have priorities behind the one of the guard set.
#[rail(priority = 1)]
impl EndsVisit {
    #[on(PreToolCall)]
    fn tool(&self) -> RailAction {
        if self.is_over() { RailAction::skip("the work at this node has ended") } else { RailAction::Continue }
    }

    #[on(PreLlmCall)]
    fn model(&self, request: &ModelCallInputs, ctx: &RailContext) -> RailAction<ModelResponse> {
        if !self.is_over() && !self.has_new_tools() {
            if !self.has_made_all_calls(ctx.step()) {
                return RailAction::Continue;
            }
            let error = RunError::StepLimit { limit: self.model_calls };
            *self.fatal.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        let conversation = InvokeOutput { messages: request.messages.clone(), ..InvokeOutput::default() };
        RailAction::abort_with(conversation, "the work at this node has ended")
    }
}

rail_chain! {
    pub(crate) struct VisitRails {
        pub(crate) ends_visit: EndsVisit,
        pub(crate) rails: DynGuardSet,
    }
}
