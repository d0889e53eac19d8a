//! Runs that are dropped before they have ended: the rails of `Dropped` run while it happens.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::message::Usage;
use exo_rails::prelude::*;
use exo_rails::{DroppedInputs, DroppedScope, EventBus, ModelDelta};
use futures_util::stream::{self, StreamExt};
use tests::{GuardDyn, Warnings, note, notes, prompt, rails};

#[rail(priority = 10, on = [Dropped])]
fn first(dropped: &DroppedInputs, ctx: &RailContext) {
    assert_eq!((dropped.what, ctx.event()), (DroppedScope::Run, HookPoint::Dropped));
    note(ctx, format!("dropped after {} tokens", dropped.usage.total_tokens));
}

#[rail(priority = 90, on = [Start, Finished, events::Error, Dropped])]
fn log(ctx: &RailContext) {
    note(ctx, ctx.event().name());
}

rail_chain! {
    #[derive(Clone, Copy)]
    struct Logged { log, first }
}

/// A run that uses tokens, then waits for ever.
async fn endless(rails: &dyn GuardSet, run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
    let usage = Some(Usage { total_tokens: 7, ..Usage::default() });
    let model =
        |_| async { Ok::<_, OperationError>(ModelResponse { usage: usage.clone(), ..ModelResponse::text("hi") }) };
    (&rails).guard_llm_call(prompt("hi"), &mut run.context(), model).await?;
    // This call tells what it costs, and then no more.
    let told = ModelDelta::Usage(Usage { total_tokens: 5, ..Usage::default() });
    let stuck = |_| stream::iter([Ok::<_, OperationError>(told.clone())]).chain(stream::pending());
    (&rails).guard_stream(prompt("hi"), &mut run.context(), stuck, |_| async {}).await?;
    unreachable!("the stream has no end")
}

/// Begins a run, and drops it.
async fn begin(rails: &dyn GuardSet, ctx: &mut RunContext) {
    let run = (&rails).guard_run("hi", ctx, |run| endless(rails, run));
    assert!(tokio::time::timeout(Duration::from_millis(1), run).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_is_seen_in_every_guard_set() {
    async fn check(set: &str, rails: &dyn GuardSet) {
        let mut ctx = RunContext::new("dropped");
        begin(rails, &mut ctx).await;
        assert_eq!(notes(&ctx), ["start", "dropped after 12 tokens", "dropped"], "{set}");
        assert_eq!(ctx.usage().total_tokens, 12);
    }
    rail_chain! { struct Outer { logged: Logged } }
    let mut manager = RailManager::new();
    manager.add(log {}).unwrap();
    manager.add(first {}).unwrap();
    let mut hooks = HookManager::new();
    Logged.register(&mut hooks);
    check("chain", &Logged).await;
    check("nested", &Outer { logged: Logged }).await;
    check("manager", &manager).await;
    check("hooks", &hooks).await;
    let bus = EventBus::new(16);
    let mut records = bus.subscribe().with_events([HookPoint::Dropped]);
    check("bus", &bus.wrap(Logged)).await;
    let record = records.recv().await.unwrap().unwrap();
    assert_eq!(record.payload["dropped"]["what"], "run");
    assert_eq!(record.payload["dropped"]["usage"]["total_tokens"], 12);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_ended_is_not_dropped() {
    let mut ctx = RunContext::new("dropped");
    Logged.guard_run("hi", &mut ctx, |_| async { Ok::<_, RunError>(InvokeOutput::text("hi")) }).await.unwrap();
    let failing = |_| async { Err::<InvokeOutput, RunError>(RunError::Cancelled) };
    assert!(Logged.guard_run("hi", &mut ctx, failing).await.is_err());
    // Nor is one that has not begun.
    drop(Logged.guard_run("hi", &mut ctx, |_| async { Ok::<_, RunError>(InvokeOutput::text("hi")) }));
    assert_eq!(notes(&ctx), ["start", "finished", "start", "error"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_dropped_while_a_rail_waits() {
    #[rail(on = [Start])]
    async fn approval() {
        pending::<()>().await;
    }
    #[rail(on = [Finished])]
    async fn slow() {
        pending::<()>().await;
    }
    let mut ctx = RunContext::new("dropped");
    begin(&rails![approval, first], &mut ctx).await;
    let quick = |_| async { Ok::<_, RunError>(InvokeOutput::text("hi")) };
    let rails = rails![slow, first];
    assert!(tokio::time::timeout(Duration::from_millis(1), rails.dyn_run("hi", &mut ctx, quick)).await.is_err());
    assert_eq!(notes(&ctx), ["dropped after 0 tokens"; 2]);
}

#[tokio::test(start_paused = true)]
async fn faults_and_panics_of_rails_in_a_drop_are_reported() {
    #[rail(priority = 20, on = [Dropped])]
    fn faulty() -> Result<(), String> {
        Err("no disk".into())
    }
    #[rail(priority = 30, on = [Dropped])]
    fn panics() {
        panic!("in a drop");
    }
    async fn waits(_: Inputs<'_>, _: &mut RailContext) {
        pending::<()>().await;
    }
    let (warnings, _collecting) = Warnings::collect();
    let mut ctx = RunContext::new("dropped");
    begin(&rails![faulty, first, panics], &mut ctx).await;
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::Dropped, waits);
    begin(&hooks, &mut ctx).await;
    assert_eq!(notes(&ctx), ["dropped after 12 tokens"]);
    let told = warnings.seen().join("\n");
    for expected in ["no disk", "a rail or hook on `Dropped` panicked", "a rail or hook on `Dropped` waits"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// Counts what was dropped.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU32>);

#[rail]
impl Count {
    #[on(Dropped)]
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("while the task panics");
    }
}

#[tokio::test]
async fn a_panic_of_the_run_fires_dropped() {
    rail_chain! { struct Counted { count: Count } }
    let count = Count::default();
    let rails = Counted { count: count.clone() };
    let task = tokio::spawn(async move {
        let panics = |_| async { if true { panic!("in the run") } else { Ok::<_, RunError>(InvokeOutput::default()) } };
        rails.guard_run("hi", &mut RunContext::new("dropped"), panics).await
    });
    assert!(task.await.unwrap_err().is_panic(), "and not the end of the process");
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
}
