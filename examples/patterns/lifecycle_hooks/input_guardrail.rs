//! An input guardrail. A message that the content policy blocks reaches neither the model nor the conversation.

use exo_rails::prelude::*;
use regex::Regex;

/// Refuses messages that match one of the patterns.
pub(crate) struct InputGuardrail {
    blocked: Vec<Regex>,
}

impl InputGuardrail {
    /// # Errors
    /// Returns an error if a pattern is not a regular expression. So the mistake appears before the agent runs.
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
        // The reason does not name the pattern, because the author of the message reads the reason.
        Verdict::abort_if(is_blocked, "the message is blocked by the content policy")
    }
}
