//! What rails ask people, and what these have answered.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{RailContext, RunContext};
use crate::error::Question;
use crate::point::IntoReason;

/// The answers that a run has.
#[derive(Clone, Default)]
pub(super) struct Answers(pub(super) Vec<(Question, Value)>);

impl RailContext {
    /// A question to somebody outside the run, at this event, step and tool call: see
    /// [`RailAction::suspend`](crate::RailAction::suspend).
    #[must_use]
    pub fn question(&self, text: impl IntoReason) -> Question {
        Question::new(self.event(), self.step(), self.call_number(), text)
    }

    /// The answer to this question; `None` when there is none yet.
    ///
    /// An answer holds until the run begins again from its start, because a rail asks for a retry of the whole run: a call that
    /// is then made once more is asked about once more.
    ///
    /// # Errors
    /// When the answer is not a `T`. A rail that returns the error faults: nothing is let through by an answer that it cannot
    /// read.
    pub fn answer_to<T: DeserializeOwned>(&self, question: &Question) -> serde_json::Result<Option<T>> {
        let Answers(answers) = self.run.get().unwrap_or_default();
        let answer = answers.into_iter().find(|(asked, _)| asked == question);
        answer.map(|(_, answer)| serde_json::from_value(answer)).transpose()
    }

    pub(crate) fn forget_answers(&self) {
        let _ = self.run.remove::<Answers>();
    }
}

impl RunContext {
    /// Answers a question that a rail has asked in this run. A second answer takes the place of the first.
    ///
    /// The [example](crate::RailAction::suspend) is with the action that suspends a run.
    pub fn answer(&self, question: Question, answer: impl Into<Value>) {
        let answer = answer.into();
        self.run.update(|Answers(answers): &mut Answers| {
            answers.retain(|(answered, _)| *answered != question);
            answers.push((question, answer));
        });
    }
}
