//! Asking by suspending the run.

use exo_rails::RailContext;

use super::ask::{Answer, Ask, AskError};
use super::request::ApprovalRequest;

/// Asks by suspending the run: the program stores the run, shows the request, and resumes the run with the
/// [`Reply`](super::Reply).
///
/// The data of the [`Question`](exo_rails::Question) are the [`ApprovalRequest`] as JSON. Approvals for the session and for
/// ever are remembered in [`ctx.session`](exo_rails::RunScope::session), because there is no store that outlives it. The program
/// decides how long it waits. To store requests, and to limit the time for the reply, use an [`Inbox`](super::Inbox).
#[derive(Clone, Copy, Debug, Default)]
pub struct SuspendRun;

impl Ask for SuspendRun {
    async fn ask(&self, request: &ApprovalRequest, ctx: &mut RailContext) -> Result<Answer, AskError> {
        Ok(Answer::Later(request.question(ctx)))
    }
}
