//! An input guardrail: a message that the content policy blocks reaches neither the model nor the conversation.

use exo_rails::prelude::*;
use regex::Regex;

/// Refuses messages that match one of its patterns.
pub(crate) struct InputGuardrail {
    blocked: Vec<Regex>,
}

impl InputGuardrail {
    /// # Errors
    /// When a pattern is no regular expression: before the agent runs, and not when it first meets a message.
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, regex::Error> {
        let blocked = patterns.into_iter().map(Regex::new).collect::<Result<_, _>>()?;
        Ok(Self { blocked })
    }
}

#[rail(name = "input_guardrail", priority = 10)]
impl InputGuardrail {
    #[on(Start)]
    fn judge(&self, run: &InvokeInputs) -> Verdict {
        let message = run.input.text();
        let is_blocked = self.blocked.iter().any(|pattern| pattern.is_match(&message));
        // Which pattern it was is not told: whoever wrote the message reads this.
        Verdict::abort_if(is_blocked, "the message is blocked by the content policy")
    }
}
