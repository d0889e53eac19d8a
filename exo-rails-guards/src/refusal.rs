//! What happens to an operation that a guard refuses.

use exo_rails::{Provide, RailContext};
use serde::{Deserialize, Serialize};

use crate::Finding;

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

impl OnRefusal {
    /// Reports the finding and returns the decision.
    pub(crate) fn decide<T>(self, finding: Finding, ctx: &mut RailContext) -> Provide<T> {
        let reason = finding.reason();
        finding.report(ctx);
        match self {
            Self::Skip => Provide::skip(reason),
            Self::Abort => Provide::abort(reason),
        }
    }
}
