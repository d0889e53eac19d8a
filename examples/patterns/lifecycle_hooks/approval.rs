//! Human-in-the-loop approval: a person decides before some tools run.

use std::time::Duration;

use exo_rails::prelude::*;
use serde_json::Value;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// A request to a person.
#[derive(Debug)]
pub(crate) struct ApprovalRequest {
    pub(crate) tool_name: String,
    pub(crate) arguments: Value,
    reply: oneshot::Sender<ApprovalResponse>,
}

impl ApprovalRequest {
    /// Answers the request. Returns `false` if the rail no longer waits for the answer.
    pub(crate) fn answer(self, response: ApprovalResponse) -> bool {
        self.reply.send(response).is_ok()
    }
}

/// The answer of a person.
#[derive(Debug)]
pub(crate) enum ApprovalResponse {
    Approved,
    Denied(String),
    /// Approved, but with these arguments.
    Modified(Value),
}

/// Asks a person before a tool runs whose name matches one of the patterns. The tool runs only if the person approves it
/// in time.
pub(crate) struct Approval {
    patterns: Vec<String>,
    requests: mpsc::Sender<ApprovalRequest>,
    limit: Duration,
}

impl Approval {
    /// Makes the rail. `patterns` are names of tools, in which `*` stands for any text. The rail sends its requests to
    /// `requests`, and waits for each answer until `limit`.
    pub(crate) fn new<'p>(
        patterns: impl IntoIterator<Item = &'p str>,
        requests: mpsc::Sender<ApprovalRequest>,
        limit: Duration,
    ) -> Self {
        Self { patterns: patterns.into_iter().map(ToOwned::to_owned).collect(), requests, limit }
    }

    fn is_asked_for(&self, tool: &str) -> bool {
        self.patterns.iter().any(|pattern| matches(pattern, tool))
    }

    /// Asks a person and waits for the answer. Returns the reason if there is no answer. Holds no lock while it waits.
    async fn ask(&self, call: &ToolCallInputs, ctx: &RailContext) -> Result<ApprovalResponse, &'static str> {
        let (reply, answer) = oneshot::channel();
        let request = ApprovalRequest { tool_name: call.tool_name.clone(), arguments: call.arguments.clone(), reply };
        self.requests.try_send(request).map_err(|error| match error {
            TrySendError::Full(_) => "too many requests wait for approval",
            TrySendError::Closed(_) => "there is nobody to approve it",
        })?;
        let answer = tokio::time::timeout(self.limit, answer);
        let answer = match ctx.cancellation() {
            Some(token) => token.run_until_cancelled(answer).await.ok_or("the run was cancelled")?,
            None => answer.await,
        };
        answer.map_err(|_| "nobody has answered in time")?.map_err(|_| "the request was dropped without an answer")
    }
}

// This rail runs first, so the later rails check the arguments that the person has approved.
#[rail(name = "approval", priority = 5)]
impl Approval {
    // A panic would unwind through the call and stop it. As a fault, the panic has the name of the rail.
    #[on(PreToolCall, on_panic = "fault")]
    async fn approve(&self, call: &mut ToolCallInputs, ctx: &RailContext) -> RailAction {
        if !self.is_asked_for(&call.tool_name) {
            return RailAction::Continue;
        }
        match self.ask(call, ctx).await {
            Ok(ApprovalResponse::Approved) => RailAction::Continue,
            Ok(ApprovalResponse::Modified(arguments)) => {
                call.arguments = arguments;
                RailAction::Continue
            }
            // The model reads the reason and continues without this tool. `RailAction::abort` would end the run.
            Ok(ApprovalResponse::Denied(reason)) => RailAction::skip(reason),
            Err(why) => RailAction::skip(format!("it needs approval: {why}")),
        }
    }
}

/// Returns `true` if the name matches the pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    name.char_indices().any(|(at, _)| matches(rest, &name[at..])) || matches(rest, "")
}
