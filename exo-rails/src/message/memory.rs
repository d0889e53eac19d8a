//! What a memory is asked, what it recalls and what it stores: carried by its events.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extra::unknown_fields;
use super::{Message, Messages, texts};

/// What a memory is asked: carried by [`MemoryRecalled`](crate::events::MemoryRecalled).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryQuery {
    /// What is looked for: an agent writes the text of the user's input here, as the rails of
    /// [`Start`](crate::events::Start) have left it.
    pub text: String,
    /// How many items are wanted at most.
    pub limit: usize,
    /// Whatever else belongs to the query.
    #[serde(flatten, serialize_with = "unknown_fields::<MemoryQuery, _>")]
    pub extra: Map<String, Value>,
}

impl MemoryQuery {
    /// A query for at most `limit` items.
    #[must_use]
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self { text: text.into(), limit, extra: Map::new() }
    }
}

/// Something that a memory knows: a part of [`RecalledMemory`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryItem {
    /// What the model reads.
    pub text: String,
    /// Whatever else belongs to the item, such as its source or its age. The model does not read it.
    #[serde(flatten, serialize_with = "unknown_fields::<MemoryItem, _>")]
    pub extra: Map<String, Value>,
}

impl MemoryItem {
    /// An item with this text.
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

/// What a memory has recalled: carried by [`MemoryRecalled`](crate::events::MemoryRecalled). Its rails may change it, add to
/// it and remove from it.
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
    /// What the model is to read, the most important first.
    pub items: Vec<MemoryItem>,
    /// Whatever else belongs to it.
    #[serde(flatten, serialize_with = "unknown_fields::<RecalledMemory, _>")]
    pub extra: Map<String, Value>,
}

impl RecalledMemory {
    /// Applies `change` to the text of each item, for rails that redact, and to all texts in fields that these types do not know.
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

/// What a memory is to store: carried by [`MemoryStored`](crate::events::MemoryStored), before the memory receives it.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::MemoryEntry;
///
/// /// No key reaches the memory.
/// #[rail(on = [MemoryStored])]
/// fn redact(entry: &mut MemoryEntry) {
///     entry.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// What was said: an agent writes the user's input and the answer here.
    pub messages: Messages,
    /// Whatever else belongs to the entry.
    #[serde(flatten, serialize_with = "unknown_fields::<MemoryEntry, _>")]
    pub extra: Map<String, Value>,
}

impl MemoryEntry {
    /// An entry with these messages.
    #[must_use]
    pub fn new(messages: impl Into<Messages>) -> Self {
        Self { messages: messages.into(), extra: Map::new() }
    }

    /// An entry with a user's input and the answer.
    #[must_use]
    pub fn exchange(input: Message, answer: Message) -> Self {
        Self::new([input, answer])
    }

    /// Applies `change` to [each text](Message::for_each_text) of the messages, for rails that redact, and to those in fields
    /// that this type does not know.
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        self.messages.for_each_text(&mut change);
        texts::of_fields(&mut self.extra, &mut change);
    }
}
