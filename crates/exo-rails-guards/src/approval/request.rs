//! The request for an approval, and the reply.

use std::borrow::Cow;
use std::fmt;

use exo_rails::{Question, RailContext, ToolCallInputs};
use exo_rails_policy::approval::{OnTimeout, Remember};
use exo_rails_text::json::canonical;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ReplyError;
use super::visible::shortened;
use crate::finding::{Finding, Findings};

/// The number of characters of each part in the text of a request.
const TEXT: usize = 2_000;

/// A request to a person: may the agent make this tool call?
///
/// Two requests about the same call are equal, so a program can compare a request with a stored one. For this reason, a
/// request has no time of day.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::ApprovalRequest;
/// use serde_json::json;
///
/// let call = ToolCallInputs::new("refund").with_arguments(json!({ "order": 7 }));
/// let ctx = RunContext::new("support").with_run_id("run-1");
/// let request = ApprovalRequest::new("permissions", "refunds", &call, "a person approves each refund", &ctx);
/// assert_eq!(request.to_string(), r#"`refund` with {"order":7}: a person approves each refund (permissions/refunds)"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The id. It is unique among the requests of a program if the ids of its runs are: see
    /// [`RunContext::with_run_id`](exo_rails::RunContext::with_run_id). It names the agent, because agents
    /// can work at the same time in one run. Two agents of the same name can still make requests with the same id: compare the whole
    /// request, or reply to the [`Pending`](super::Pending).
    pub id: String,
    /// The id of the tool call, by which the model finds the output. Empty if no model asked for the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call_id: String,
    /// The name of the agent that wants to make the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments of the call, as the person sees them. An approval is valid for these arguments only.
    pub arguments: Value,
    /// The guard that asks, such as `permissions`.
    pub guard: Cow<'static, str>,
    /// The rule of the guard that asks.
    pub rule: Cow<'static, str>,
    /// Why the guard asks, for the person.
    pub reason: Cow<'static, str>,
    /// What the guards have seen in the call so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The time after which the request expires, in milliseconds, from the moment when the person is asked. `None` leaves the
    /// limit to the type that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_ms: Option<u64>,
    /// What happens if nobody replies in time. `None` leaves it to the type that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// How long an approval may be remembered, beside an approval of this one call. Default: for the session and for ever.
    #[serde(default = "Remember::all")]
    pub remember: Vec<Remember>,
    /// The JSON Schema of the reply: see [`Reply::schema`].
    pub answer_schema: Value,
}

/// Returns the place of a call in its session: the turn and the step. In the first turn, this is the step alone.
pub(super) fn place(turn: u32, step: u32) -> String {
    if turn == 0 { step.to_string() } else { format!("{turn}.{step}") }
}

impl ApprovalRequest {
    /// Makes a request about a tool call, with the findings that the guards have reported at this event.
    #[must_use]
    pub fn new(
        guard: impl Into<Cow<'static, str>>,
        rule: impl Into<Cow<'static, str>>,
        call: &ToolCallInputs,
        reason: impl Into<Cow<'static, str>>,
        ctx: &RailContext,
    ) -> Self {
        let (guard, rule, reason) = (guard.into(), rule.into(), reason.into());
        let findings = ctx.extra.get().map(|Findings(findings)| findings.clone()).unwrap_or_default();
        Self {
            id: format!(
                "{}/{}/{}.{}/{guard}",
                ctx.run_id(),
                ctx.agent(),
                place(ctx.turn(), ctx.step()),
                ctx.call_number()
            ),
            call_id: call.id.clone(),
            agent: ctx.agent().to_owned(),
            tool_name: call.tool_name.clone(),
            arguments: call.arguments.clone(),
            guard,
            rule,
            reason,
            findings,
            expires_in_ms: None,
            on_timeout: None,
            remember: Remember::all(),
            answer_schema: Reply::schema(&Remember::all()),
        }
    }

    /// Sets how long an approval may be remembered. An empty list allows an approval of this one call only.
    #[must_use]
    pub fn with_remember(mut self, remember: impl IntoIterator<Item = Remember>) -> Self {
        self.remember = remember.into_iter().collect();
        self.answer_schema = Reply::schema(&self.remember);
        self
    }

    /// Returns a text that is equal for two requests of the same agent about the same tool, arguments, guard and rule. An
    /// approval that is remembered is valid for requests with the same scope.
    ///
    /// The order of the fields in the arguments does not matter.
    ///
    /// If the arguments have placeholders of [`PersonalData`](crate::PersonalData), the guards compare the values behind them
    /// too, which this text does not have.
    #[must_use]
    pub fn scope(&self) -> String {
        canonical(&json!([self.agent, self.guard, self.rule, self.tool_name, self.arguments]))
    }

    /// Returns the scope of a request whose arguments have placeholders. `hashed` are the arguments with a hash in the place of
    /// each value. Because of the last part, no request without placeholders has this scope.
    pub(super) fn scope_with(&self, hashed: &Value) -> String {
        canonical(&json!([self.agent, self.guard, self.rule, self.tool_name, hashed, "hashed"]))
    }

    /// Returns the question with which a rail suspends the run. Its data are the request, and its answer is a [`Reply`].
    #[must_use]
    pub fn question(&self, ctx: &RailContext) -> Question {
        ctx.question(self.to_string()).with_data(self)
    }

    /// Checks that the request offers this reply.
    ///
    /// # Errors
    /// Returns an error if the reply approves for longer than [`remember`](Self::remember) allows.
    pub fn check(&self, reply: &Reply) -> Result<(), ReplyError> {
        match reply.remember() {
            Some(remember) if !self.remember.contains(&remember) => Err(ReplyError::NotOffered { remember }),
            _ => Ok(()),
        }
    }
}

/// The text is [visible](super::visible) in all parts. Long parts are shortened, with a count.
impl fmt::Display for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool_name, arguments, guard, rule, reason, .. } = self;
        let arguments = arguments.to_string();
        let [tool_name, arguments, guard, rule, reason] =
            [tool_name, &arguments, guard.as_ref(), rule.as_ref(), reason.as_ref()].map(|text| shortened(text, TEXT));
        write!(f, "`{tool_name}` with {arguments}: {reason} ({guard}/{rule})")
    }
}

/// The reply of a person to an [`ApprovalRequest`].
///
/// As JSON, a reply is an object with the field `reply`:
///
/// ```
/// use exo_rails_guards::approval::Reply;
/// use serde_json::{from_value, json};
///
/// assert_eq!(from_value::<Reply>(json!({ "reply": "approve_once" }))?, Reply::ApproveOnce);
/// assert_eq!(from_value::<Reply>(json!({ "reply": "deny" }))?, Reply::Deny { reason: None });
/// let changed = json!({ "reply": "change", "arguments": { "order": 8 } });
/// assert_eq!(from_value::<Reply>(changed)?, Reply::Change { arguments: json!({ "order": 8 }) });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Reply {
    /// The agent may make this call.
    ApproveOnce,
    /// The agent may make calls with the same [scope](ApprovalRequest::scope) until the session ends.
    ApproveForSession,
    /// The agent may always make calls with the same [scope](ApprovalRequest::scope).
    ApproveForever,
    /// The agent must not make the call.
    Deny {
        /// Why, for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The agent may make the call with these arguments instead. The guards judge the changed call again.
    Change {
        /// The arguments.
        arguments: Value,
    },
}

impl Reply {
    /// Denies with a reason for the model.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: Some(reason.into()) }
    }

    /// Returns how long the approval is remembered. `None` for an approval of one call, and for other replies.
    #[must_use]
    pub const fn remember(&self) -> Option<Remember> {
        match self {
            Self::ApproveForSession => Some(Remember::Session),
            Self::ApproveForever => Some(Remember::Forever),
            _ => None,
        }
    }

    /// Returns the JSON Schema (draft 2020-12) of a reply to a request that offers to remember an approval this long.
    #[must_use]
    pub fn schema(remember: &[Remember]) -> Value {
        let mut plain = vec!["approve_once"];
        plain.extend(remember.iter().map(|remember| match remember {
            Remember::Session => "approve_for_session",
            Remember::Forever => "approve_forever",
        }));
        let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        json!({
            "oneOf": [
                object(json!({ "reply": { "enum": plain } }), &["reply"]),
                object(json!({ "reply": { "const": "deny" }, "reason": { "type": ["string", "null"] } }), &["reply"]),
                object(json!({ "reply": { "const": "change" }, "arguments": {} }), &["reply", "arguments"]),
            ],
        })
    }
}

/// A reply is the answer to the question of a suspended run: `suspended.answer(&id, Reply::ApproveOnce)`.
impl From<Reply> for Value {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::ApproveOnce => json!({ "reply": "approve_once" }),
            Reply::ApproveForSession => json!({ "reply": "approve_for_session" }),
            Reply::ApproveForever => json!({ "reply": "approve_forever" }),
            Reply::Deny { reason: None } => json!({ "reply": "deny" }),
            Reply::Deny { reason } => json!({ "reply": "deny", "reason": reason }),
            Reply::Change { arguments } => json!({ "reply": "change", "arguments": arguments }),
        }
    }
}
