//! Acting on the answer: the one way in which guards ask about a tool call.

use exo_rails::{NoSubstitute, Provide, Question, RailAction, RailContext, Reason, ToolCallInputs};
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

/// A call that a person has approved. In `ctx.extra`, it is the call of this event. Another guard does not ask about the
/// same call again.
#[derive(Clone, PartialEq)]
struct ApprovedCall {
    tool_name: String,
    arguments: Value,
}

impl ApprovedCall {
    fn new(call: &ToolCallInputs) -> Self {
        Self { tool_name: call.tool_name.clone(), arguments: call.arguments.clone() }
    }
}

/// Calls that a person has written, and that the model has not made yet. They are a value in `ctx.run`.
#[derive(Clone, Default)]
struct WrittenCalls(Vec<ApprovedCall>);

/// Returns whether a person has approved or written this call, so that no guard has to ask.
pub(crate) fn is_approved(call: &ToolCallInputs, ctx: &mut RailContext) -> bool {
    let is_it = |approved: &ApprovedCall| approved.tool_name == call.tool_name && approved.arguments == call.arguments;
    if ctx.extra.get().is_some_and(is_it) {
        return true;
    }
    if ctx.run.get::<WrittenCalls>().is_none_or(|WrittenCalls(calls)| !calls.iter().any(is_it)) {
        return false;
    }
    // A written call is approved once. Later guards of this event find it in `ctx.extra`.
    ctx.run.update(|WrittenCalls(calls)| calls.retain(|call| !is_it(call)));
    ctx.extra.insert(ApprovedCall::new(call));
    true
}

/// Notes that a person has written this call, and that the model is asked to make it.
pub(crate) fn note_written(call: &ToolCallInputs, ctx: &RailContext) {
    ctx.run.update(|WrittenCalls(calls)| calls.push(ApprovedCall::new(call)));
}

/// Asks about a call, and applies the reply.
pub(crate) async fn settle(
    asker: &dyn Ask,
    request: &ApprovalRequest,
    call: &mut ToolCallInputs,
    ctx: &mut RailContext,
) -> Result<Settled, AskError> {
    // A guard in shadow asks no person. The library reports that it would have suspended the run.
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
    ctx.extra.insert(ApprovedCall::new(call));
    Ok(settled)
}

fn refusal(request: &ApprovalRequest, reason: Option<String>) -> Reason {
    let ApprovalRequest { guard, rule, .. } = request;
    match reason.filter(|reason| !reason.trim().is_empty()) {
        Some(reason) => Reason::new(format!("{guard}/{rule}: a person refused the call: {reason}")),
        None => Reason::new(format!("{guard}/{rule}: a person refused the call")),
    }
}

/// Suspends the run with a question, in a rail that provides values.
pub(crate) fn suspended<T>(question: Question) -> Provide<T> {
    match RailAction::<NoSubstitute>::suspend(question) {
        RailAction::Abort(abort) => Provide::Abort(abort),
        _ => Provide::abort("the run could not be suspended"),
    }
}
