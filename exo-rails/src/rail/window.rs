//! What `#[rail]` puts around a rail with a `window`: the window knows which rail is at work, and how much is to be held back
//! for it when it does not say so itself.

use crate::event::{Event, LlmChunk, Payloads};

/// A rail with a window of so many characters begins its work.
pub const fn begin_window(payload: &mut <LlmChunk as Payloads>::Payload<'_>, characters: usize) {
    payload.1.begin_rail(characters);
}

/// It has ended.
pub fn end_window(payload: &mut <LlmChunk as Payloads>::Payload<'_>) {
    payload.1.end_rail();
}

/// The rail looks at the window beside others.
pub fn share_window((_, window): <LlmChunk as Event>::Shared<'_>, characters: usize) {
    window.shared_by_rail(characters);
}
