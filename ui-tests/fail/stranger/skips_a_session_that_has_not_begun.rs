//! A rail on `SessionStart` returns a `RailAction` and skips, but a session can only begin or be aborted. An ideal message says
//! that rails on `SessionStart` return `Verdict`, and to write `Verdict::abort_if(…)`.

use exo_rails::SessionInfo;
use exo_rails::prelude::*;

/// The trial of the language course has 20 lessons.
#[rail(priority = 10, on = [SessionStart])]
fn trial_is_over(session: &SessionInfo, ctx: &RailContext) -> RailAction {
    let has_paid = ctx.session.state().get("paid").is_some();
    if session.turns >= 20 && !has_paid {
        return RailAction::skip("the trial has ended");
    }
    RailAction::Continue
}

#[rail(priority = 80, on = [SessionStart])]
fn greet(session: &SessionInfo) {
    println!("welcome back to {}", session.id);
}

rail_chain! {
    struct CourseRails { trial_is_over, greet }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("teacher");
    CourseRails.start_session(&SessionInfo::default(), &mut ctx).await?;
    Ok(())
}
