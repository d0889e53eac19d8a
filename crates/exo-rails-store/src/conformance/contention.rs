//! Many tasks use one store at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::task::JoinSet;

use super::bench::{Bench, Fixture};
use crate::{Change, Claim, Counter, StateStore, StateStoreExt};

const TASKS: u64 = 64;
const HOUR: Duration = Duration::from_hours(1);

/// Runs 64 tasks on several threads.
fn tasks<F: Fixture, T: Future<Output = ()> + Send + 'static>(
    task: impl Fn(Arc<dyn StateStore>, u64) -> T,
) -> Option<Bench<F>> {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let bench = Bench::<F>::new()?;
        let mut running: JoinSet<()> = (0..TASKS).map(|number| task(bench.store.clone(), number)).collect();
        while let Some(result) = running.join_next().await {
            result.unwrap();
        }
        Some(bench)
    })
}

/// Reads the end of a test, on a new runtime. So a store must not depend on the runtime of its first operation.
fn after<F: Fixture, T>(bench: Bench<F>, check: impl AsyncFnOnce(Bench<F>) -> T) -> T {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(check(bench))
}

/// 64 tasks on several threads never spend more than the limits of two counters.
pub fn tasks_never_spend_more_than_the_budget<F: Fixture>() {
    let (limit, spent, most) = (500, Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let counters = (spent.clone(), most.clone());
    let bench = tasks::<F, _>(move |store, number| {
        let (spent, most) = counters.clone();
        async move {
            let amount = 1 + number % 5;
            let claims = ["day", "hour"].map(|key| Claim { key, amount, limit, window: Some(HOUR) });
            while let Ok(reservation) = store.reserve(&claims, HOUR).await.unwrap() {
                let before = spent.fetch_add(amount, Ordering::SeqCst);
                most.fetch_max(before + amount, Ordering::SeqCst);
                tokio::task::yield_now().await;
                let used = amount.div_ceil(2);
                // What is given back is given back before others can use it.
                spent.fetch_sub(amount - used, Ordering::SeqCst);
                store.settle(&reservation, &[used, used]).await.unwrap();
            }
        }
    });
    let Some(bench) = bench else { return };
    assert!(most.load(Ordering::SeqCst) <= limit, "spent {most:?} of {limit}");
    after(bench, async |bench| {
        for key in ["day", "hour"] {
            let counter = bench.store.counter(key).await.unwrap();
            assert_eq!((counter.used, counter.reserved), (spent.load(Ordering::SeqCst), 0));
        }
    });
}

/// No update of a record and no entry of a log is lost when 64 tasks write at the same time.
pub fn no_update_is_lost<F: Fixture>() {
    let times = F::UPDATES;
    let Some(bench) = tasks::<F, _>(move |store, number| async move {
        for _ in 0..times {
            let add = |sum: Option<u64>| (Change::Put(sum.unwrap_or(0) + number, None), ());
            store.update("sum", add).await.unwrap();
            store.append("log", &number.to_be_bytes(), 100_000, None).await.unwrap();
        }
    }) else {
        return;
    };
    after(bench, async |bench| {
        assert_eq!(bench.store.read::<u64>("sum").await.unwrap(), Some(times * TASKS * (TASKS - 1) / 2));
        let entries = bench.store.entries("log").await.unwrap();
        assert!(entries.iter().map(|entry| entry.number).eq(0..times * TASKS));
    });
}

/// When 64 tasks settle one reservation at the same time, it counts once.
pub fn one_settlement_of_many_counts<F: Fixture>() {
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some(bench) = Bench::<F>::new() else { return };
        let claim = Claim { key: "key", amount: 3, limit: 1_000, window: None };
        for round in 1..=5 {
            let reservation = Arc::new(bench.store.reserve(&[claim], HOUR).await.unwrap().unwrap());
            let mut running: JoinSet<()> = (0..TASKS)
                .map(|_| {
                    let (store, reservation) = (bench.store.clone(), reservation.clone());
                    async move { store.settle(&reservation, &[3]).await.unwrap() }
                })
                .collect();
            while running.join_next().await.is_some() {}
            let expected = Counter { used: 3 * round, reserved: 0, resets_in: None };
            assert_eq!(bench.store.counter("key").await.unwrap(), expected);
        }
    });
}
