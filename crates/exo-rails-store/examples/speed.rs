//! Measures the operations per second of each store. The argument is the URL of a Redis server; without it, Redis is left out:
//! `cargo run --release -p exo-rails-store --example speed -- redis://localhost`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use exo_rails_store::{Claim, FileStore, MemoryStore, RedisStore, StateStore, StateStoreExt, StoreError};
use tokio::task::JoinSet;

const HOUR: Duration = Duration::from_hours(1);
const TIME: Duration = Duration::from_secs(1);

#[derive(Clone, Copy)]
enum Operation {
    Get,
    Write,
    /// Reserves and settles on a counter of each task.
    Settle,
    /// Reserves and settles on one counter.
    SettleShared,
}

async fn count_and_settle(store: &dyn StateStore, key: &str) -> Result<(), StoreError> {
    let claim = Claim { key, amount: 1, limit: u64::MAX, window: Some(HOUR) };
    let reservation = store.reserve(&[claim], HOUR).await?.unwrap();
    store.settle(&reservation, &[1]).await
}

/// Performs an operation with a number of tasks for a second. Returns how many were performed.
async fn measure(store: &Arc<dyn StateStore>, tasks: usize, operation: Operation) -> Result<u64, StoreError> {
    store.write("record", "value", None).await?;
    let end = Instant::now() + TIME;
    let mut running = JoinSet::new();
    for number in 0..tasks {
        let store = Arc::clone(store);
        running.spawn(async move {
            let own = format!("key-{number}");
            let mut done = 0;
            while Instant::now() < end {
                match operation {
                    Operation::Get => drop(store.get("record").await?),
                    Operation::Write => store.write(&own, "value", Some(HOUR)).await?,
                    Operation::Settle => count_and_settle(&store, &own).await?,
                    Operation::SettleShared => count_and_settle(&store, "shared").await?,
                }
                done += 1;
                tokio::task::consume_budget().await;
            }
            Ok::<u64, StoreError>(done)
        });
    }
    let mut sum = 0;
    while let Some(done) = running.join_next().await {
        sum += done.unwrap()?;
    }
    Ok(sum)
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut stores: Vec<(&str, Arc<dyn StateStore>)> = vec![
        ("memory", Arc::new(MemoryStore::new())),
        ("file", Arc::new(FileStore::open(folder.path().join("state"))?)),
    ];
    if let Some(url) = std::env::args().nth(1) {
        let deployment = format!("speed-{}", std::process::id());
        stores.push(("redis", Arc::new(RedisStore::open(&url, &deployment)?)));
    }
    println!("store    tasks          get        write     reserve and settle         on one counter");
    for (name, store) in stores {
        for tasks in [1, 64] {
            let get = measure(&store, tasks, Operation::Get).await?;
            let write = measure(&store, tasks, Operation::Write).await?;
            let settle = measure(&store, tasks, Operation::Settle).await?;
            let shared = measure(&store, tasks, Operation::SettleShared).await?;
            println!("{name:8} {tasks:>5} {get:>12} {write:>12} {settle:>22} {shared:>22}");
        }
    }
    Ok(())
}
