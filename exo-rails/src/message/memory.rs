//! The payloads of a memory's events: queries, recalled items and new entries.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extra::unknown_fields;
use super::{Message, Messages, texts};

/// A query for a memory: a part of the payload of [`MemoryRecalled`](crate::events::MemoryRecalled).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryQuery {
    /// The text to look for. An agent writes the text of the user's input here, with the changes of the rails of
    /// [`Start`](crate::events::Start).
    pub text: String,
    /// The greatest number of items to recall.
    pub limit: usize,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<MemoryQuery, _>")]
    pub extra: Map<String, Value>,
}

impl MemoryQuery {
    /// Makes a query for at most `limit` items.
    #[must_use]
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self { text: text.into(), limit, extra: Map::new() }
    }
}

/// An item of a memory: a part of [`RecalledMemory`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryItem {
    /// The text for the model.
    pub text: String,
    /// Additional fields, such as the source or the age of the item. The model does not read them.
    #[serde(flatten, serialize_with = "unknown_fields::<MemoryItem, _>")]
    pub extra: Map<String, Value>,
}

impl MemoryItem {
    /// Makes an item with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), extra: Map::new() }
    }
}

impl From<&str> for MemoryItem {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for MemoryItem {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// The answer of a memory: a part of the payload of [`MemoryRecalled`](crate::events::MemoryRecalled). The rails of
/// this event may change, add and remove items.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::RecalledMemory;
///
/// #[rail(on = [MemoryRecalled])]
/// fn redact(memory: &mut RecalledMemory) {
///     memory.items.retain(|item| !item.text.contains("password"));
///     memory.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecalledMemory {
    /// The items for the model, the most important first.
    pub items: Vec<MemoryItem>,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<RecalledMemory, _>")]
    pub extra: Map<String, Value>,
}

impl RecalledMemory {
    /// Calls `change` with the text of each item, and with each text in the additional fields. Use it in rails that
    /// redact.
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        for item in &mut self.items {
            change(&mut item.text);
            texts::of_fields(&mut item.extra, &mut change);
        }
        texts::of_fields(&mut self.extra, &mut change);
    }
}

impl<I: Into<MemoryItem>> From<Vec<I>> for RecalledMemory {
    fn from(items: Vec<I>) -> Self {
        Self { items: items.into_iter().map(Into::into).collect(), extra: Map::new() }
    }
}

/// An entry for a memory: the payload of [`MemoryStored`](crate::events::MemoryStored), before the memory receives it.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::MemoryEntry;
///
/// /// Removes a key before the memory stores it.
/// #[rail(on = [MemoryStored])]
/// fn redact(entry: &mut MemoryEntry) {
///     entry.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// The messages to store. An agent writes the user's input and the answer here.
    pub messages: Messages,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<MemoryEntry, _>")]
    pub extra: Map<String, Value>,
}

impl MemoryEntry {
    /// Makes an entry with these messages.
    #[must_use]
    pub fn new(messages: impl Into<Messages>) -> Self {
        Self { messages: messages.into(), extra: Map::new() }
    }

    /// Makes an entry with the input of a user and the answer.
    #[must_use]
    pub fn exchange(input: Message, answer: Message) -> Self {
        Self::new([input, answer])
    }

    /// Calls `change` with [each text](Message::for_each_text) of the messages, and with each text in the additional
    /// fields. Use it in rails that redact.
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        self.messages.for_each_text(&mut change);
        texts::of_fields(&mut self.extra, &mut change);
    }
}
