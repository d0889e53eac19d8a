//! Operations per second of each store: a measurement that checks nothing. To run it:
//! `cargo test --release -p exo-rails-guards --features file-store,redis --test store -- --ignored --nocapture speed`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use exo_rails_guards::store::{Claim, StateStore, StateStoreExt};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use crate::bench::{Bench, Kind};

const HOUR: Duration = Duration::from_hours(1);
const TIME: Duration = Duration::from_secs(1);

async fn count_and_settle(store: &dyn StateStore, key: &str) {
    let claim = Claim { key, amount: 1, limit: u64::MAX, window: Some(HOUR) };
    let reservation = store.reserve(&[claim], HOUR).await.unwrap().unwrap();
    store.settle(&reservation, &[1]).await.unwrap();
}

/// Performs one of the operations with a number of tasks for a second. Returns how many were performed.
fn measure(kind: Kind, tasks: usize, operation: usize) -> Option<u64> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Bench::new(kind)?;
        store.store.write("record", "value", None).await.unwrap();
        let end = Instant::now() + TIME;
        let mut running = JoinSet::new();
        for number in 0..tasks {
            let store: Arc<dyn StateStore> = store.store.clone();
            running.spawn(async move {
                let own = format!("key-{number}");
                let mut done = 0;
                while Instant::now() < end {
                    match operation {
                        0 => drop(store.get("record").await.unwrap()),
                        1 => store.write(&own, "value", Some(HOUR)).await.unwrap(),
                        2 => count_and_settle(&store, &own).await,
                        _ => count_and_settle(&store, "shared").await,
                    }
                    done += 1;
                    tokio::task::consume_budget().await;
                }
                done
            });
        }
        let mut sum = 0;
        while let Some(done) = running.join_next().await {
            sum += done.unwrap();
        }
        Some(sum)
    })
}

#[test]
#[ignore = "it measures and checks nothing"]
fn operations_in_a_second() {
    let kinds = [
        Kind::Memory,
        #[cfg(feature = "file-store")]
        Kind::File,
        #[cfg(feature = "redis")]
        Kind::Redis,
    ];
    eprintln!(
        "{:8} {:>5} {:>12} {:>12} {:>22} {:>22}",
        "store", "tasks", "get", "write", "reserve and settle", "on one counter"
    );
    for kind in kinds {
        for tasks in [1, 64] {
            let [get, write, own, shared] = [0, 1, 2, 3].map(|operation| measure(kind, tasks, operation).unwrap_or(0));
            eprintln!("{:8} {tasks:>5} {get:>12} {write:>12} {own:>22} {shared:>22}", format!("{kind:?}"));
        }
    }
}
