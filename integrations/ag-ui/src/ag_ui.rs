//! The types of AG-UI: interrupts and resume entries.

use std::time::SystemTime;

use data_encoding::HEXLOWER;
use exo_rails_guards::approval::{ApprovalRequest, Remember, Reply, ReplyError, UserAnswer, UserQuestion, visible};
use exo_rails_text::json::canonical;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::object::from_object;

/// The key of our data in metadata.
const KEY: &str = "exo-rails";

/// A run waits for this: the type `Interrupt` of AG-UI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Interrupt {
    /// The id, to which the resume entry refers: the id of the request or of the question, with a hash of what the person is shown.
    pub id: String,
    /// What kind of interrupt it is: `tool_call`, `input_required`, `confirmation`, or a name with a prefix.
    pub reason: String,
    /// The text for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The id of the tool call that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The JSON Schema of the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<Value>,
    /// The time after which no response counts (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Further data. The request is under `exo-rails`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The run of the agent below this one that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent_run_id: Option<String>,
}

/// A response to an interrupt: an entry of the list `resume` in the `RunAgentInput` of AG-UI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResumeEntry {
    /// The id of the interrupt.
    pub interrupt_id: String,
    /// Whether the person has responded.
    pub status: ResumeStatus,
    /// The response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// Further data.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// Whether the person has responded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResumeStatus {
    /// The payload is the response. A refusal is a response.
    Resolved,
    /// The person does not respond.
    Cancelled,
}

/// The types of events that are here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventType {
    /// The type of [`RunFinished`].
    #[serde(rename = "RUN_FINISHED")]
    RunFinished,
}

/// The event `RUN_FINISHED` of AG-UI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunFinished {
    /// The type of the event.
    #[serde(rename = "type")]
    pub event_type: EventType,
    /// The thread.
    pub thread_id: String,
    /// The run.
    pub run_id: String,
    /// The result of a run that is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// How the run ended. `None` means that it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// It is complete.
    Success,
    /// It waits for people.
    Interrupt {
        /// What it waits for. At least one.
        interrupts: Vec<Interrupt>,
    },
}

impl RunFinished {
    /// Makes the event of a run that waits for people.
    pub fn interrupted(
        thread_id: impl Into<String>,
        run_id: impl Into<String>,
        interrupts: impl IntoIterator<Item = Interrupt>,
    ) -> Self {
        let outcome = Outcome::Interrupt { interrupts: interrupts.into_iter().collect() };
        Self {
            event_type: EventType::RunFinished,
            thread_id: thread_id.into(),
            run_id: run_id.into(),
            result: None,
            outcome: Some(outcome),
        }
    }
}

impl Interrupt {
    /// Sets the time at which the request expires, counted from `asked`. It does nothing for a request without
    /// [`expires_in_ms`](ApprovalRequest::expires_in_ms).
    #[must_use]
    pub fn asked_at(mut self, asked: SystemTime, request: &ApprovalRequest) -> Self {
        let after = request.expires_in_ms.map(std::time::Duration::from_millis);
        let expires = after.and_then(|after| asked.checked_add(after));
        self.expires_at = expires.map(|expires| humantime::format_rfc3339_millis(expires).to_string());
        self
    }
}

impl From<&ApprovalRequest> for Interrupt {
    fn from(request: &ApprovalRequest) -> Self {
        let is_called = !request.call_id.is_empty();
        Self {
            id: bound_id(&request.id, request),
            reason: if is_called { "tool_call" } else { "confirmation" }.to_owned(),
            message: Some(request.to_string()),
            tool_call_id: is_called.then(|| request.call_id.clone()),
            response_schema: Some(schema(&request.remember)),
            expires_at: None,
            metadata: metadata(&json!({ "approval": request })),
            subagent_run_id: None,
        }
    }
}

impl From<&UserQuestion> for Interrupt {
    fn from(question: &UserQuestion) -> Self {
        let mut answer = json!({ "type": "string" });
        if question.only_choices {
            answer["enum"] = json!(question.choices);
        } else if !question.choices.is_empty() {
            answer["examples"] = json!(question.choices);
        }
        let schema = json!({ "type": "object", "properties": { "answer": answer }, "required": ["answer"] });
        Self {
            id: bound_id(&question.id, question),
            reason: "input_required".to_owned(),
            message: Some(visible(&question.question).into_owned()),
            tool_call_id: (!question.call_id.is_empty()).then(|| question.call_id.clone()),
            response_schema: Some(schema),
            expires_at: None,
            metadata: metadata(&json!({ "question": question })),
            subagent_run_id: None,
        }
    }
}

impl TryFrom<&Interrupt> for ApprovalRequest {
    type Error = ResumeError;

    fn try_from(interrupt: &Interrupt) -> Result<Self, ResumeError> {
        read(&interrupt.metadata, "approval", &interrupt.id)
    }
}

impl TryFrom<&Interrupt> for UserQuestion {
    type Error = ResumeError;

    fn try_from(interrupt: &Interrupt) -> Result<Self, ResumeError> {
        read(&interrupt.metadata, "question", &interrupt.id)
    }
}

/// The bytes of a hash in the id of an interrupt.
const HASH: usize = 12;

/// Returns the id of the interrupt for a request or a question. It has a hash of everything that the person is shown, so an entry that
/// comes back is about that and nothing else, whatever has the same id.
fn bound_id(id: &str, shown: &impl Serialize) -> String {
    let hash = Sha256::digest(canonical(&json!(shown)));
    format!("{id}#{}", HEXLOWER.encode(&hash[..HASH]))
}

fn metadata(data: &Value) -> Map<String, Value> {
    Map::from_iter([(KEY.to_owned(), data.clone())])
}

fn read<T: serde::de::DeserializeOwned>(
    metadata: &Map<String, Value>,
    kind: &'static str,
    id: &str,
) -> Result<T, ResumeError> {
    let data = metadata.get(KEY).and_then(|data| data.get(kind));
    let foreign = || ResumeError::Foreign { id: id.to_owned() };
    let data = data.ok_or_else(foreign)?;
    serde_json::from_value(data.clone()).map_err(|source| ResumeError::Unreadable { id: id.to_owned(), source })
}

/// Returns the JSON Schema of the payload of a reply.
fn schema(remember: &[Remember]) -> Value {
    let mut properties = json!({
        "approved": { "type": "boolean" },
        "reason": { "type": "string", "description": "Why the call must not run. The model reads it." },
        "editedArgs": { "type": "object", "description": "Replaces all arguments of the call." },
    });
    if !remember.is_empty() {
        let description = "How long equal calls are approved. Without it, this call only.";
        properties["remember"] = json!({ "enum": remember, "description": description });
    }
    json!({ "type": "object", "properties": properties, "required": ["approved"], "additionalProperties": false })
}

/// The payload of a reply.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Payload {
    approved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edited_args: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remember: Option<Remember>,
}

impl ResumeEntry {
    /// Makes the entry with a response.
    fn resolved(id: impl Into<String>, payload: Value) -> Self {
        let metadata = Map::new();
        Self { interrupt_id: id.into(), status: ResumeStatus::Resolved, payload: Some(payload), metadata }
    }

    /// Makes the entry with the reply to a request.
    #[must_use]
    pub fn reply(request: &ApprovalRequest, reply: &Reply) -> Self {
        let refused = Payload { approved: false, reason: None, edited_args: None, remember: None };
        let payload = match reply {
            Reply::ApproveOnce | Reply::ApproveForSession | Reply::ApproveForever => {
                Payload { approved: true, remember: reply.remember(), ..refused }
            }
            Reply::Change { arguments } => Payload { approved: true, edited_args: Some(arguments.clone()), ..refused },
            Reply::Deny { reason } => Payload { reason: reason.clone(), ..refused },
            // A reply that this version does not know approves nothing.
            _ => refused,
        };
        Self::resolved(bound_id(&request.id, request), json!(payload))
    }

    /// Makes the entry with the answer to a question.
    #[must_use]
    pub fn answer(question: &UserQuestion, answer: &UserAnswer) -> Self {
        match answer {
            UserAnswer::Text(text) => Self::resolved(bound_id(&question.id, question), json!({ "answer": text })),
            // A kind of answer that this version does not know is not sent.
            _ => Self {
                interrupt_id: bound_id(&question.id, question),
                status: ResumeStatus::Cancelled,
                payload: None,
                metadata: Map::new(),
            },
        }
    }

    fn unreadable(&self, source: serde_json::Error) -> ResumeError {
        ResumeError::Unreadable { id: self.interrupt_id.clone(), source }
    }

    /// Reads the reply to a request.
    ///
    /// # Errors
    /// Returns an error if the entry is about another request, if its payload does not fit the schema, or if the request does
    /// not offer the reply.
    pub fn to_reply(&self, request: &ApprovalRequest) -> Result<Reply, ResumeError> {
        self.ensure_for(&bound_id(&request.id, request))?;
        if self.status == ResumeStatus::Cancelled {
            return Ok(Reply::deny("the person has cancelled the request"));
        }
        let payload = from_object(self.payload.as_ref()).map_err(|error| self.unreadable(error))?;
        let reply = match payload {
            Payload { approved: false, reason, edited_args: None, remember: None } => Reply::Deny { reason },
            Payload { approved: true, reason: None, edited_args: Some(arguments), remember: None }
                if arguments.is_object() =>
            {
                Reply::Change { arguments }
            }
            Payload { approved: true, reason: None, edited_args: None, remember } => match remember {
                None => Reply::ApproveOnce,
                Some(Remember::Session) => Reply::ApproveForSession,
                Some(Remember::Forever) => Reply::ApproveForever,
            },
            // Nobody can tell what the person meant.
            _ => return Err(ResumeError::Contradiction { id: self.interrupt_id.clone() }),
        };
        request.check(&reply)?;
        Ok(reply)
    }

    /// Reads the answer to a question.
    ///
    /// # Errors
    /// Returns an error if the entry is about another question, if its payload does not fit the schema, or if the answer is none
    /// of the choices.
    pub fn to_answer(&self, question: &UserQuestion) -> Result<UserAnswer, ResumeError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Answer {
            answer: String,
        }
        self.ensure_for(&bound_id(&question.id, question))?;
        if self.status == ResumeStatus::Cancelled {
            return Ok(UserAnswer::Declined);
        }
        let Answer { answer } = from_object(self.payload.as_ref()).map_err(|error| self.unreadable(error))?;
        let answer = UserAnswer::Text(answer);
        question.check(&answer)?;
        Ok(answer)
    }

    fn ensure_for(&self, id: &str) -> Result<(), ResumeError> {
        if self.interrupt_id == id {
            return Ok(());
        }
        Err(ResumeError::Unknown { id: self.interrupt_id.clone() })
    }
}

/// Reads the replies to all open requests of a run, with the ids of the requests. AG-UI requires that `resume` has a response to
/// each open interrupt and to no other.
///
/// The id of an interrupt has a hash of the request. So an entry only answers the request that the person was shown: an entry for
/// other arguments, or for a request that another agent made at the same place, is about an interrupt that is not open.
///
/// # Errors
/// Returns an error if a request has no entry or several, if an entry is about another request, if an entry cannot be read, or if two
/// requests are equal. The run then ends with the event `RUN_ERROR`.
pub fn replies(open: &[ApprovalRequest], resume: &[ResumeEntry]) -> Result<Vec<(String, Reply)>, ResumeError> {
    let ids: Vec<_> = open.iter().map(|request| bound_id(&request.id, request)).collect();
    if let Some(entry) = resume.iter().find(|entry| !ids.contains(&entry.interrupt_id)) {
        return Err(ResumeError::Unknown { id: entry.interrupt_id.clone() });
    }
    let read = open.iter().zip(&ids).map(|(request, id)| {
        if ids.iter().filter(|other| *other == id).count() > 1 {
            return Err(ResumeError::Ambiguous { id: id.clone() });
        }
        let mut entries = resume.iter().filter(|entry| entry.interrupt_id == *id);
        match (entries.next(), entries.next()) {
            (Some(entry), None) => Ok((request.id.clone(), entry.to_reply(request)?)),
            (None, _) => Err(ResumeError::Missing { id: id.clone() }),
            (Some(_), Some(_)) => Err(ResumeError::Repeated { id: id.clone() }),
        }
    });
    read.collect()
}

/// The reason why a list `resume` cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// An entry is about an interrupt that is not open.
    #[error("the interrupt `{id}` is not open")]
    Unknown {
        /// The id of the interrupt.
        id: String,
    },
    /// An open interrupt has no entry.
    #[error("the open interrupt `{id}` has no entry in `resume`: respond to all open interrupts at once")]
    Missing {
        /// The id of the interrupt.
        id: String,
    },
    /// An interrupt has several entries.
    #[error("the interrupt `{id}` has several entries in `resume`: write one")]
    Repeated {
        /// The id of the interrupt.
        id: String,
    },
    /// Two open requests are equal, so nobody can tell which of them an entry is about.
    #[error(
        "two open requests are equal and have the interrupt `{id}`: give each run an id of its own with `RunContext::with_run_id`"
    )]
    Ambiguous {
        /// The id of the interrupt.
        id: String,
    },
    /// The payload does not fit the schema of the interrupt.
    #[error("the payload for the interrupt `{id}` does not fit its schema: {source}")]
    Unreadable {
        /// The id of the interrupt.
        id: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The payload approves and refuses, or changes the arguments and remembers the approval.
    #[error(
        "the payload for the interrupt `{id}` contradicts itself: write `reason` only with `approved: false`, and \
         either `editedArgs`, an object, or `remember` with `approved: true`"
    )]
    Contradiction {
        /// The id of the interrupt.
        id: String,
    },
    /// The interrupt does not come from this library.
    #[error("the interrupt `{id}` has no request under `exo-rails` in its metadata")]
    Foreign {
        /// The id of the interrupt.
        id: String,
    },
    /// The request does not take this reply.
    #[error(transparent)]
    Reply(#[from] ReplyError),
}
