//! The rails that guard every request of the server.

use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;

const KEY: &str = "sk-live-4711";

/// Limits the number of questions that the server answers, in all sessions together.
pub(crate) struct Questions {
    left: AtomicU32,
}

impl Questions {
    pub(crate) fn at_most(questions: u32) -> Self {
        Self { left: AtomicU32::new(questions) }
    }
}

#[rail(priority = 10)]
impl Questions {
    #[on(Start)]
    fn count(&self) -> Verdict {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        Verdict::abort_if(taken.is_err(), "the server has answered enough questions for today")
    }
}

/// Refuses messages that tell the model to ignore its instructions. The session does not keep such a message.
#[rail(priority = 20, on = [Start])]
fn no_attacks(run: &InvokeInputs) -> RailAction<InvokeOutput> {
    if run.input.text().to_lowercase().contains("ignore all rules") {
        return RailAction::skip_with(InvokeOutput::text("I cannot help with that."), "an attack");
    }
    RailAction::Continue
}

/// Hides keys in answers, even a key that arrives in two pieces.
#[rail(priority = 40, on = [LlmChunk], window = 12)]
fn redact(window: &mut StreamWindow) {
    window.text = window.text.replace(KEY, "[key]");
}

rail_chain! {
    pub(crate) struct ServiceRails { pub(crate) questions: Questions, no_attacks, redact }
}
