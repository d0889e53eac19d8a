//! Questions of rails to people, and the answers.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::current_operation::{CurrentOperation, NONE};
use super::{RailContext, RunContext};
use crate::error::{Question, RunError};
use crate::point::IntoReason;

/// The answers that a run has.
#[derive(Default)]
pub(super) struct Answers(Vec<Answer>);

#[derive(Clone)]
struct Answer {
    question: Question,
    value: Value,
    /// The number of the operation whose rails have read the answer, or [`NONE`].
    read_in: u32,
}

impl Answers {
    pub(super) fn restored(saved: Vec<(Question, Value)>) -> Self {
        Self(saved.into_iter().map(|(question, value)| Answer { question, value, read_in: NONE }).collect())
    }

    /// Returns the answers that are not used up. The operation of the context that saves them has ended.
    pub(super) fn saved(&self, ended: &CurrentOperation) -> Vec<(Question, Value)> {
        let ended = ended.known_number();
        let valid = self.0.iter().filter(|answer| answer.read_in == NONE || answer.read_in != ended);
        valid.map(|answer| (answer.question.clone(), answer.value.clone())).collect()
    }

    /// Returns the answer to a question if no other operation has read it.
    fn valid(&self, question: &Question, operation: u32) -> Option<usize> {
        let is_valid =
            |answer: &Answer| answer.question == *question && (answer.read_in == NONE || answer.read_in == operation);
        self.0.iter().position(is_valid)
    }
}

impl RailContext {
    /// Makes a question to someone outside the run, about this event, turn, step and tool call: see
    /// [`RailAction::suspend`](crate::RailAction::suspend).
    #[must_use]
    pub fn question(&self, text: impl IntoReason) -> Question {
        Question::new(self.event(), self.turn(), self.step(), self.call_number(), text)
    }

    /// Returns the answer to this question, or `None` if there is no valid answer.
    ///
    /// An answer is valid for one operation. When the rails of an operation have read the answer and its guard returns, the
    /// answer is used up, and an equal call asks again:
    ///
    /// - A retry belongs to the same operation, so the answer stays valid. A retry of the whole run makes all its answers
    ///   invalid.
    /// - If the guard returns because a rail has suspended the run, the answer stays valid. The rails run again when the run
    ///   is resumed.
    /// - If the guard is dropped, the answer is used up, because the operation may have happened.
    ///
    /// If you call [`dispatch`](crate::GuardSet::dispatch) yourself, there is no guard that ends. The answer then stays valid
    /// at its step.
    ///
    /// # Errors
    /// Returns an error if the answer is not a `T`. A rail that returns this error faults, so an unreadable answer lets
    /// nothing pass.
    pub fn answer_to<T: DeserializeOwned>(&self, question: &Question) -> serde_json::Result<Option<T>> {
        self.read_answer(question).map(serde_json::from_value).transpose()
    }

    fn read_answer(&self, question: &Question) -> Option<Value> {
        // A rail in shadow uses up no answer. If it wrote to the store, it would not see later answers.
        let known = self.run.read(|answers: &Answers| {
            let operation = self.operation.number();
            let at = answers.valid(question, operation)?;
            Some((operation, answers.0[at].value.clone()))
        });
        let (operation, value) = known??;
        if self.is_shadow() || operation == NONE {
            return Some(value);
        }
        // Another operation may have read the answer in between.
        self.run.update(|answers: &mut Answers| {
            let at = answers.valid(question, operation)?;
            answers.0[at].read_in = operation;
            Some(answers.0[at].value.clone())
        })
    }

    /// Starts an operation: its first attempt.
    #[inline]
    pub(crate) fn begin_operation(&mut self) {
        self.operation.begin();
        self.begin_attempt(0);
    }

    /// Ends an operation with this error, or with a result.
    #[inline]
    pub(crate) fn end_operation(&mut self, error: Option<&RunError>) {
        self.operation_end = None;
        self.is_spent = false;
        if let Some(operation) = self.operation.end() {
            self.use_answers_up(operation, error);
        }
    }

    #[cold]
    fn use_answers_up(&self, operation: u32, error: Option<&RunError>) {
        if operation == NONE {
            return;
        }
        let is_suspended = error.is_some_and(|error| error.suspension().is_some());
        self.run.update(|Answers(answers): &mut Answers| {
            if is_suspended {
                let read = answers.iter_mut().filter(|answer| answer.read_in == operation);
                read.for_each(|answer| answer.read_in = NONE);
            } else {
                answers.retain(|answer| answer.read_in != operation);
            }
        });
    }

    pub(crate) fn forget_answers(&self) {
        let _ = self.run.remove::<Answers>();
    }
}

impl RunContext {
    /// Adds the answer to a question that a rail has asked in this run. A second answer replaces the first.
    ///
    /// The answer is valid for one operation: see [`answer_to`](RailContext::answer_to). After this operation, an equal call
    /// in the same context asks again.
    ///
    /// See the [example](crate::RailAction::suspend) at the action that suspends a run.
    pub fn answer(&self, question: Question, answer: impl Into<Value>) {
        let value = answer.into();
        self.run.update(|Answers(answers): &mut Answers| {
            answers.retain(|answer| answer.question != question);
            answers.push(Answer { question, value, read_in: NONE });
        });
    }
}
