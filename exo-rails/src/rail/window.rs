//! The code that `#[rail]` puts around a rail with a `window`. It records in the window which rail is running, and how
//! many characters to hold back if the rail calls no method that does so.

use crate::event::{Event, LlmChunk, Payloads};

/// Records that a rail with a window of this number of characters starts.
pub const fn begin_window(payload: &mut <LlmChunk as Payloads>::Payload<'_>, characters: usize) {
    payload.1.begin_rail(characters);
}

/// Records that the rail has ended.
pub fn end_window(payload: &mut <LlmChunk as Payloads>::Payload<'_>) {
    payload.1.end_rail();
}

/// Records that the rail looks at the window at the same time as other rails.
pub fn share_window((_, window): <LlmChunk as Event>::Shared<'_>, characters: usize) {
    window.shared_by_rail(characters);
}
