//! Two rails that do the same: one knows what may still become a key, the other waits for so many characters.

use std::sync::LazyLock;

use exo_rails::prelude::*;
use regex::Regex;

static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\bsk-[a-z]+-[0-9a-f]{8,56}\b").ok());

/// Holds back only what may become a key.
#[rail(priority = 40, on = [LlmChunk], window = 64)]
pub(crate) fn redact(window: &mut StreamWindow) {
    if let Some(key) = &*KEY {
        window.replace(key, "[key]");
    }
}

/// The naive way. It always holds back 64 characters. And it replaces a key that reaches the end of the window, though the key
/// may go on: then the rest of the key leaves.
#[rail(priority = 40, on = [LlmChunk], window = 64)]
pub(crate) fn redact_naively(window: &mut StreamWindow) {
    if let Some(key) = &*KEY {
        window.text = key.replace_all(&window.text, "[key]").into_owned();
    }
}
