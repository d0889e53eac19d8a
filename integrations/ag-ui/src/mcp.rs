//! Requests and replies in the form of MCP: elicitation.
//!
//! In the [Model Context Protocol][MCP], a server asks the user with a request `elicitation/create` in the mode `form`, and the
//! client returns an action: `accept` with the content of the form, `decline`, or `cancel`. The types here are the parameters and
//! the result of this request, by the revision 2025-11-25.
//!
//! The form of an approval has one field `decision`. A schema in MCP is flat, so changed arguments are a text with JSON:
//!
//! | [`Reply`] | content of the form |
//! |---|---|
//! | `ApproveOnce`, `ApproveForSession`, `ApproveForever` | `{ "decision": "approve_once" }`, `"approve_for_session"`, `"approve_forever"` |
//! | `Deny` | `{ "decision": "deny", "reason": "…" }`, the reason is optional |
//! | `Change` | `{ "decision": "change", "arguments": "{\"to\":\"bob\"}" }` |
//!
//! The actions `decline` and `cancel` deny. A question of the model has one field `answer`. The request itself is in `_meta`,
//! under `exo-rails/approval` or `exo-rails/question`, so that the conversions lose nothing.
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails_ag_ui::mcp;
//! use exo_rails_guards::approval::{ApprovalRequest, Reply};
//! use serde_json::{from_value, json};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let call = ToolCallInputs::new("deploy");
//! let request = ApprovalRequest::new("approval", "deploy", &call, "releases need approval", &RunContext::new("release"));
//! let params = mcp::ElicitParams::from(&request);
//! let message = json!({ "jsonrpc": "2.0", "id": 1, "method": mcp::METHOD, "params": params });
//! assert_eq!(message["params"]["requestedSchema"]["required"], json!(["decision"]));
//!
//! let result: mcp::ElicitResult = from_value(json!({ "action": "accept", "content": { "decision": "approve_once" } }))?;
//! assert_eq!(result.to_reply(&request)?, Reply::ApproveOnce);
//! # Ok(()) }
//! ```
//!
//! [MCP]: https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation

use exo_rails_guards::approval::{ApprovalRequest, Remember, Reply, ReplyError, UserAnswer, UserQuestion, visible};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::object::from_object;

/// The name of the method.
pub const METHOD: &str = "elicitation/create";

const APPROVAL: &str = "exo-rails/approval";
const QUESTION: &str = "exo-rails/question";

/// The parameters of `elicitation/create` in the mode `form`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitParams {
    /// The mode. `None` means a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitMode>,
    /// The text for the person.
    pub message: String,
    /// The JSON Schema of the content: an object whose fields are texts, numbers, truth values or choices.
    pub requested_schema: Value,
    /// Further data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

/// The mode of an elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitMode {
    /// The client shows a form.
    Form,
}

/// The result of `elicitation/create`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the person did.
    pub action: ElicitAction,
    /// The content of the form, for [`ElicitAction::Accept`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// Further data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

/// What the person did with an elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// The person has sent the form.
    Accept,
    /// The person refuses.
    Decline,
    /// The person has closed the form without a choice.
    Cancel,
}

impl From<&ApprovalRequest> for ElicitParams {
    fn from(request: &ApprovalRequest) -> Self {
        let mut choices = vec![json!({ "const": "approve_once", "title": "Approve this call" })];
        choices.extend(request.remember.iter().map(|remember| match remember {
            Remember::Session => {
                json!({ "const": "approve_for_session", "title": "Approve equal calls in this session" })
            }
            Remember::Forever => json!({ "const": "approve_forever", "title": "Always approve equal calls" }),
        }));
        choices.push(json!({ "const": "deny", "title": "Refuse" }));
        choices.push(json!({ "const": "change", "title": "Approve with other arguments" }));
        let properties = json!({
            "decision": { "type": "string", "title": "Decision", "oneOf": choices },
            "reason": { "type": "string", "title": "Reason", "description": "Why the call must not run. The model reads it." },
            "arguments": { "type": "string", "title": "Arguments", "description": "The other arguments, as JSON." },
        });
        let schema = json!({ "type": "object", "properties": properties, "required": ["decision"] });
        Self::form(request.to_string(), schema, APPROVAL, json!(request))
    }
}

impl From<&UserQuestion> for ElicitParams {
    fn from(question: &UserQuestion) -> Self {
        let mut answer = json!({ "type": "string", "title": "Answer" });
        if question.only_choices {
            answer["enum"] = json!(question.choices);
        } else if !question.choices.is_empty() {
            answer["description"] = json!(format!("For example: {}", visible(&question.choices.join(", "))));
        }
        let schema = json!({ "type": "object", "properties": { "answer": answer }, "required": ["answer"] });
        Self::form(visible(&question.question).into_owned(), schema, QUESTION, json!(question))
    }
}

impl ElicitParams {
    fn form(message: String, requested_schema: Value, key: &str, request: Value) -> Self {
        let meta = Map::from_iter([(key.to_owned(), request)]);
        Self { mode: Some(ElicitMode::Form), message, requested_schema, meta }
    }

    fn read<T: serde::de::DeserializeOwned>(&self, key: &'static str) -> Result<T, ElicitError> {
        let data = self.meta.get(key).ok_or(ElicitError::Foreign { key })?;
        serde_json::from_value(data.clone()).map_err(ElicitError::Unreadable)
    }
}

impl TryFrom<&ElicitParams> for ApprovalRequest {
    type Error = ElicitError;

    fn try_from(params: &ElicitParams) -> Result<Self, ElicitError> {
        params.read(APPROVAL)
    }
}

impl TryFrom<&ElicitParams> for UserQuestion {
    type Error = ElicitError;

    fn try_from(params: &ElicitParams) -> Result<Self, ElicitError> {
        params.read(QUESTION)
    }
}

/// The content of the form of an approval.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    decision: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

impl ElicitResult {
    fn accept(content: Value) -> Self {
        Self { action: ElicitAction::Accept, content: Some(content), meta: Map::new() }
    }

    /// Reads the reply to a request.
    ///
    /// # Errors
    /// Returns an error if the content does not fit the schema, or if the request does not offer the reply.
    pub fn to_reply(&self, request: &ApprovalRequest) -> Result<Reply, ElicitError> {
        match self.action {
            ElicitAction::Accept => {}
            ElicitAction::Decline => return Ok(Reply::Deny { reason: None }),
            ElicitAction::Cancel => return Ok(Reply::deny("the person has closed the request")),
        }
        let Form { decision, reason, arguments } =
            from_object(self.content.as_ref()).map_err(ElicitError::Unreadable)?;
        // Clients send empty fields of a form.
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        let arguments = arguments.filter(|arguments| !arguments.trim().is_empty());
        let reply = match (decision.as_str(), reason, arguments) {
            ("approve_once", None, None) => Reply::ApproveOnce,
            ("approve_for_session", None, None) => Reply::ApproveForSession,
            ("approve_forever", None, None) => Reply::ApproveForever,
            ("deny", reason, None) => Reply::Deny { reason },
            ("change", None, Some(arguments)) => match serde_json::from_str(&arguments) {
                Ok(arguments @ Value::Object(_)) => Reply::Change { arguments },
                Ok(_) => return Err(ElicitError::NotAnObject),
                Err(error) => return Err(ElicitError::Unreadable(error)),
            },
            _ => return Err(ElicitError::Contradiction { decision }),
        };
        request.check(&reply)?;
        Ok(reply)
    }

    /// Reads the answer to a question.
    ///
    /// # Errors
    /// Returns an error if the content does not fit the schema, or if the answer is none of the choices.
    pub fn to_answer(&self, question: &UserQuestion) -> Result<UserAnswer, ElicitError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Answer {
            answer: String,
        }
        if self.action != ElicitAction::Accept {
            return Ok(UserAnswer::Declined);
        }
        let Answer { answer } = from_object(self.content.as_ref()).map_err(ElicitError::Unreadable)?;
        let answer = UserAnswer::Text(answer);
        question.check(&answer)?;
        Ok(answer)
    }
}

impl From<&Reply> for ElicitResult {
    fn from(reply: &Reply) -> Self {
        Self::accept(match reply {
            Reply::ApproveOnce => json!({ "decision": "approve_once" }),
            Reply::ApproveForSession => json!({ "decision": "approve_for_session" }),
            Reply::ApproveForever => json!({ "decision": "approve_forever" }),
            Reply::Deny { reason: Some(reason) } => json!({ "decision": "deny", "reason": reason }),
            Reply::Change { arguments } => json!({ "decision": "change", "arguments": arguments.to_string() }),
            // A refusal without a reason. A reply that this version does not know approves nothing either.
            _ => json!({ "decision": "deny" }),
        })
    }
}

impl From<&UserAnswer> for ElicitResult {
    fn from(answer: &UserAnswer) -> Self {
        match answer {
            UserAnswer::Text(text) => Self::accept(json!({ "answer": text })),
            // A kind of answer that this version does not know is not sent.
            _ => Self { action: ElicitAction::Decline, content: None, meta: Map::new() },
        }
    }
}

/// The reason why the result of an elicitation cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ElicitError {
    /// The content does not fit the schema of the request.
    #[error("the content of the elicitation does not fit its schema: {0}")]
    Unreadable(#[source] serde_json::Error),
    /// The fields do not belong to the decision.
    #[error(
        "the fields do not fit the decision `{decision}`: write `reason` only with `deny`, and `arguments` only with `change`"
    )]
    Contradiction {
        /// The decision.
        decision: String,
    },
    /// The changed arguments are not an object.
    #[error("the changed arguments are not a JSON object: write all arguments of the call, such as {{\"to\":\"bob\"}}")]
    NotAnObject,
    /// The elicitation does not come from this library.
    #[error("the elicitation has no request under `{key}` in `_meta`")]
    Foreign {
        /// The key.
        key: &'static str,
    },
    /// The request does not take this reply.
    #[error(transparent)]
    Reply(#[from] ReplyError),
}
