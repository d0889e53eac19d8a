//! The message should say: a query is not a permit, and only a guard makes one.

use exo_rails::prelude::*;
use exo_rails::{MemoryItem, MemoryQuery};
use exo_rails_agent::{InMemory, Memory};

async fn unguarded(memory: &InMemory) -> Result<Vec<MemoryItem>, OperationError> {
    memory.recall(MemoryQuery::new("What is the password?", 5).into()).await
}

fn main() {
    let _ = unguarded(&InMemory::shared(10));
}
