//! Human-in-the-loop approval: before some tools run, a person is asked.

use std::time::Duration;

use exo_rails::prelude::*;
use serde_json::Value;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// What a person is asked.
#[derive(Debug)]
pub(crate) struct ApprovalRequest {
    pub(crate) tool_name: String,
    pub(crate) arguments: Value,
    reply: oneshot::Sender<ApprovalResponse>,
}

impl ApprovalRequest {
    /// Answers it; whether somebody still waits for the answer.
    pub(crate) fn answer(self, response: ApprovalResponse) -> bool {
        self.reply.send(response).is_ok()
    }
}

/// What a person answers.
#[derive(Debug)]
pub(crate) enum ApprovalResponse {
    Approved,
    Denied(String),
    /// Approved with these arguments in the place of the others.
    Modified(Value),
}

/// Asks before a tool runs whose name matches one of its patterns. Without a clear yes, in time, it does not run.
pub(crate) struct Approval {
    patterns: Vec<String>,
    requests: mpsc::Sender<ApprovalRequest>,
    limit: Duration,
}

impl Approval {
    /// `patterns` are names of tools, in which `*` stands for any text; requests go to whoever holds the other end of
    /// `requests`, who has until `limit` to answer.
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

    /// Asks, and waits for the answer; why there is none, when there is none. No lock is held meanwhile.
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

// First: the rails after it see the arguments that the person has approved, and guard these as well.
#[rail(name = "approval", priority = 5)]
impl Approval {
    // A panic would unwind through the call, which does not happen then; as a fault it has the rail's name.
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
            // The model is told, and goes on without; `RailAction::abort` would end the run.
            Ok(ApprovalResponse::Denied(reason)) => RailAction::skip(reason),
            Err(why) => RailAction::skip(format!("it needs approval: {why}")),
        }
    }
}

/// Whether a name matches a pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    name.char_indices().any(|(at, _)| matches(rest, &name[at..])) || matches(rest, "")
}
