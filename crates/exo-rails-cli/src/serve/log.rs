//! The log of the playground.

use exo_rails_machine::{HistoryStep, StepOutcome, TransitionType};
use serde::Serialize;

use crate::progress;

/// What a line is about. The page has a colour for each.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// What the person at the page did.
    Command,
    /// A step that the machine decided.
    Automated,
    /// A step that the agent decided.
    Agent,
    /// A detail of a step.
    Detail,
    /// A failure.
    Error,
    /// The machine has ended.
    End,
}

/// A line of the log.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    pub(super) time: String,
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// Returns the lines of a step.
pub(super) fn lines(step: &HistoryStep) -> Vec<Line> {
    let kind = match (step.outcome, step.transition_type) {
        (StepOutcome::Failed, _) => Kind::Error,
        (_, TransitionType::AgentControlled) => Kind::Agent,
        (_, TransitionType::Automated) => Kind::Automated,
    };
    let line = |kind, text| Line { time: step.timestamp.clone(), kind, text };
    let details = progress::details(step).into_iter().map(|text| line(Kind::Detail, text));
    let errors = step.errors.iter().map(|error| line(Kind::Error, progress::shown(error)));
    std::iter::once(line(kind, progress::sentence(step))).chain(details).chain(errors).collect()
}
