//! A memory in the memory of the process.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exo_rails::message::{Message, Role};
use exo_rails::{MemoryEntry, MemoryItem, MemoryQuery, OperationError, Permit, RunScope};

use super::Memory;

type Owner = Arc<dyn Fn(&RunScope) -> Option<String> + Send + Sync>;

/// A memory in the memory of the process, which searches for words. It ends with the process.
///
/// It keeps the newest entries, as many as it has room for. It recalls the entries that have words of the query in them: those with
/// more words come first, and a word counts the less the more entries have it; of equals, the newer comes first. A word is a run of
/// letters and digits, without regard to case; so it finds little in languages that are written without spaces, and no
/// synonyms. An entry is as long as what was said.
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
    /// A memory with room for `capacity` entries. All runs that use it share them: it is for one user, or for what everybody may
    /// know.
    #[must_use]
    pub fn shared(capacity: usize) -> Self {
        Self::of_each(capacity, |_| Some(String::new()))
    }

    /// A memory in which each owner has entries that no other owner recalls. There is room for so many entries of all owners
    /// together. Where a run has no owner, nothing is stored or recalled.
    ///
    /// The owner is what the program knows, and not what the model says: the session, or a value in the state of the session.
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

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Forgets all entries.
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
        // Stable: of equals, the newer stays first.
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

/// Who has said what.
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
