//! Acting on the answer: the one way in which guards ask about a tool call.

use exo_rails::{Question, RailContext, Reason, ToolCallInputs};
use serde_json::Value;

use super::request::{Answer, ApprovalRequest, Ask, AskError, Reply};

/// What a guard does with a call after it has asked.
#[derive(Debug)]
pub(crate) enum Settled {
    /// The call may run as it is.
    Approved,
    /// The call has changed arguments now. The guard judges it again.
    Changed,
    /// The call must not run.
    Refused(Reason),
    /// The run waits for the answer.
    Suspended(Question),
}

/// The call that a person has approved at this event. Another guard does not ask about the same call again.
struct ApprovedCall {
    tool_name: String,
    arguments: Value,
}

/// Returns whether a person has approved this call at this event.
pub(crate) fn is_approved(call: &ToolCallInputs, ctx: &RailContext) -> bool {
    let approved = ctx.extra.get::<ApprovedCall>();
    approved.is_some_and(|approved| approved.tool_name == call.tool_name && approved.arguments == call.arguments)
}

/// Asks about a call, and applies the reply.
pub(crate) async fn settle(
    asker: &dyn Ask,
    request: &ApprovalRequest,
    call: &mut ToolCallInputs,
    ctx: &mut RailContext,
) -> Result<Settled, AskError> {
    // A guard in shadow asks nobody. Its report says that it would have suspended the run.
    if ctx.is_shadow() {
        return Ok(Settled::Suspended(ctx.question(request.to_string())));
    }
    let reply = match asker.ask(request, ctx).await? {
        Answer::Now(reply) => reply,
        Answer::Later(question) => return Ok(Settled::Suspended(question)),
    };
    let settled = match reply {
        Reply::ApproveOnce | Reply::ApproveForSession | Reply::ApproveForever => Settled::Approved,
        Reply::Deny { reason } => return Ok(Settled::Refused(refusal(request, reason))),
        Reply::Change { arguments } => {
            call.arguments = arguments;
            Settled::Changed
        }
    };
    ctx.extra.insert(ApprovedCall { tool_name: call.tool_name.clone(), arguments: call.arguments.clone() });
    Ok(settled)
}

fn refusal(request: &ApprovalRequest, reason: Option<String>) -> Reason {
    let ApprovalRequest { guard, rule, .. } = request;
    match reason.filter(|reason| !reason.trim().is_empty()) {
        Some(reason) => Reason::new(format!("{guard}/{rule}: a person refused the call: {reason}")),
        None => Reason::new(format!("{guard}/{rule}: a person refused the call")),
    }
}
