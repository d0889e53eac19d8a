//! What happens to an operation that a guard refuses.

#[cfg(any(feature = "paths", feature = "urls"))]
use exo_rails::{Provide, RailContext};
use serde::{Deserialize, Serialize};

#[cfg(any(feature = "paths", feature = "urls"))]
use crate::{Finding, Severity};

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

#[cfg(any(feature = "paths", feature = "urls"))]
/// One check of a call: the findings that do not refuse it, because they are below the threshold of the guard.
#[derive(Debug)]
pub(crate) struct Check {
    enforce_from: Severity,
    tolerated: Vec<Finding>,
}

#[cfg(any(feature = "paths", feature = "urls"))]
impl Check {
    pub(crate) const fn new(enforce_from: Severity) -> Self {
        Self { enforce_from, tolerated: Vec::new() }
    }

    /// Adds a finding. The check goes on if the finding does not refuse the call.
    pub(crate) fn found(&mut self, finding: Finding) -> Result<(), Box<Finding>> {
        if finding.severity >= self.enforce_from {
            return Err(finding.into());
        }
        self.tolerated.push(finding);
        Ok(())
    }

    /// Reports the findings, and returns the decision.
    pub(crate) fn decide<T>(
        self,
        result: Result<T, Box<Finding>>,
        on_refusal: OnRefusal,
        ctx: &mut RailContext,
    ) -> Provide<T> {
        for finding in self.tolerated {
            finding.report(ctx);
        }
        let finding = match result {
            Ok(value) => return Provide::value(value),
            Err(finding) => finding,
        };
        let reason = finding.reason();
        finding.report(ctx);
        match on_refusal {
            OnRefusal::Skip => Provide::skip(reason),
            OnRefusal::Abort => Provide::abort(reason),
        }
    }
}
