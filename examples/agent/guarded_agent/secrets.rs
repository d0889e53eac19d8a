//! Rails that stop keys on their way from the files to the model, and from the model to the user.

use std::ops::Range;

use exo_rails::prelude::*;
use serde_json::Value;

/// Recognizes keys by their beginning.
#[derive(Clone)]
struct Keys {
    prefixes: &'static [&'static str],
}

/// The number of characters that follow the beginning of a key. A shorter text only mentions keys.
const SHORTEST_KEY: usize = 8;

impl Default for Keys {
    fn default() -> Self {
        Self { prefixes: &["sk-live-", "sk-test-", "ghp_", "AKIA"] }
    }
}

impl Keys {
    fn are_in(&self, text: &str) -> bool {
        self.first_in(text).is_some()
    }

    fn hide_in(&self, text: &mut String) {
        while let Some(key) = self.first_in(text) {
            text.replace_range(key, "[key hidden]");
        }
    }

    fn first_in(&self, text: &str) -> Option<Range<usize>> {
        let begins = self.prefixes.iter().flat_map(|prefix| text.match_indices(prefix));
        begins.filter_map(|(start, prefix)| key_at(text, start, prefix)).min_by_key(|key| key.start)
    }
}

fn key_at(text: &str, start: usize, prefix: &str) -> Option<Range<usize>> {
    let rest = &text[start + prefix.len()..];
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
    (length >= SHORTEST_KEY).then(|| start..start + prefix.len() + length)
}

/// Hides keys in the question of the user and in the output of tools, before the model reads them.
#[derive(Default)]
pub(crate) struct RedactKeys {
    keys: Keys,
}

#[rail(name = "redact_keys", priority = 40)]
impl RedactKeys {
    #[on(Start)]
    fn question(&self, run: &mut InvokeInputs) {
        run.input.for_each_text(|text| self.keys.hide_in(text));
    }

    #[on(PostToolCall)]
    fn output(&self, output: &mut ToolOutput) {
        self.keys.hide_in(&mut output.content);
    }
}

/// Stops keys in answers and in the arguments of tools. The model must answer again.
#[derive(Default)]
pub(crate) struct KeepSecrets {
    keys: Keys,
}

#[rail(name = "keep_secrets", priority = 20)]
impl KeepSecrets {
    #[on(PostLlmCall)]
    fn answer(&self, response: &ModelResponse) -> RailAction {
        if self.keys.are_in(&response.message.text()) {
            return RailAction::retry(RetryRequest::new("the answer tells a key"));
        }
        let mut calls = response.message.tool_calls.iter();
        match calls.find(|call| self.keys.are_in(&unescaped(&call.function.arguments))) {
            Some(call) => {
                RailAction::retry(RetryRequest::new(format!("the call of `{}` tells a key", call.function.name)))
            }
            None => RailAction::Continue,
        }
    }
}

/// Replaces escapes such as `\u0073`, in which JSON can write any letter, with the letters. For this, the function reads
/// the arguments and writes them again.
fn unescaped(arguments: &str) -> String {
    serde_json::from_str::<Value>(arguments).map_or_else(|_| arguments.to_owned(), |value| value.to_string())
}
