//! Estimates the size of a model call before the call happens.

use std::io;

use exo_rails::message::Usage;
use exo_rails::{ModelCallInputs, ModelResponse};
use serde::Serialize;

use super::Estimate;

/// The tokens that a call will probably use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) prompt: u64,
    pub(super) completion: u64,
    /// The tokens of the answer for which the budget must have room. If the request limits the answer, these are all its
    /// tokens.
    pub(super) least_completion: u64,
}

/// The options that limit the tokens of an answer.
const OPTIONS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/// The approximate bytes of a message besides its texts.
const MESSAGE: u64 = 12;

impl Expected {
    pub(super) fn of(request: &ModelCallInputs, estimate: &Estimate) -> Self {
        let prompt = bytes(request).div_ceil(estimate.bytes_per_token.max(1)).max(1);
        let limit = OPTIONS.iter().filter_map(|option| request.extra.get(*option)?.as_u64()).max();
        let answers = request.extra.get("n").and_then(serde_json::Value::as_u64).unwrap_or(1).max(1);
        match limit.filter(|_| estimate.use_max_tokens) {
            Some(limit) => {
                let completion = limit.saturating_mul(answers).max(1);
                Self { prompt, completion, least_completion: completion }
            }
            None => Self { prompt, completion: estimate.completion_tokens.max(1), least_completion: 1 },
        }
    }
}

/// Returns the usage of an answer of which only the beginning was read.
pub(super) fn usage_of_cut(request: &ModelCallInputs, answer: &ModelResponse, estimate: &Estimate) -> Usage {
    let mut bytes = 0;
    // Without the metadata around the message.
    answer.message.clone().for_each_text(|text| bytes += text.len() as u64);
    let prompt_tokens = Expected::of(request, estimate).prompt;
    let completion_tokens = bytes.div_ceil(estimate.bytes_per_token.max(1));
    Usage { prompt_tokens, completion_tokens, ..Usage::default() }
}

/// Returns the bytes of the texts and tools of a request.
fn bytes(request: &ModelCallInputs) -> u64 {
    let messages = request.messages.iter().map(|message| {
        let calls = message.tool_calls.iter().map(|call| call.function.name.len() + call.function.arguments.len());
        MESSAGE + (message.text().len() + calls.sum::<usize>()) as u64
    });
    let tools = request.tools.iter().map(|tool| json_bytes(&tool.function));
    messages.chain(tools).sum()
}

fn json_bytes(value: &impl Serialize) -> u64 {
    struct Count(u64);

    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    // Neither the counting nor the JSON of a tool can fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}
