//! Rails that limit a run.

use std::collections::HashMap;
use std::time::Duration;

use exo_rails::OperationErrorKind;
use exo_rails::prelude::*;

const MAX_INPUT: usize = 2_000;

/// Ends a run whose question is too long, before the run costs anything.
#[rail(priority = 10, on = [Start])]
pub(crate) fn input_length(run: &InvokeInputs) -> Verdict {
    let length = run.input.text().chars().count();
    if length > MAX_INPUT {
        return Verdict::abort(format!("a question of {length} characters; at most {MAX_INPUT} are read"));
    }
    Verdict::Continue
}

/// Refuses a tool call that the agent has already made too often.
pub(crate) struct NoRepeats {
    pub(crate) at_most: u32,
}

/// The number of times that each call was made. The type is the key of the value in `ctx.run`.
#[derive(Default)]
struct CallsMade(HashMap<String, u32>);

#[rail(name = "no_repeats", priority = 30)]
impl NoRepeats {
    #[on(PreToolCall)]
    fn count(&self, call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
        // A further attempt of a call is still the same call.
        if ctx.attempt() > 0 {
            return RailAction::Continue;
        }
        let key = format!("{} {}", call.tool_name, call.arguments);
        let times = ctx.run.update(|calls: &mut CallsMade| {
            let times = calls.0.entry(key).or_default();
            *times += 1;
            *times
        });
        if times <= self.at_most {
            return RailAction::Continue;
        }
        RailAction::skip(format!("this is call {times} with the same arguments, and its result is known"))
    }
}

/// Ends a run that calls its model and its tools too often.
pub(crate) struct CallBudget {
    pub(crate) at_most: u32,
}

#[derive(Default)]
struct CallsSpent(u32);

#[rail(name = "call_budget", priority = 40)]
impl CallBudget {
    #[on(PreLlmCall, PreToolCall)]
    fn spend(&self, ctx: &RailContext) -> Verdict {
        let spent = ctx.run.update(|spent: &mut CallsSpent| {
            spent.0 += 1;
            spent.0
        });
        if spent > self.at_most {
            return Verdict::abort(format!("the budget of {} calls is spent", self.at_most));
        }
        Verdict::Continue
    }
}

const DEFAULT_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Repeats a failed call of the model, after the wait that the provider asks for, if the failure may be temporary.
#[rail(on = [LlmError])]
pub(crate) fn back_off(error: &OperationError) -> RailAction {
    let passes = matches!(
        error.kind,
        OperationErrorKind::RateLimited | OperationErrorKind::Unavailable | OperationErrorKind::Timeout
    );
    let wait = error.retry_after.unwrap_or(DEFAULT_WAIT);
    if !passes || wait > LONGEST_WAIT {
        return RailAction::Continue;
    }
    RailAction::retry(RetryRequest::new(error.kind.to_string()).with_delay(wait).with_max_retries(3))
}
