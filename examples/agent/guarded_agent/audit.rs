//! A rail that only observes: it counts what happens in a run.

use exo_rails::prelude::*;

/// The counts of a run. The ledger is in `ctx.run`, where the caller finds it after the run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ledger {
    pub(crate) answers: usize,
    pub(crate) tokens: u64,
    pub(crate) outputs: usize,
    pub(crate) bytes: usize,
    pub(crate) failures: usize,
}

/// Keeps the [`Ledger`]. The rail runs last, so it does not count an event that another rail stopped.
#[rail(priority = 90, on = [PostLlmCall, LlmError, PostToolCall, ToolError])]
pub(crate) fn audit(inputs: Inputs<'_>, ctx: &RailContext) {
    ctx.run.update(|ledger: &mut Ledger| match inputs {
        Inputs::PostLlmCall(_, response) => {
            ledger.answers += 1;
            ledger.tokens += response.usage.as_ref().map_or(0, |usage| usage.total_tokens);
        }
        Inputs::PostToolCall(_, output) => {
            ledger.outputs += 1;
            ledger.bytes += output.content.len();
        }
        _ => ledger.failures += 1,
    });
}
