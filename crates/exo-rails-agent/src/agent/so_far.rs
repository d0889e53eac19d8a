//! What a run did before it failed or was suspended.

use exo_rails::message::{Messages, Usage};
use serde::{Deserialize, Serialize};

/// Everything that a run did before it failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSoFar {
    /// The conversation, as the rails let it pass. It is empty if the run failed before its first step.
    ///
    /// Each tool call has an output. If a call had not returned when the run failed, its output says so. The conversation
    /// lacks an answer that the rails of [`Finished`](exo_rails::events::Finished) refused. A new run can continue this
    /// conversation.
    #[serde(default)]
    pub messages: Messages,
    /// The tokens of all model calls together. Includes the calls whose answer a rail refused.
    #[serde(default)]
    pub usage: Usage,
    /// The number of steps that the run has begun. The last of them has failed.
    #[serde(default)]
    pub steps: u32,
}
