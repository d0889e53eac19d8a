//! The places of the texts that have something to hide.

use std::ops::Range;

use exo_rails::message::{Content, Message};
use exo_rails::{InvokeInputs, MemoryEntry, ModelResponse, RecalledMemory, ToolCallInputs, ToolOutput};
use serde_json::{Map, Value};

use super::engine::Engine;
use crate::arguments::texts;
use crate::finding::Place;

/// The longest name of a field that a finding shows.
const LONGEST_NAME: usize = 64;

/// The most digits of a name that a finding shows. More could be a number of a person.
const MOST_DIGITS: usize = 6;

/// The texts of a payload in which an engine finds something, with the place of each.
///
/// A rail changes texts through a function that does not know their places. So a text is known by its content. It is copied, but
/// most payloads have no such text.
#[derive(Debug)]
pub(super) struct Places<'e> {
    engine: &'e Engine,
    known: Vec<(String, Here)>,
    /// The place of a text that is not known.
    other: Option<String>,
}

/// The place of a text.
#[derive(Clone, Debug)]
pub(super) struct Here {
    pointer: String,
    /// Where the text begins in the text at the pointer, in bytes.
    start: usize,
}

impl<'e> Places<'e> {
    /// Makes an empty list.
    pub(super) const fn none(engine: &'e Engine) -> Self {
        Self { engine, known: Vec::new(), other: None }
    }

    /// All texts have this place.
    pub(super) fn all(engine: &'e Engine, pointer: impl Into<String>) -> Self {
        Self { other: Some(pointer.into()), ..Self::none(engine) }
    }

    /// The places of the texts of an input, without the first messages before it.
    pub(super) fn of_input(engine: &'e Engine, run: &InvokeInputs, from: usize) -> Self {
        let mut places = Self::none(engine);
        places.content(&run.input, "/input");
        places.messages(&run.messages, from);
        places.fields(&run.extra, "");
        places
    }

    pub(super) fn of_recalled(engine: &'e Engine, memory: &RecalledMemory) -> Self {
        let mut places = Self::none(engine);
        for (number, item) in memory.items.iter().enumerate() {
            let pointer = format!("/items/{number}");
            places.text(&item.text, || format!("{pointer}/text"));
            places.fields(&item.extra, &pointer);
        }
        places.fields(&memory.extra, "");
        places
    }

    pub(super) fn of_entry(engine: &'e Engine, entry: &MemoryEntry) -> Self {
        let mut places = Self::none(engine);
        places.messages(&entry.messages, 0);
        places.fields(&entry.extra, "");
        places
    }

    pub(super) fn of_arguments(engine: &'e Engine, call: &ToolCallInputs) -> Self {
        let mut places = Self::none(engine);
        places.value(&call.arguments, "");
        places
    }

    pub(super) fn of_output(engine: &'e Engine, output: &ToolOutput) -> Self {
        let mut places = Self::none(engine);
        places.text(&output.content, String::new);
        places
    }

    pub(super) fn of_answer(engine: &'e Engine, response: &ModelResponse) -> Self {
        let mut places = Self::none(engine);
        places.message(&response.message, "/message");
        places.fields(&response.extra, "");
        places
    }

    fn messages<'m>(&mut self, messages: impl IntoIterator<Item = &'m Message>, from: usize) {
        for (number, message) in messages.into_iter().enumerate().skip(from) {
            self.message(message, &format!("/messages/{number}"));
        }
    }

    fn message(&mut self, message: &Message, pointer: &str) {
        if let Some(content) = &message.content {
            self.content(content, &format!("{pointer}/content"));
        }
        for (number, call) in message.tool_calls.iter().enumerate() {
            let pointer = format!("{pointer}/tool_calls/{number}");
            self.text(&call.function.name, || format!("{pointer}/function/name"));
            self.json(&call.function.arguments, &format!("{pointer}/function/arguments"));
            self.fields(&call.function.extra, &format!("{pointer}/function"));
            self.fields(&call.extra, &pointer);
        }
        self.fields(&message.extra, pointer);
    }

    fn content(&mut self, content: &Content, pointer: &str) {
        match content {
            Content::Text(text) => self.text(text, || pointer.to_owned()),
            Content::Parts(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    let pointer = format!("{pointer}/{number}");
                    self.text(part.text.as_deref().unwrap_or_default(), || format!("{pointer}/text"));
                    self.fields(&part.extra, &pointer);
                }
            }
        }
    }

    fn fields(&mut self, fields: &Map<String, Value>, pointer: &str) {
        for (name, value) in fields {
            self.value(value, &format!("{pointer}{}", Place::argument(name).pointer));
        }
    }

    fn value(&mut self, value: &Value, pointer: &str) {
        for text in texts(&None, value) {
            self.text(text.content, || format!("{pointer}{}", text.place().pointer));
        }
    }

    /// Adds a text that is JSON, and the texts in it that it has without escapes.
    fn json(&mut self, json: &str, pointer: &str) {
        self.text(json, || pointer.to_owned());
        let Ok(value) = serde_json::from_str::<Value>(json) else { return };
        for text in texts(&None, &value) {
            if let Some(start) = json.find(text.content) {
                self.add(text.content, start, || pointer.to_owned());
            }
        }
    }

    fn text(&mut self, text: &str, pointer: impl FnOnce() -> String) {
        self.add(text, 0, pointer);
    }

    fn add(&mut self, text: &str, start: usize, pointer: impl FnOnce() -> String) {
        if !self.engine.is_clean(text) {
            self.known.push((text.to_owned(), Here { pointer: pointer(), start }));
        }
    }

    /// Returns the place of a text, without bytes. Each place is returned once.
    pub(super) fn take(&mut self, text: &str) -> Option<Here> {
        let at = self.known.iter().position(|(known, _)| known == text)?;
        Some(self.known.swap_remove(at).1)
    }

    /// Returns the place of some bytes of the text at a pointer.
    pub(super) fn place(&self, here: Option<&Here>, bytes: Option<Range<usize>>) -> Option<Place> {
        let Some(Here { pointer, start }) = here else { return Some(Place::pointer(self.other.clone()?)) };
        let shown = self.shown(pointer);
        let place = Place::pointer(shown);
        Some(match bytes {
            Some(bytes) if shown == pointer => place.bytes(start + bytes.start..start + bytes.end),
            _ => place,
        })
    }

    /// Returns the part of a pointer that a finding may show. A name can be a secret or personal data too.
    fn shown<'p>(&self, pointer: &'p str) -> &'p str {
        let mut end = 0;
        for name in pointer.split('/').skip(1) {
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            let digits = name.bytes().filter(u8::is_ascii_digit).count();
            if name.len() > LONGEST_NAME || digits > MOST_DIGITS || !name.bytes().all(is_letter) {
                break;
            }
            end += 1 + name.len();
        }
        let shown = &pointer[..end];
        if self.engine.is_clean(shown) { shown } else { "" }
    }
}
