//! Cost tracking: adds up the cost of the answers of a session in the state of the session.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};

/// Adds up the cost of all answers, from the tokens that the provider counts.
pub(crate) struct CostTracking {
    pub(crate) per_input_token: f64,
    pub(crate) per_output_token: f64,
}

/// The cost of a session so far. The state of the session has it under the name [`CostTracking::NAME`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cost: f64,
    /// The number of answers without a count from the provider. The total does not include their cost.
    pub(crate) uncounted: u64,
}

impl CostTracking {
    pub(crate) const NAME: &str = "cost";

    fn add(&self, totals: &mut Totals, response: &ModelResponse) {
        let Some(usage) = &response.usage else {
            totals.uncounted += 1;
            return;
        };
        let (input, output) = (usage.prompt_tokens, usage.completion_tokens);
        totals.input_tokens = totals.input_tokens.saturating_add(input);
        totals.output_tokens = totals.output_tokens.saturating_add(output);
        totals.cost += price(input, self.per_input_token) + price(output, self.per_output_token);
    }
}

#[expect(clippy::cast_precision_loss, reason = "from 2^53 tokens on, the last digits do not matter")]
fn price(tokens: u64, each: f64) -> f64 {
    tokens as f64 * each
}

#[rail(name = "cost_tracking")]
impl CostTracking {
    // The rail is always called: an answer that another rail refuses has a cost too. Calls of several runs may end at the
    // same time, so one update reads and writes the total.
    #[on(PostLlmCall, always)]
    fn count(&self, response: &ModelResponse, ctx: &RailContext) -> Result<(), serde_json::Error> {
        // An answer that a rail substituted has no cost.
        if ctx.substituted_by().is_some() {
            return Ok(());
        }
        ctx.session.state().update_as(Self::NAME, |totals| self.add(totals, response))
    }
}
