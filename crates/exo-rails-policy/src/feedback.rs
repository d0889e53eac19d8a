//! What happens after the last explanation.

use serde::{Deserialize, Serialize};

/// The effect of a mistake in a tool call after the model has read the greatest number of explanations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterFeedback {
    /// The call is skipped, and the model reads only that it must not repeat the call.
    #[default]
    Skip,
    /// The run ends.
    Abort,
}
