//! Many runs at once never exceed a budget together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::store::{MemoryStore, StateStore};
use exo_rails_guards::{Scope, UserId};
use proptest::prelude::*;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::budgets::support::{Rails, answer, counter, on, request, usage};

/// The tokens of the request of [`request`] with 9 bytes.
const PROMPT: u64 = 7;

/// How a call ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// With this part of the reserved tokens, in percent.
    Answer(u64),
    Failure,
    /// Somebody drops it while the model works.
    Dropped,
    /// Somebody drops it after a short time, perhaps before it reaches the model.
    Cancelled,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    max_tokens: u64,
    end: End,
    waits: u32,
}

fn planned() -> impl Strategy<Value = Planned> {
    let end = prop_oneof![
        8 => (0..=100_u64).prop_map(End::Answer),
        2 => Just(End::Failure),
        1 => Just(End::Dropped),
        1 => Just(End::Cancelled),
    ];
    (1..300_u64, end, 0..4_u32).prop_map(|(max_tokens, end, waits)| Planned { max_tokens, end, waits })
}

/// What the model has seen, counted from outside.
#[derive(Default)]
struct Seen {
    /// The tokens that answers have used, and those that running calls may use.
    tokens: AtomicU64,
    most: AtomicU64,
    used: AtomicU64,
    calls: AtomicU64,
}

/// The tokens of a running call. They are free again if the call is dropped.
struct Running<'s> {
    seen: &'s Seen,
    tokens: u64,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.seen.tokens.fetch_sub(self.tokens, Ordering::SeqCst);
    }
}

async fn model(seen: &Seen, plan: Planned, works: &Notify) -> Result<ModelResponse, OperationError> {
    seen.calls.fetch_add(1, Ordering::SeqCst);
    let reserved = PROMPT + plan.max_tokens;
    let before = seen.tokens.fetch_add(reserved, Ordering::SeqCst);
    seen.most.fetch_max(before + reserved, Ordering::SeqCst);
    let mut running = Running { seen, tokens: reserved };
    for _ in 0..plan.waits {
        tokio::task::yield_now().await;
    }
    match plan.end {
        End::Answer(percent) => {
            let completion = plan.max_tokens * percent / 100;
            running.tokens -= PROMPT + completion;
            seen.used.fetch_add(PROMPT + completion, Ordering::SeqCst);
            Ok(answer(Some(usage(PROMPT, completion))))
        }
        End::Failure => Err(OperationError::from("down")),
        End::Dropped | End::Cancelled => {
            works.notify_one();
            std::future::pending().await
        }
    }
}

async fn run(rails: &Rails, seen: &Seen, plans: &[Planned]) {
    for plan in plans {
        let mut ctx = RunContext::new("demo");
        ctx.run.insert(UserId::new("ada"));
        let works = Notify::new();
        let call = rails.guard_llm_call(request(9, Some(plan.max_tokens)), &mut ctx, |_| model(seen, *plan, &works));
        let dropped = async {
            match plan.end {
                End::Dropped => works.notified().await,
                End::Cancelled => tokio::time::sleep(Duration::from_millis(2)).await,
                End::Answer(_) | End::Failure => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = call => {}
            () = dropped => {}
        }
    }
}

/// Runs the plans, each in a task. Returns what the model has seen, and the used tokens.
fn all_at_once<S: StateStore + Clone + 'static>(store: &S, most: u64, plans: Vec<Vec<Planned>>) -> (Arc<Seen>, u64) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let toml = format!(
            "limits = [
            {{ name = 'day', of = 'total_tokens', most = {most}, per = 'user', window = 'day' }},
            {{ name = 'run', of = 'total_tokens', most = {most} }},
        ]"
        );
        let (rails, seen) = (Arc::new(on(&toml, store.clone())), Arc::new(Seen::default()));
        let mut tasks = JoinSet::new();
        for plans in plans {
            let (rails, seen) = (rails.clone(), seen.clone());
            tasks.spawn(async move { run(&rails, &seen, &plans).await });
        }
        while let Some(result) = tasks.join_next().await {
            result.unwrap();
        }
        // A store with I/O settles dropped calls in the background.
        let mut counter = counter(store, "day", "total_tokens", Scope::User, "ada").await;
        for _ in 0..1_000 {
            if counter.reserved == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
            counter = crate::budgets::support::counter(store, "day", "total_tokens", Scope::User, "ada").await;
        }
        assert_eq!(counter.reserved, 0);
        (seen, counter.used)
    })
}

fn check(store: &(impl StateStore + Clone + 'static), most: u64, plans: Vec<Vec<Planned>>) {
    let is_cancelled = plans.iter().flatten().any(|plan| matches!(plan.end, End::Cancelled));
    let (seen, used) = all_at_once(store, most, plans);
    let read = |value: &AtomicU64| value.load(Ordering::SeqCst);
    assert!(read(&seen.most) <= most, "{} tokens at once or used, of {most}", read(&seen.most));
    assert_eq!(read(&seen.used), used, "the store counts what the model has used");
    assert!(is_cancelled || read(&seen.calls) > 0, "no call reached the model");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn tasks_do_not_overspend_a_budget_in_memory(
        plans in prop::collection::vec(prop::collection::vec(planned(), 1..6), 2..16),
        most in 400_u64..2_000,
    ) {
        check(&Arc::new(MemoryStore::new()), most, plans);
    }
}

#[cfg(feature = "file-store")]
proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn tasks_do_not_overspend_a_budget_in_a_file(
        plans in prop::collection::vec(prop::collection::vec(planned(), 1..4), 2..8),
        most in 400_u64..2_000,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let store = exo_rails_guards::store::FileStore::open(directory.path().join("state.db")).unwrap();
        check(&Arc::new(store), most, plans);
    }
}
