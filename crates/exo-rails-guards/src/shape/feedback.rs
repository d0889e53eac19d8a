//! Feedback to the model, a bounded number of times in a run.

use std::collections::HashMap;

use exo_rails::message::Message;
use exo_rails::{RailAction, RailContext, Reason, RetryRequest};
use exo_rails_policy::AfterFeedback;

use crate::finding::Finding;

/// The number of explanations that the model has read in this run, for each guard.
#[derive(Default)]
struct Explanations(HashMap<&'static str, u32>);

/// Counts an explanation of this guard. Returns whether the run has room for it.
fn count(guard: &'static str, max_feedback: u32, ctx: &RailContext) -> bool {
    ctx.run.update(|Explanations(given): &mut Explanations| {
        let given = given.entry(guard).or_default();
        *given = given.saturating_add(1);
        *given <= max_feedback
    })
}

/// Skips a tool call with the reason of the finding, or without it if the model has read enough of them.
pub(crate) fn refuse_call<S>(
    guard: &'static str,
    finding: Finding,
    max_feedback: u32,
    then: AfterFeedback,
    ctx: &mut RailContext,
) -> RailAction<S> {
    let reason = finding.reason();
    finding.report(ctx);
    if count(guard, max_feedback, ctx) {
        return RailAction::skip(reason);
    }
    match then {
        AfterFeedback::Skip => RailAction::skip(exhausted(guard, max_feedback, "do not repeat the call")),
        AfterFeedback::Abort => RailAction::abort(exhausted(guard, max_feedback, "the run ends")),
    }
}

/// Calls the model again, with the mistakes. Ends the run if the model has read enough of them.
pub(crate) fn ask_again(
    guard: &'static str,
    finding: Finding,
    feedback: String,
    max_feedback: u32,
    ctx: &mut RailContext,
) -> RailAction {
    let reason = finding.reason();
    finding.report(ctx);
    if count(guard, max_feedback, ctx) {
        let request = RetryRequest::new(reason).with_max_retries(max_feedback);
        RailAction::retry(request.with_feedback(Message::user(feedback)))
    } else {
        RailAction::abort(Reason::new(format!("{reason} ({max_feedback} explanations have not helped)")))
    }
}

fn exhausted(guard: &'static str, max_feedback: u32, end: &str) -> Reason {
    Reason::new(format!("{guard}: {max_feedback} explanations in this run have not helped: {end}"))
}
