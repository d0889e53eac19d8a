//! Asking by suspending the run.

use std::collections::HashSet;

use exo_rails::RailContext;

use super::request::{Answer, ApprovalRequest, Ask, AskError, AskFuture, Reply};

/// Asks by suspending the run: the program stores the run, shows the request, and resumes the run with the [`Reply`].
///
/// The data of the [`Question`](exo_rails::Question) are the [`ApprovalRequest`] as JSON. Both
/// [`ApproveForSession`](Reply::ApproveForSession) and [`ApproveForever`](Reply::ApproveForever) are remembered in
/// [`ctx.session`](exo_rails::RunScope::session), because there is no store that outlives it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuspendRun;

/// The scopes that a person has approved for the session.
#[derive(Clone, Default)]
struct ApprovedScopes(HashSet<String>);

impl SuspendRun {
    fn answer(request: &ApprovalRequest, ctx: &RailContext) -> Result<Answer, AskError> {
        let approved = ctx.session.get().is_some_and(|ApprovedScopes(scopes)| scopes.contains(&request.scope()));
        if approved {
            return Ok(Answer::Now(Reply::ApproveForSession));
        }
        let question = ctx.question(request.to_string()).with_data(request);
        let Some(reply) = ctx.answer_to(&question).map_err(AskError::Unreadable)? else {
            return Ok(Answer::Later(question));
        };
        if matches!(reply, Reply::ApproveForSession | Reply::ApproveForever) {
            ctx.session.update(|ApprovedScopes(scopes)| scopes.insert(request.scope()));
        }
        Ok(Answer::Now(reply))
    }
}

impl Ask for SuspendRun {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest, ctx: &'a mut RailContext) -> AskFuture<'a> {
        Box::pin(async { Self::answer(request, ctx) })
    }
}
