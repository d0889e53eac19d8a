//! What a guard does with an operation that it refuses.

use exo_rails::{Provide, RailContext, RunScope};
use exo_rails_policy::{OnRefusal, Severity};

use crate::finding::Finding;

/// One check of a call. It collects the findings below the threshold of the guard, which do not refuse the call.
#[derive(Debug)]
pub(crate) struct Check {
    enforce_from: Severity,
    tolerated: Vec<Finding>,
}

impl Check {
    pub(crate) const fn new(enforce_from: Severity) -> Self {
        Self { enforce_from, tolerated: Vec::new() }
    }

    /// Adds a finding. Returns it as an error if it refuses the call.
    pub(crate) fn found(&mut self, finding: Finding) -> Result<(), Box<Finding>> {
        if finding.severity >= self.enforce_from {
            return Err(finding.into());
        }
        self.tolerated.push(finding);
        Ok(())
    }

    /// Reports the findings, as `hidden` leaves them, and returns the decision.
    pub(crate) fn decide<T>(
        self,
        result: Result<T, Box<Finding>>,
        on_refusal: OnRefusal,
        hidden: fn(Finding, &RunScope) -> Finding,
        ctx: &mut RailContext,
    ) -> Provide<T> {
        for finding in self.tolerated {
            hidden(finding, ctx).report(ctx);
        }
        let finding = match result {
            Ok(value) => return Provide::value(value),
            Err(finding) => hidden(*finding, ctx),
        };
        let reason = finding.reason();
        finding.report(ctx);
        match on_refusal {
            OnRefusal::Skip => Provide::skip(reason),
            OnRefusal::Abort => Provide::abort(reason),
        }
    }
}
