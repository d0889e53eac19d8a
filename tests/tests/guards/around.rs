//! Rails around an operation: they run it, or answer in its place.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::message::Message;
use exo_rails::operations::{LlmCall, Run, ToolCall};
use exo_rails::prelude::*;
use exo_rails::testing::Traced;
use exo_rails::{DynGuardSet, EventBus, ModelDelta, Next, NoRails, StreamPiece};
use futures_util::stream;
use tests::{note, notes, prompt, tool};

/// Notes when it begins and when it ends.
struct Around(&'static str);

#[rail(priority = 20)]
impl Around {
    #[on(PreToolCall, around)]
    async fn call(&self, call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        note(next.scope(), format!("{} begins {} {}", self.0, call.tool_name, next.attempt()));
        let scope = next.scope().clone();
        let result = next.run().await;
        note(&scope, format!("{} ends", self.0));
        result
    }
}

#[rail(priority = 10, on = [PreToolCall], around)]
async fn outermost(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    note(next.scope(), "outermost");
    next.run().await
}

#[rail(priority = 30, on = [PreToolCall])]
fn before(call: &mut ToolCallInputs, ctx: &RailContext) -> RailAction<ToolOutput> {
    note(ctx, "before");
    call.arguments["seen"] = true.into();
    if call.tool_name == "cached" {
        RailAction::skip_with(ToolOutput::text("cached"), "known")
    } else {
        RailAction::Continue
    }
}

#[rail(priority = 5, on = [PostToolCall])]
fn after(ctx: &RailContext) -> RailAction {
    note(ctx, "after");
    if ctx.attempt() == 0 { RailAction::retry("once more") } else { RailAction::Continue }
}

rail_chain! {
    struct Layers { first: Around, before, second: Arc<Around>, outermost, after, absent: Option<Around> }
}

fn layers() -> Layers {
    Layers { first: Around("first"), second: Arc::new(Around("second")), absent: None }
}

const ATTEMPT: [&str; 7] = [
    "before",
    "outermost",
    "first begins search 0",
    "second begins search 0",
    "tool search {\"seen\":true}",
    "second ends",
    "first ends",
];

#[tokio::test]
async fn rails_surround_the_operation_in_the_order_of_their_priorities() {
    async fn check(set: &str, rails: &impl GuardSet) {
        let mut ctx = RunContext::new("around");
        let call = ToolCallInputs::new("search").with_arguments(serde_json::json!({}));
        rails.guard_tool_call(call, &mut ctx, tool).await.unwrap();
        let again = ATTEMPT.map(|note| note.replace("search 0", "search 1"));
        let expected: Vec<_> = ATTEMPT.map(str::to_owned).into_iter().chain(["after".into()]).chain(again).collect();
        let mut log = notes(&ctx);
        assert_eq!(log.pop().unwrap(), "after", "{set}");
        assert_eq!(log, expected, "{set}");
        // What is skipped is not surrounded.
        let mut ctx = RunContext::new("around");
        let call = ToolCallInputs::new("cached").with_arguments(serde_json::json!({}));
        let output = rails.guard_tool_call(call, &mut ctx, tool).await.unwrap();
        assert_eq!((output.content.as_str(), notes(&ctx).len()), ("cached", 4), "{set}");
    }
    rail_chain! { struct Outer { layers: Layers } }
    rail_chain! { struct Optional { absent: Option<Layers>, layers: Option<Layers> } }
    rail_chain! { #[chain(trace)] struct InSpans { layers: Layers } }
    let mut manager = RailManager::new();
    manager.add_named("first", Around("first")).unwrap();
    manager.add_named("second", Around("second")).unwrap();
    manager.add(before {}).unwrap();
    manager.add(outermost {}).unwrap();
    manager.add(after {}).unwrap();
    check("chain", &layers()).await;
    check("reference", &&layers()).await;
    check("nested", &Outer { layers: layers() }).await;
    check("optional", &Optional { absent: None, layers: Some(layers()) }).await;
    check("in spans", &InSpans { layers: layers() }).await;
    check("bus", &EventBus::new(4).wrap(Arc::new(layers()))).await;
    check("traced", &Traced::new(Box::new(layers()))).await;
    check("manager", &manager).await;
    let mut outer = RailManager::new();
    outer.add(layers()).unwrap();
    check("chain in a manager", &outer).await;
    rail_chain! { struct Lists { around: Vec<Around>, none: Vec<Around>, before, outermost, after } }
    let both = || vec![Around("first"), Around("second")];
    check("list", &Lists { around: both(), none: vec![] }).await;
    rail_chain! { struct OfChains { layers: Vec<Layers>, set: DynGuardSet } }
    check("list of chains", &OfChains { layers: vec![layers()], set: NoRails.into() }).await;
    check("`DynGuardSet` in a chain", &OfChains { layers: vec![], set: layers().into() }).await;
    check("`DynGuardSet`", &DynGuardSet::new(layers())).await;
    check("`DynGuardSet` of a manager", &DynGuardSet::from(outer)).await;
    let boxed: Box<dyn GuardSet> = Box::new(layers());
    check("`Box<dyn GuardSet>`", &boxed).await;
    let mut lists = RailManager::new();
    lists.add(both()).unwrap();
    lists.add(before {}).unwrap();
    lists.add(outermost {}).unwrap();
    lists.add(after {}).unwrap();
    check("list in a manager", &lists).await;
}

#[tokio::test]
async fn a_rail_around_an_operation_can_answer_in_its_place() {
    #[rail(on = [PostToolCall])]
    fn audit(output: &ToolOutput, ctx: &RailContext) {
        note(ctx, output.content.clone());
    }
    #[rail(on = [PreToolCall], around)]
    async fn cache(call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        if call.tool_name == "search" { Ok(ToolOutput::text("from the cache")) } else { next.run().await }
    }
    let mut ctx = RunContext::new("around");
    let rails = rail_chain![cache, audit];
    rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    rails.guard_tool_call(ToolCallInputs::new("other"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), ["from the cache", "tool other {}", "{}"]);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_an_operation_counts_as_its_failure() {
    #[rail(on = [ToolError])]
    fn again(error: &OperationError) -> RailAction {
        RailAction::retry(error.message.clone())
    }
    #[rail(on = [PreToolCall], around)]
    async fn quick(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        match tokio::time::timeout(Duration::from_secs(1), next.run()).await {
            Ok(result) => result,
            Err(_) => Err(OperationError::new(OperationErrorKind::Timeout, "one second is enough")),
        }
    }
    let mut ctx = RunContext::new("around");
    let kept = std::sync::Mutex::new(None);
    let slow = |call: Permit<ToolCallInputs>| {
        let kept = &kept;
        async move {
            tokio::time::sleep(Duration::from_secs(if call.attempt() == 0 { 60 } else { 0 })).await;
            *kept.lock().unwrap() = Some(());
            Ok::<_, OperationError>(ToolOutput::text("done"))
        }
    };
    let output = rail_chain![quick, again].guard_tool_call(ToolCallInputs::new("slow"), &mut ctx, slow).await.unwrap();
    assert_eq!((output.content.as_str(), ctx.attempt()), ("done", 1));
    let output = rail_chain![quick].guard_tool_call(ToolCallInputs::new("slow"), &mut ctx, slow).await.unwrap();
    assert_eq!(output.error_kind, Some(OperationErrorKind::Timeout));
}

/// As many calls at once as there are permits.
struct Concurrency(Arc<tokio::sync::Semaphore>, AtomicU32);

#[rail]
impl Concurrency {
    #[on(PreToolCall, around)]
    async fn limit(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let _permit = self.0.acquire().await.map_err(|error| OperationError::from(error.to_string()))?;
        let running = 1 - u32::try_from(self.0.available_permits()).unwrap();
        self.1.fetch_max(running, Ordering::Relaxed);
        next.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_held_while_the_tool_runs() {
    rail_chain! { struct Limited { limit: Concurrency } }
    let rails = Limited { limit: Concurrency(Arc::new(tokio::sync::Semaphore::new(1)), AtomicU32::new(0)) };
    let calls = (0..5).map(|_| async {
        let slow = |_| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok::<_, OperationError>(ToolOutput::text("done"))
        };
        rails.guard_tool_call(ToolCallInputs::new("slow"), &mut RunContext::new("around"), slow).await
    });
    let before = tokio::time::Instant::now();
    assert!(futures_util::future::join_all(calls).await.iter().all(Result::is_ok));
    assert_eq!(before.elapsed().as_secs(), 5, "one after the other");
    assert_eq!(rails.limit.1.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_rail_around_an_operation_cannot_override_an_abort() {
    #[rail(on = [LlmChunk])]
    fn no_secrets(window: &StreamWindow) -> Verdict {
        Verdict::abort_if(window.text.contains("secret"), "a secret")
    }
    #[rail(on = [PreLlmCall], around)]
    async fn hide(next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
        next.run().await.or_else(|_| Ok(ModelResponse::text("nothing happened")))
    }
    let rails = rail_chain![no_secrets, hide];
    let (mut ctx, pieces) = (RunContext::new("around"), std::sync::Mutex::new(Vec::new()));
    let sink = |piece| {
        pieces.lock().unwrap().push(piece);
        async {}
    };
    let model = |_| stream::iter(["a secret"].map(|text| Ok::<_, OperationError>(ModelDelta::Text(text.into()))));
    let error = rails.guard_stream(prompt("hi"), &mut ctx, model, sink).await.unwrap_err();
    assert!(matches!(error, RunError::Abort(abort) if abort.rail_name == "no_secrets"));
    // A failure of the model is for the rail to hide, and what it answers leaves.
    let broken = |_| stream::iter([Err::<ModelDelta, _>(OperationError::from("broken"))]);
    let response = rails.guard_stream(prompt("hi"), &mut ctx, broken, sink).await.unwrap();
    assert_eq!(response.message, Message::assistant("nothing happened"));
    assert_eq!(*pieces.lock().unwrap(), [StreamPiece::Text("nothing happened".into())]);
}

#[tokio::test]
async fn a_rail_can_surround_a_run() {
    #[rail(on = [Start], around)]
    async fn polite(run: &InvokeInputs, next: impl Next<Run>) -> Result<InvokeOutput, RunError> {
        let name = run.input.text().into_owned();
        let output = next.run().await?;
        Ok(InvokeOutput::text(format!("Dear {name}, {}", output.text)))
    }
    let output = rail_chain![polite].guard_run("Ada", &mut RunContext::new("around"), tests::run).await.unwrap();
    assert_eq!(output.text, "Dear Ada, Ada");
}

#[tokio::test]
async fn a_hook_refuses_a_rail_that_surrounds_an_operation() {
    let mut manager = RailManager::new();
    manager.add(outermost {}).unwrap();
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, Arc::new(manager).hook_for(HookPoint::PreToolCall));
    let mut ctx = RunContext::new("around");
    let error = hooks.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap_err();
    assert!(error.to_string().contains("the rail `outermost` surrounds an operation"), "{error}");
    assert!(notes(&ctx).is_empty());
}
