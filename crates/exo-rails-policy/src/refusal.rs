//! What happens to a refused call.

use serde::{Deserialize, Serialize};

/// What a guard does with a tool call that it refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnRefusal {
    /// The tool does not run. The model reads the reason as its output, and the run continues.
    #[default]
    Skip,
    /// The run ends.
    Abort,
}
