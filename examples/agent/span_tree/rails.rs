//! The rails of the agent.

use std::time::Duration;

use exo_rails::prelude::*;

/// Refuses refunds: only people pay back.
#[rail(priority = 10, on = [PreToolCall])]
fn no_refunds(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "refund" { RailAction::skip("a person has to do that") } else { RailAction::Continue }
}

/// Aborts a run that deletes something.
#[rail(priority = 20, on = [PreToolCall])]
fn no_deletes(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name.starts_with("delete"), "orders are kept")
}

/// Repeats the call when the provider is busy.
#[rail(priority = 10, on = [LlmError])]
fn back_off(error: &OperationError) -> RailAction {
    match error.kind {
        OperationErrorKind::RateLimited => {
            RailAction::retry(RetryRequest::new("the provider is busy").with_delay(Duration::from_millis(5)))
        }
        _ => RailAction::Continue,
    }
}

/// Refuses answers that shout.
#[rail(priority = 30, on = [PostLlmCall])]
fn polite(response: &ModelResponse) -> RailAction {
    if response.message.text().contains("!!!") {
        RailAction::retry(RetryRequest::new("an answer does not shout"))
    } else {
        RailAction::Continue
    }
}

rail_chain! {
    /// Traces each rail with a span.
    #[chain(trace)]
    pub(crate) struct SupportRails { no_refunds, no_deletes, back_off, polite }
}
