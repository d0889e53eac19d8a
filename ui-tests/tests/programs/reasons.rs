//! What a reason is made from: texts that own what they say, and what a user makes one from.

#![deny(warnings)]

use std::borrow::Cow;

use exo_rails::prelude::*;
use exo_rails::{RailAbortError, Reason};

enum Refusal {
    Budget(u32),
}

impl From<Refusal> for Reason {
    fn from(Refusal::Budget(limit): Refusal) -> Self {
        Self::new(format!("the budget is {limit}"))
    }
}

fn deny(reason: impl Into<Reason>) -> RailAction<ToolOutput> {
    RailAction::abort(reason)
}

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> RailAction<ToolOutput> {
    match call.tool_name.as_str() {
        "literal" => RailAction::skip("off limits"),
        "owned" => RailAction::skip_with(ToolOutput::text("cached"), call.tool_name.clone()),
        "either" => RailAction::abort(Cow::Borrowed("off limits")),
        "made" => RailAction::retry(RetryRequest::new(Refusal::Budget(3))),
        "reason" => Verdict::abort_if(true, Reason::new("off limits")).into(),
        other => deny(format!("`{other}` is off limits")),
    }
}

#[test]
fn compiles_and_runs() {
    assert_eq!(guard(&ToolCallInputs::new("shell")), RailAction::abort("`shell` is off limits"));
    assert_eq!(guard(&ToolCallInputs::new("made")), RailAction::retry(RetryRequest::new("the budget is 3")));
    assert_eq!(RailAbortError::new("guard", HookPoint::PreToolCall, Refusal::Budget(3)).reason, "the budget is 3");
    let _ = rail_chain![guard];
}
