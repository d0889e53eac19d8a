//! Two rails for the same task. One knows which text may still become a key. The other waits for a fixed number of
//! characters.

use std::sync::LazyLock;

use exo_rails::prelude::*;
use regex::Regex;

static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\bsk-[a-z]+-[0-9a-f]{8,56}\b").ok());

/// Holds back only text that may become a key.
#[rail(priority = 40, on = [LlmChunk], window = 64)]
pub(crate) fn redact(window: &mut StreamWindow) {
    if let Some(key) = &*KEY {
        window.replace(key, "[key]");
    }
}

/// The naive rail. It always holds back 64 characters. And it replaces a key at the end of the window even if the key
/// continues after the window. The rest of the key then passes.
#[rail(priority = 40, on = [LlmChunk], window = 64)]
pub(crate) fn redact_naively(window: &mut StreamWindow) {
    if let Some(key) = &*KEY {
        window.text = key.replace_all(&window.text, "[key]").into_owned();
    }
}
