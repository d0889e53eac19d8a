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

/// The naive way: it always holds back 64 characters, and a key that reaches the end of the window may go on.
#[rail(priority = 40, on = [LlmChunk], window = 64)]
pub(crate) fn redact_naively(window: &mut StreamWindow) {
    if let Some(key) = &*KEY {
        window.text = key.replace_all(&window.text, "[key]").into_owned();
    }
}
