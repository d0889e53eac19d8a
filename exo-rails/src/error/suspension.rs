//! Runs that wait for a decision from outside: what is asked, and what had happened when the rail asked.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::OperationError;
use crate::message::{InvokeInputs, InvokeOutput, ModelResponse, OperationErrorKind, ToolOutput};
use crate::point::{HookPoint, IntoReason, RailName, Reason};

/// What a rail asks somebody outside the run, such as the person who approves refunds.
///
/// A rail makes it with [`RailContext::question`](crate::RailContext::question), looks for the answer with
/// [`RailContext::answer_to`](crate::RailContext::answer_to), and [suspends](crate::RailAction::suspend) the run when there is
/// none yet. An answer is for exactly this question: for its event, its step and its tool call, its text and its data.
///
/// It can be written as JSON, for the program that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The event whose rail asks.
    pub event: HookPoint,
    /// The step of the run.
    pub step: u32,
    /// Which of the tool calls of its step it is about, from 0: see [`RailContext::call_number`](crate::RailContext::call_number).
    pub call_number: u32,
    /// What is asked, for people.
    pub text: Reason,
    /// What it is asked about: the arguments of a tool call, say.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl Question {
    pub(crate) fn new(event: HookPoint, step: u32, call_number: u32, text: impl IntoReason) -> Self {
        Self { event, step, call_number, text: text.into_reason(), data: Value::Null }
    }

    /// The same question with what it is about. An answer is for these data only: when a call is approved and then its
    /// arguments change, the rail asks again.
    ///
    /// What cannot be written as JSON becomes a text that says so.
    #[must_use]
    pub fn with_data(mut self, data: &impl Serialize) -> Self {
        self.data = serde_json::to_value(data).unwrap_or_else(|error| Value::String(format!("not JSON: {error}")));
        self
    }

    /// A name of the question that is unique among those that a run asks at one time: its step, the number of the tool call,
    /// and the event. For the link under which somebody answers.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}.{}.{}", self.step, self.call_number, self.event)
    }
}

/// A question that a suspended run waits for, and the rail that asks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The rail that asks.
    pub rail_name: RailName,
    /// What it asks.
    pub question: Question,
}

/// A run that a rail has suspended, as its guarded operation reports it: the question, and what the operation had come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Suspension {
    /// What the rail asks.
    pub question: Question,
    /// What the operation had come to when a rail on an event after it suspended the run. The operation is not done again:
    /// when the run goes on, this is its result. `None` at the events before an operation, and where the output of a custom
    /// operation is not known here: then the operation begins anew.
    ///
    /// It is not part of the records of an [`EventBus`](crate::EventBus), because the rails after this one have not seen it.
    #[serde(skip)]
    pub result: Option<Box<SuspendedResult>>,
}

impl From<Question> for Suspension {
    fn from(question: Question) -> Self {
        Self { question, result: None }
    }
}

/// What an operation had come to when a rail suspended the run, as the rails before that one have left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SuspendedResult {
    /// The run has not begun: the inputs.
    Start(InvokeInputs),
    /// The run has its answer.
    Finished(InvokeOutput),
    /// The model has answered.
    Response(ModelResponse),
    /// The tool has returned.
    Output(ToolOutput),
    /// The model or the tool has failed.
    Failure(SavedFailure),
}

/// What can be kept of an [`OperationError`]: all but the error underneath.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedFailure {
    /// What kind of failure it is.
    pub kind: OperationErrorKind,
    /// What happened.
    pub message: String,
    /// The HTTP status, when the operation was a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the other side asks to wait before the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
}

impl From<&OperationError> for SavedFailure {
    fn from(error: &OperationError) -> Self {
        let OperationError { kind, status, retry_after, .. } = *error;
        Self { kind, message: error.message.clone(), status, retry_after }
    }
}

impl From<SavedFailure> for OperationError {
    fn from(saved: SavedFailure) -> Self {
        let SavedFailure { kind, message, status, retry_after } = saved;
        Self { status, retry_after, ..Self::new(kind, message) }
    }
}
