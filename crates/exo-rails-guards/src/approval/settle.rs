//! Acting on the answer: the one way in which guards ask about a tool call.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use exo_rails::{Provide, Question, RailAction, RailContext, Reason, RetryRequest, SessionInfo, ToolCallInputs};
use exo_rails_policy::approval::Remember;
use serde::Serialize;
use serde_json::Value;

use super::Approvals;
use super::ask::{Answer, AskError, Asker};
use super::changes::{ApprovedCall, has_changes, note_change, note_written};
use super::request::{ApprovalRequest, Reply};
use crate::store::StoreError;
use crate::vault::Comparable;

/// How often a person may change the arguments of one call.
const MOST_CHANGES: u32 = 10;

/// What a guard does with a call after it has asked.
#[derive(Debug)]
pub(crate) enum Settled {
    /// The call may run as it is.
    Approved,
    /// The call must not run as it is. All rails judge the changed call: now if the library can begin again, and otherwise when
    /// the model makes the call.
    Changed(Again),
    /// The call must not run.
    Refused(Reason),
    /// The run waits for the answer.
    Suspended(Question),
}

/// How all rails judge a changed call.
#[derive(Debug)]
pub(crate) enum Again {
    /// A retry of the call. [`ChangedCalls`](super::ChangedCalls) changes the arguments before all other rails.
    Retry,
    /// The model makes the changed call, for this reason.
    ByModel(Reason),
}

impl Settled {
    /// Returns the action of a guard that skips what it refuses. `None` if the call may run.
    pub(crate) fn stops(self) -> Option<RailAction> {
        match self {
            Self::Approved => None,
            Self::Changed(again) => Some(again.into()),
            Self::Refused(reason) => Some(RailAction::skip(reason)),
            Self::Suspended(question) => Some(RailAction::suspend(question)),
        }
    }
}

impl From<Again> for RailAction {
    fn from(again: Again) -> Self {
        match again {
            Again::Retry => {
                let request = RetryRequest::new("a person has changed the arguments of the call");
                Self::retry(request.with_max_retries(MOST_CHANGES))
            }
            Again::ByModel(reason) => Self::skip(reason),
        }
    }
}

/// Returns the same action for a rail that provides values. `None` if the action continues.
pub(crate) fn providing<T>(action: RailAction) -> Option<Provide<T>> {
    match action {
        RailAction::Continue => None,
        RailAction::Skip(skip) => Some(Provide::Skip(skip)),
        RailAction::Retry(request) => Some(Provide::Retry(request)),
        RailAction::Abort(abort) => Some(Provide::Abort(abort)),
    }
}

/// The scopes that a person has approved, and for how long, if no store remembers them. They are a value in `ctx.session`.
#[derive(Clone, Default)]
struct ApprovedScopes(HashSet<(Remember, String)>);

/// Asks about a call, and applies the reply.
pub(crate) async fn settle(
    asker: &Asker,
    request: &ApprovalRequest,
    call: &ToolCallInputs,
    ctx: &mut RailContext,
) -> Result<Settled, AskError> {
    let scope = scope(asker, request, ctx).await?;
    let is_remembered = is_remembered(asker, request, &scope, ctx).await?;
    let question = request.question(ctx);
    // A guard in shadow asks no person. The library reports that it would have suspended the run.
    if ctx.is_shadow() {
        return Ok(if is_remembered { Settled::Approved } else { Settled::Suspended(question) });
    }
    let known = answer_to(&question, ctx)?;
    if is_remembered {
        match &known {
            // Nobody has seen this call. So the other guards ask about it, unless they remember an approval too.
            None => return Ok(Settled::Approved),
            // The call begins again after the person has replied.
            Some(reply) if reply.remember().is_some() => return Ok(approved(call, ctx)),
            Some(_) => {}
        }
    }
    let is_known = known.is_some();
    let answer = match known {
        Some(reply) => Answer::Now(reply),
        None => asker.ask(request, ctx).await?,
    };
    let reply = match answer {
        Answer::Now(reply) => reply,
        Answer::Later(question) => return Ok(Settled::Suspended(question)),
        Answer::Nobody(reason) => {
            report(request, "nobody", ctx);
            let ApprovalRequest { guard, rule, .. } = request;
            return Ok(Settled::Refused(Reason::new(format!("{guard}/{rule}: {reason}"))));
        }
    };
    request.check(&reply)?;
    // A retry of the operation does not ask again.
    let is_operation = if is_known { is_bound(&question, ctx) } else { record(question, &reply, ctx) };
    remember(asker, request, scope, &reply, ctx).await?;
    Ok(match reply {
        Reply::ApproveOnce | Reply::ApproveForSession | Reply::ApproveForever => {
            report(request, "approved", ctx);
            approved(call, ctx)
        }
        Reply::Deny { reason } => {
            report(request, "denied", ctx);
            Settled::Refused(refusal(request, reason))
        }
        Reply::Change { arguments } => {
            report(request, "changed", ctx);
            Settled::Changed(changed(call, arguments, is_operation, ctx))
        }
    })
}

fn approved(call: &ToolCallInputs, ctx: &mut RailContext) -> Settled {
    ctx.extra.insert(ApprovedCall::new(call));
    Settled::Approved
}

/// Lets all rails judge the call with other arguments.
fn changed(call: &ToolCallInputs, arguments: Value, is_operation: bool, ctx: &RailContext) -> Again {
    if is_operation && has_changes(ctx) {
        note_change(call, arguments, ctx);
        return Again::Retry;
    }
    let reason = format!("a person wants other arguments: call `{}` again with {arguments}", call.tool_name);
    note_written(ApprovedCall { tool_name: call.tool_name.clone(), arguments }, ctx);
    Again::ByModel(Reason::new(reason))
}

fn refusal(request: &ApprovalRequest, reason: Option<String>) -> Reason {
    let ApprovalRequest { guard, rule, .. } = request;
    match reason.filter(|reason| !reason.trim().is_empty()) {
        Some(reason) => Reason::new(format!("{guard}/{rule}: a person refused the call: {reason}")),
        None => Reason::new(format!("{guard}/{rule}: a person refused the call")),
    }
}

/// Publishes what a request led to on the event bus, with the name `approval`.
fn report(request: &ApprovalRequest, outcome: &'static str, ctx: &RailContext) {
    #[derive(Serialize)]
    struct Report<'r> {
        id: &'r str,
        guard: &'r str,
        rule: &'r str,
        tool_name: &'r str,
        outcome: &'static str,
    }
    let ApprovalRequest { id, guard, rule, tool_name, .. } = request;
    ctx.emit("approval", &Report { id, guard, rule, tool_name, outcome });
}

/// Returns the scope of the request: for what an approval that is remembered is valid. Placeholders stand for other values in
/// another run, so the scope has hashes of the values.
async fn scope(asker: &Asker, request: &ApprovalRequest, ctx: &RailContext) -> Result<String, AskError> {
    let arguments = Comparable::new(&request.arguments, ctx, asker.approvals().map(Approvals::store)).await?;
    Ok(if arguments.has_values() { request.scope_with(&arguments.hashed) } else { request.scope() })
}

/// Returns whether a person has approved the request before, for longer than one call.
async fn is_remembered(
    asker: &Asker,
    request: &ApprovalRequest,
    scope: &str,
    ctx: &RailContext,
) -> Result<bool, AskError> {
    if let Some(approvals) = asker.approvals()
        && approvals.cover_scope(request, scope, ctx.session_id()).await?
    {
        return Ok(true);
    }
    let is_covered = |ApprovedScopes(scopes)| {
        request.remember.iter().any(|remember| scopes.contains(&(*remember, scope.to_owned())))
    };
    Ok(ctx.session.get().is_some_and(is_covered))
}

/// Remembers an approval for longer than one call, if the reply is one.
async fn remember(
    asker: &Asker,
    request: &ApprovalRequest,
    scope: String,
    reply: &Reply,
    ctx: &RailContext,
) -> Result<(), AskError> {
    let Some(remember) = reply.remember() else { return Ok(()) };
    match asker.approvals() {
        Some(approvals) if remember == Remember::Forever || ctx.session_id().is_some() => {
            approvals.add_scope(request, scope, remember, ctx.session_id()).await?;
        }
        _ => {
            let _ = ctx.session.update(|ApprovedScopes(scopes)| scopes.insert((remember, scope)));
        }
    }
    Ok(())
}

/// Forgets the approvals for the session. Each guard that asks does so at `SessionEnd`, because it may be the only one.
pub(crate) async fn forget_session(asker: &Asker, session: &SessionInfo, ctx: &RailContext) -> Result<(), StoreError> {
    match asker.approvals() {
        Some(approvals) if !ctx.is_shadow() => approvals.end_session(&session.id).await,
        _ => Ok(()),
    }
}

/// Only one call at a time looks for an answer or records one. Otherwise an equal call could use the answer up between the
/// moment when it is recorded and the moment when its own call reads it.
static RECORDING: Mutex<()> = Mutex::new(());

/// Returns the answer that the run has for this question.
fn answer_to(question: &Question, ctx: &RailContext) -> Result<Option<Reply>, AskError> {
    let _recording = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = ctx.answer_to::<Option<Reply>>(question).map_err(AskError::Unreadable)?;
    Ok(answer.flatten())
}

/// Records a reply as the answer of the run, for retries of the operation, and for its repetition in a resumed run. Returns
/// whether there is an operation.
///
/// Without an operation, nothing ends, and the answer would be valid for ever. So it is taken back.
fn record(question: Question, reply: &Reply, ctx: &RailContext) -> bool {
    let _recording = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
    let run = ctx.child();
    run.answer(question.clone(), reply.clone());
    let _ = ctx.answer_to::<Value>(&question);
    let is_operation = is_bound(&question, ctx);
    if !is_operation {
        run.answer(question, Value::Null);
    }
    is_operation
}

/// Returns whether an operation has read the answer, so that it ends with the operation. Only then others cannot read it.
fn is_bound(question: &Question, ctx: &RailContext) -> bool {
    matches!(ctx.child().answer_to::<Value>(question), Ok(None))
}
