//! Runs that wait for a decision from outside: the question, and the result of the operation so far.

use std::borrow::Cow;
use std::time::Duration;

use exo_rails_text::json::canonical;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::OperationError;
use crate::message::{InvokeInputs, InvokeOutput, ModelResponse, OperationErrorKind, ToolOutput};
use crate::point::{HookPoint, IntoReason, RailName, Reason};

/// A question to someone outside the run, such as the person who approves refunds.
///
/// A rail makes it with [`RailContext::question`](crate::RailContext::question) and looks for the answer with
/// [`RailContext::answer_to`](crate::RailContext::answer_to). If there is no answer yet, the rail
/// [suspends](crate::RailAction::suspend) the run. An answer belongs to exactly one question, with its event, turn, step,
/// tool call, text and data.
///
/// A question can be written as JSON, for a program that displays it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The [name](crate::HookPoint::name) of the event of the rail that asks. It is a text, so that a question about a custom
    /// event can be read from JSON.
    pub event: Cow<'static, str>,
    /// The number of the run in its session: see [`RunScope::turn`](crate::RunScope::turn).
    #[serde(default, skip_serializing_if = "is_first")]
    pub turn: u32,
    /// The step of the run.
    pub step: u32,
    /// The number of the tool call in its step, from 0: see
    /// [`RailContext::call_number`](crate::RailContext::call_number).
    pub call_number: u32,
    /// The text of the question, for people.
    pub text: Reason,
    /// The subject of the question, for example the arguments of a tool call.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl Question {
    pub(crate) fn new(event: HookPoint, turn: u32, step: u32, call_number: u32, text: impl IntoReason) -> Self {
        Self { event: event.name().into(), turn, step, call_number, text: text.into_reason(), data: Value::Null }
    }

    /// Sets the subject of the question. An answer is valid for these data only: if the arguments of an approved call
    /// change, the rail asks again.
    ///
    /// If the data cannot be written as JSON, they become a text that reports the error.
    #[must_use]
    pub fn with_data(mut self, data: &impl Serialize) -> Self {
        self.data = serde_json::to_value(data).unwrap_or_else(|error| Value::String(format!("not JSON: {error}")));
        self
    }

    /// Returns an id that is unique among the questions that a run asks at one time. It consists of the step, the
    /// number of the tool call, the event, and a hash of the text and the data. Use it in the link under which a person answers.
    ///
    /// A run may ask again at the same place, for example because another rail asks too, or because a person has changed the
    /// arguments of the call. The new question has another hash, so a second click on the old link does not answer it.
    ///
    /// The hash is FNV-1a with 64 bits (<https://datatracker.ietf.org/doc/draft-eastlake-fnv/>). It tells questions apart that nobody
    /// has made to look alike. It hides nothing: a person who has the id can check a guess about the data.
    #[must_use]
    pub fn id(&self) -> String {
        let (text, data) = (self.text.as_str().bytes(), canonical(&self.data));
        let hash = text
            .chain([0xff])
            .chain(data.bytes())
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        format!("{}.{}.{}.{hash:016x}", self.step, self.call_number, self.event)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_first(turn: &u32) -> bool {
    *turn == 0
}

/// A question that a suspended run waits for, with the rail that asks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The rail that asks.
    pub rail_name: RailName,
    /// The question.
    pub question: Question,
}

/// A suspended run, as its guarded operation reports it: the question, and the result of the operation so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Suspension {
    /// The question of the rail.
    pub question: Question,
    /// The result of the operation, if a rail suspended the run at an event after the operation. A resumed run uses
    /// this result and does not repeat the operation. At `Start`, it has the inputs of the run.
    ///
    /// It is `None` at other events before an operation. It is also `None` for a compaction, a request to a memory and
    /// a custom operation, and at `LlmChunk`. A resumed run repeats these operations.
    ///
    /// The records of an [`EventBus`](crate::EventBus) do not have the result, because the later rails have not seen
    /// it.
    #[serde(skip)]
    pub result: Option<Box<SuspendedResult>>,
}

impl From<Question> for Suspension {
    fn from(question: Question) -> Self {
        Self { question, result: None }
    }
}

/// The result of an operation when a rail suspended the run, with the changes of the rails before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SuspendedResult {
    /// The run has not started: its inputs.
    Start(InvokeInputs),
    /// The run has an answer.
    Finished(InvokeOutput),
    /// The model has answered.
    Response(ModelResponse),
    /// The tool has returned.
    Output(ToolOutput),
    /// The model or the tool has failed.
    Failure(SavedFailure),
}

/// An [`OperationError`] without its source, in a form that can be saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedFailure {
    /// The kind of failure.
    pub kind: OperationErrorKind,
    /// A description of the failure.
    pub message: String,
    /// The HTTP status, if the operation was a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The time to wait before the next attempt, if the server asks for it.
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
