//! Questions of rails to people, and the answers.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{RailContext, RunContext};
use crate::error::Question;
use crate::point::IntoReason;

/// The answers that a run has.
#[derive(Clone, Default)]
pub(super) struct Answers(pub(super) Vec<(Question, Value)>);

impl RailContext {
    /// Makes a question to someone outside the run, about this event, step and tool call: see
    /// [`RailAction::suspend`](crate::RailAction::suspend).
    #[must_use]
    pub fn question(&self, text: impl IntoReason) -> Question {
        Question::new(self.event(), self.step(), self.call_number(), text)
    }

    /// Returns the answer to this question, or `None` if there is no answer yet.
    ///
    /// An answer is valid until a rail asks for a retry of the whole run. If the run then makes the same call again,
    /// the rail asks again.
    ///
    /// # Errors
    /// Returns an error if the answer is not a `T`. A rail that returns this error faults, so an unreadable answer lets
    /// nothing pass.
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
    /// Adds the answer to a question that a rail has asked in this run. A second answer replaces the first.
    ///
    /// See the [example](crate::RailAction::suspend) at the action that suspends a run.
    pub fn answer(&self, question: Question, answer: impl Into<Value>) {
        let answer = answer.into();
        self.run.update(|Answers(answers): &mut Answers| {
            answers.retain(|(answered, _)| *answered != question);
            answers.push((question, answer));
        });
    }
}
