//! What the handlers of one event have decided together.

use exo_rails_policy::Severity;

use super::output::{Answer, Decision};
use super::{HandlerError, OnBlock};
use crate::finding::Finding;

pub(super) const GUARD: &str = "hook_handlers";

/// The decision of all handlers of an event: the strictest one, with the reasons of all handlers that made it.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    decision: Option<Decision>,
    /// The reasons for asking and for blocking, each with the name of its handler.
    asked: Vec<String>,
    blocked: Vec<String>,
    aborts: bool,
    /// The first fault of a handler whose fail mode is closed.
    pub(super) fault: Option<HandlerError>,
}

/// What the guard does.
pub(super) enum Effect {
    Continue,
    /// The reason, for the effect that the event has.
    Refuse(Finding),
    /// The reason why the run ends.
    Abort(Finding),
    /// The question for a person.
    Ask(Finding),
}

impl Outcome {
    pub(super) fn add(&mut self, handler: &str, on_block: OnBlock, answer: &Answer) {
        let Some(decision) = answer.decision else { return };
        self.decision = self.decision.max(Some(decision));
        let reason = answer.reason.as_deref().unwrap_or("no reason given");
        match decision {
            Decision::Allow => {}
            Decision::Ask => self.asked.push(format!("{handler}: {reason}")),
            Decision::Block => {
                self.blocked.push(format!("{handler}: {reason}"));
                self.aborts |= on_block == OnBlock::Abort;
            }
        }
    }

    /// Turns the decisions into an effect. The fault of a handler comes before every decision.
    pub(super) fn effect(self) -> Result<Effect, HandlerError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let finding = |rule, severity, reasons: &[String]| Finding::new(GUARD, rule, severity, reasons.join("; "));
        Ok(match self.decision {
            None | Some(Decision::Allow) => Effect::Continue,
            Some(Decision::Ask) => Effect::Ask(finding("ask", Severity::Medium, &self.asked)),
            Some(Decision::Block) if self.aborts => Effect::Abort(finding("block", Severity::High, &self.blocked)),
            Some(Decision::Block) => Effect::Refuse(finding("block", Severity::High, &self.blocked)),
        })
    }
}
