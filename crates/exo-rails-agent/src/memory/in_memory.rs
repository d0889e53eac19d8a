//! A memory in the process.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exo_rails::message::{Message, Role};
use exo_rails::{MemoryEntry, MemoryItem, MemoryQuery, OperationError, Permit, RunScope};

use super::Memory;

type Owner = Arc<dyn Fn(&RunScope) -> Option<String> + Send + Sync>;

/// A memory that keeps its entries in the process and finds them by words. The entries are lost when the process ends.
///
/// The memory keeps the newest entries, up to its capacity. It recalls the entries that contain words of the query:
///
/// - An entry with more words of the query comes earlier. A word counts less if more entries contain it. Of two equal
///   entries, the newer one comes first.
/// - A word is a sequence of letters and digits. Upper case and lower case are equal. So the memory finds little in
///   languages without spaces between words, and no synonyms.
/// - The memory does not shorten the text of an entry.
///
/// Clones share their entries.
///
/// ```
/// use exo_rails::message::Message;
/// use exo_rails::prelude::*;
/// use exo_rails::{MemoryEntry, MemoryQuery, NoRails};
/// use exo_rails_agent::{InMemory, Memory};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let (memory, mut ctx) = (InMemory::shared(100), RunContext::new("demo"));
/// for said in ["My name is Ada.", "My order is late."] {
///     let entry = MemoryEntry::new([Message::user(said)]);
///     NoRails.guard_store(entry, &mut ctx, |entry| memory.store(entry)).await?;
/// }
/// let query = MemoryQuery::new("What is my name?", 1);
/// let recalled = NoRails.guard_recall(query, &mut ctx, |query| memory.recall(query)).await?;
/// assert_eq!(recalled.items, ["User: My name is Ada.".into()]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct InMemory {
    capacity: usize,
    owner: Owner,
    entries: Arc<Mutex<VecDeque<Stored>>>,
}

/// An entry.
struct Stored {
    owner: String,
    item: MemoryItem,
    words: HashSet<String>,
}

impl InMemory {
    /// Makes a memory with room for `capacity` entries. All runs share all entries, so use this memory for one user, or
    /// for facts that every user may know.
    #[must_use]
    pub fn shared(capacity: usize) -> Self {
        Self::of_each(capacity, |_| Some(String::new()))
    }

    /// Makes a memory in which each owner recalls only its own entries. `capacity` is the number of entries of all owners
    /// together. If a run has no owner, the memory stores and recalls nothing.
    ///
    /// Choose the owner from facts that the program knows, and not from text of the model. For example, use the name of
    /// the session or a value in its state.
    ///
    /// ```
    /// use exo_rails_agent::InMemory;
    ///
    /// let of_each_session = InMemory::of_each(1_000, |scope| scope.session_id().map(str::to_owned));
    /// let of_each_user = InMemory::of_each(1_000, |scope| {
    ///     scope.session.state().get("user").and_then(|user| user.as_str().map(str::to_owned))
    /// });
    /// ```
    #[must_use]
    pub fn of_each(capacity: usize, owner: impl Fn(&RunScope) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { capacity, owner: Arc::new(owner), entries: Arc::default() }
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns `true` if the memory has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.entries().clear();
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<Stored>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, owner: &str, query: &MemoryQuery) -> Vec<MemoryItem> {
        let entries = self.entries();
        let own: Vec<_> = entries.iter().rev().filter(|entry| entry.owner == owner).collect();
        let mut scores = vec![0.0; own.len()];
        for word in words(&query.text) {
            let having: Vec<_> = (0..own.len()).filter(|at| own[*at].words.contains(&word)).collect();
            #[expect(clippy::cast_precision_loss, reason = "a few entries more or less are the same")]
            let weight = 1.0 / having.len() as f64;
            for at in having {
                scores[at] += weight;
            }
        }
        let mut found: Vec<_> = own.into_iter().zip(scores).filter(|(_, score)| *score > 0.0).collect();
        // The sort is stable, so of two equal entries the newer one stays first.
        found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        found.into_iter().take(query.limit).map(|(entry, _)| entry.item.clone()).collect()
    }
}

impl Memory for InMemory {
    async fn recall(&self, query: Permit<MemoryQuery>) -> Result<Vec<MemoryItem>, OperationError> {
        query.ensure_open()?;
        Ok((self.owner)(query.scope()).map(|owner| self.find(&owner, &query)).unwrap_or_default())
    }

    async fn store(&self, entry: Permit<MemoryEntry>) -> Result<(), OperationError> {
        entry.ensure_open()?;
        let Some(owner) = (self.owner)(entry.scope()) else { return Ok(()) };
        let words = entry.messages.iter().flat_map(|message| words(&message.text())).collect();
        let text = entry.messages.iter().filter_map(said).collect::<Vec<_>>().join("\n");
        let item = MemoryItem { text, extra: entry.extra.clone() };
        let mut entries = self.entries();
        entries.push_back(Stored { owner, item, words });
        while entries.len() > self.capacity {
            entries.pop_front();
        }
        Ok(())
    }
}

/// Returns the text of a message with its speaker, or `None` for an empty text.
fn said(message: &Message) -> Option<String> {
    let text = message.text();
    let who = match message.role {
        Role::User => "User: ",
        Role::Assistant => "Assistant: ",
        _ => "",
    };
    (!text.is_empty()).then(|| format!("{who}{text}"))
}

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

impl fmt::Debug for InMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InMemory").field("capacity", &self.capacity).field("len", &self.len()).finish_non_exhaustive()
    }
}
