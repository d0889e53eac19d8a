//! A generic memory counts the queries, and passes the permits on to the memory inside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, MemoryItem, MemoryQuery};
use exo_rails_agent::{Agent, InMemory, Memory, ScriptedModel};

struct Counted<M> {
    inner: M,
    queries: Arc<AtomicUsize>,
}

impl<M: Memory> Memory for Counted<M> {
    async fn recall(&self, query: Permit<MemoryQuery>) -> Result<Vec<MemoryItem>, OperationError> {
        self.queries.fetch_add(1, Ordering::Relaxed);
        self.inner.recall(query).await
    }

    async fn store(&self, entry: Permit<MemoryEntry>) -> Result<(), OperationError> {
        self.inner.store(entry).await
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "I will remember it." }, { "say": "Nuts." }]"#.parse()?;
    let (notes, queries) = (InMemory::shared(100), Arc::new(AtomicUsize::new(0)));
    let memory = Counted { inner: notes.clone(), queries: Arc::clone(&queries) };
    let agent = Agent::builder("school-kitchen", model).memory(memory).build();
    agent.run("Mia is allergic to nuts.").await?;
    assert_eq!(agent.run("What must Mia not eat?").await?.text, "Nuts.");
    assert_eq!((queries.load(Ordering::Relaxed), notes.len()), (2, 2));
    Ok(())
}
