//! The texts of a payload, with their places.

use std::ops::Range;

use exo_rails::message::Content;
use serde_json::Value;

use crate::arguments::{nested, texts};
use crate::finding::Place;

/// Texts in texts beyond this depth are not read.
const DEPTH: usize = 4;

/// A text of a payload.
pub(crate) struct Text<'t> {
    pub(crate) content: &'t str,
    place: &'t dyn Fn() -> Place,
    /// Whether the text was inside of another text, so that its bytes are not those of the payload.
    is_nested: bool,
}

impl Text<'_> {
    /// Returns the place of some bytes of the text.
    pub(crate) fn place(&self, bytes: Option<Range<usize>>) -> Place {
        let place = (self.place)();
        match bytes {
            Some(bytes) if !self.is_nested => place.bytes(bytes),
            _ => place,
        }
    }
}

/// Calls `visit` with a text. If the text is JSON, calls it with each text in the JSON instead.
pub(crate) fn each_text(text: &str, pointer: &str, visit: &mut dyn FnMut(&Text<'_>)) {
    let place = || Place::pointer(pointer);
    visit_text(&Text { content: text, place: &place, is_nested: false }, pointer, 0, visit);
}

/// Calls `visit` with each text of a message's content.
pub(crate) fn each_text_of(content: &Content, pointer: &str, visit: &mut dyn FnMut(&Text<'_>)) {
    match content {
        Content::Text(text) => each_text(text, pointer, visit),
        Content::Parts(parts) => {
            for (number, part) in parts.iter().enumerate() {
                if let Some(text) = &part.text {
                    each_text(text, &format!("{pointer}/{number}/text"), visit);
                }
            }
        }
    }
}

/// Calls `visit` with each text of a value, also in texts that are JSON.
pub(crate) fn each_text_in(value: &Value, pointer: &str, visit: &mut dyn FnMut(&Text<'_>)) {
    texts_of(value, pointer, 0, visit);
}

fn texts_of(value: &Value, pointer: &str, depth: usize, visit: &mut dyn FnMut(&Text<'_>)) {
    for text in texts(&None, value) {
        let place = || {
            let inner = text.place();
            Place::pointer(format!("{pointer}{}", inner.pointer))
        };
        // The bytes of a text are those of the payload only if no JSON is around it as text.
        visit_text(&Text { content: text.content, place: &place, is_nested: depth > 0 }, pointer, depth, visit);
    }
}

fn visit_text(text: &Text<'_>, pointer: &str, depth: usize, visit: &mut dyn FnMut(&Text<'_>)) {
    let inner = if depth < DEPTH { nested(text.content) } else { None };
    match inner {
        None => visit(text),
        Some(inner) if depth == 0 => texts_of(&inner, &text.place(None).pointer, 1, visit),
        Some(inner) => texts_of(&inner, pointer, depth + 1, visit),
    }
}
