//! Shows each saved state in the playground.

use std::sync::{Arc, Weak};

use exo_rails::OperationError;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Checkpoint, MachineState, StateSink};

use super::playground::Playground;
use crate::saved::keep_turns;

/// Gives each state to the playground.
pub(super) struct Shown {
    pub(super) playground: Weak<Playground>,
    pub(super) script: Option<Arc<ScriptedModel>>,
}

impl StateSink for Shown {
    async fn save(&self, mut state: MachineState) -> Result<(), OperationError> {
        keep_turns(&mut state, self.script.as_deref());
        if let Some(playground) = self.playground.upgrade() {
            playground.show(state);
        }
        Ok(())
    }

    /// The page saves nothing.
    async fn keep(&self, _: Checkpoint) -> Result<(), OperationError> {
        Ok(())
    }
}
