//! Cost tracking: what the answers of a session have cost, in its state.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};

/// Adds up the cost of each answer, by the tokens that the provider counts.
pub(crate) struct CostTracking {
    pub(crate) per_input_token: f64,
    pub(crate) per_output_token: f64,
}

/// What a session has cost so far: the value [`CostTracking::NAME`] of its state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cost: f64,
    /// Answers for which the provider has counted nothing: what they cost is not in the total.
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
    // Always: an answer that another rail refuses was paid for too. Calls of several runs may end at once, so the total is
    // read and written in one update.
    #[on(PostLlmCall, always)]
    fn count(&self, response: &ModelResponse, ctx: &RailContext) -> Result<(), serde_json::Error> {
        // What a rail has put in the place of an answer costs nothing.
        if ctx.substituted_by().is_some() {
            return Ok(());
        }
        ctx.session.state().update_as(Self::NAME, |totals| self.add(totals, response))
    }
}
