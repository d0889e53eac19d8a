//! The permit: proof that the pre rails let an operation pass, for as long as it lasts.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{CancellationToken, NoRails};
use futures_util::FutureExt;
use serde_json::json;
use tests::{GuardDyn, note, notes, rails, tool};

#[rail(on = [PreToolCall])]
fn limit(call: &mut ToolCallInputs) {
    call.arguments["limit"] = json!(3);
}

#[rail(on = [PostToolCall, ToolError])]
fn after(ctx: &RailContext) {
    note(ctx, "after");
}

#[tokio::test]
async fn a_permit_shows_the_call_as_the_rails_have_left_it() {
    let mut ctx = RunContext::new("permit");
    let tool = |call: Permit<ToolCallInputs>| async move {
        assert_eq!(format!("{call:?}"), format!("Permit({:?})", *call));
        Ok::<_, OperationError>(ToolOutput::text(format!("{} {}", call.tool_name, call.arguments)))
    };
    let output = rails![limit].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, r#"search {"limit":3}"#);
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_kept_beyond_its_operation_is_an_error() {
    let kept = Mutex::new(None);
    let mut ctx = RunContext::new("permit");
    let keep = |call| {
        *kept.lock().unwrap() = Some(call);
        std::future::ready(Ok::<_, OperationError>(ToolOutput::default()))
    };
    let rails = rails![limit, after];
    let error = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, keep).await.unwrap_err();
    assert!(matches!(error, RunError::PermitKept { event: HookPoint::PreToolCall }), "{error}");
    assert!(notes(&ctx).is_empty(), "there is no result for the post rails to see");
    let permit: Permit<ToolCallInputs> = kept.into_inner().unwrap().unwrap();
    assert_eq!((permit.tool_name.as_str(), &permit.arguments), ("search", &json!({ "limit": 3 })));
    drop(permit);
    let output = rails.dyn_tool_call(ToolCallInputs::new("read"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, r#"{"limit":3}"#, "the context is good for the next operation");
}

/// A task sends its result, and drops its permit in its own time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_may_drop_its_permit_after_its_result() {
    for round in 0..200_u64 {
        let tool = |call: Permit<ToolCallInputs>| async move {
            let (send, receive) = tokio::sync::oneshot::channel();
            tokio::spawn(async move {
                let _ = send.send(ToolOutput::text("done"));
                if round % 10 == 0 {
                    tokio::time::sleep(Duration::from_millis(round / 10)).await;
                }
                drop(call);
            });
            receive.await.map_err(|_| OperationError::from("the task has ended"))
        };
        let rails = rails![after];
        let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("permit"), tool).await;
        assert_eq!(output.unwrap().content, "done", "round {round}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_kept_permit_is_not_a_failure_of_the_operation() {
    let kept = Mutex::new(None);
    let keep_and_fail = |call| {
        *kept.lock().unwrap() = Some(call);
        std::future::ready(Err::<ToolOutput, _>(OperationError::from("failed as well")))
    };
    let mut ctx = RunContext::new("permit");
    let call = ToolCallInputs::new("search");
    let error = rails![after].dyn_tool_call(call, &mut ctx, keep_and_fail).await.unwrap_err();
    assert!(matches!(error, RunError::PermitKept { event: HookPoint::PreToolCall }));
    assert!(notes(&ctx).is_empty());
}

#[tokio::test]
async fn a_permit_has_the_run_and_the_step_of_its_context() {
    #[rail(on = [PreToolCall])]
    fn leaves_extra(ctx: &mut RailContext) {
        ctx.extra.insert("of the event before");
    }
    let mut ctx = RunContext::new("permit").with_run_id("r1");
    ctx.set_step(3);
    let look = |call: Permit<ToolCallInputs>| async move {
        let inner = call.context();
        let place = format!("{} {} {}", call.scope().run_id(), inner.run_id(), inner.step());
        let extra = inner.extra.get::<&str>().is_none();
        inner.run.insert(extra);
        Ok::<_, OperationError>(ToolOutput::text(place))
    };
    let rails = rails![leaves_extra];
    let output = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, look).await.unwrap();
    assert_eq!(output.content, "r1 r1 3");
    assert_eq!(ctx.run.get::<bool>(), Some(true), "the stores are the run's, extra is not");
}

#[tokio::test]
async fn each_attempt_has_a_new_permit() {
    #[rail(on = [ToolError])]
    fn again() -> RailAction {
        RailAction::retry(RetryRequest::new("again").with_max_retries(5))
    }
    let mut end = tests::fails_first(3, ToolOutput::text("done"));
    let mut attempts = 0;
    let count = |_: Permit<ToolCallInputs>| {
        attempts += 1;
        std::future::ready(end())
    };
    let mut ctx = RunContext::new("permit");
    let call = ToolCallInputs::new("search");
    assert!(rails![again].dyn_tool_call(call, &mut ctx, count).await.is_ok());
    assert_eq!(attempts, 4);
}

#[tokio::test]
async fn a_nested_operation_passes_its_rails_separately() {
    let mut ctx = RunContext::new("permit");
    let rails = &rails![limit, after];
    let nested = |call: Permit<ToolCallInputs>| async move {
        let inner = rails.dyn_tool_call(ToolCallInputs::new("inner"), &mut call.context(), tool).await;
        note(call.scope(), "outer");
        inner.map_err(|error| OperationError::from(error.to_string()))
    };
    rails.dyn_tool_call(ToolCallInputs::new("outer"), &mut ctx, nested).await.unwrap();
    assert_eq!(notes(&ctx), [r#"tool inner {"limit":3}"#, "after", "outer", "after"]);
}

/// A tool that counts its runs in the run of its permit.
fn counted() -> Tool {
    Tool::with_permit("search", "", serde_json::json!({}), |call| async move {
        call.scope().run.update(|runs: &mut u32| *runs += 1);
        Ok::<_, OperationError>("found")
    })
}

#[tokio::test]
async fn a_permit_that_outlives_a_dropped_guard_runs_nothing() {
    let kept = Mutex::new(None);
    let mut ctx = RunContext::new("permit");
    let never = |call: Permit<ToolCallInputs>| {
        *kept.lock().unwrap() = Some(call);
        std::future::pending::<Result<ToolOutput, OperationError>>()
    };
    let guarded = NoRails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, never);
    assert!(tokio::time::timeout(std::time::Duration::from_millis(1), guarded).await.is_err());
    let permit = kept.into_inner().unwrap().unwrap();
    assert!(permit.ensure_open().is_err());
    let error = counted().call(permit).await.unwrap_err();
    assert_eq!(error.to_string(), "the permit is used after its guard has ended (denied)");
    assert_eq!(ctx.run.get::<u32>(), None, "the tool has not run");
    // The context is as good as before.
    let tool = counted();
    NoRails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, |call| tool.call(call)).await.unwrap();
    assert_eq!(ctx.run.get::<u32>(), Some(1));
}

#[tokio::test]
async fn a_permit_is_for_the_tool_that_it_names() {
    #[rail(on = [PreToolCall])]
    fn renames(call: &mut ToolCallInputs) {
        call.tool_name = "delete".into();
    }
    // Looked up before the guard, under the name that the model gave.
    let (tool, mut ctx) = (counted(), RunContext::new("permit"));
    let call = ToolCallInputs::new("search");
    let output = rails![renames].dyn_tool_call(call, &mut ctx, |call| tool.call(call)).await.unwrap();
    assert_eq!(output.error_kind, Some(OperationErrorKind::Denied));
    assert!(output.content.contains("the permit is for `delete`, not for `search`"), "{output:?}");
    assert_eq!(ctx.run.get::<u32>(), None, "the tool has not run");
}

/// A tool whose arguments have a type.
#[derive(serde::Serialize, serde::Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
struct Search {}

exo_rails::tools! {
    struct Searches { search: Search }
}

/// How a guard ends whose operation has kept its permit.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Returns,
    Fails,
    IsDropped,
    IsCancelled,
    TimesOut,
}

const ENDS: [Ends; 5] = [Ends::Returns, Ends::Fails, Ends::IsDropped, Ends::IsCancelled, Ends::TimesOut];

type Later = Pin<Box<dyn Future<Output = Result<ToolOutput, OperationError>> + Send>>;

/// What an operation makes of its permit.
type Keeps<'k> = &'k (dyn Fn(Permit<ToolCallInputs>) -> Later + Sync);

/// What the operation has made of its permit and kept, when the guard has ended like this.
async fn kept(end: Ends, ctx: &RunContext, keep: Keeps<'_>) -> Later {
    let (kept, token) = (Mutex::new(None), CancellationToken::new());
    let operation = |call: Permit<ToolCallInputs>| {
        *kept.lock().unwrap() = Some(keep(call));
        let token = token.clone();
        async move {
            match end {
                Ends::Returns => Ok(ToolOutput::text("done")),
                // A tool that is cancelled ends by itself.
                Ends::Fails => Err(OperationError::from("failed")),
                Ends::IsCancelled => {
                    token.cancel();
                    Err(OperationError::from("cancelled"))
                }
                Ends::IsDropped | Ends::TimesOut => std::future::pending().await,
            }
        }
    };
    let mut ctx = ctx.child().with_cancellation(token.clone());
    let mut guarded = Box::pin(NoRails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, operation));
    match end {
        Ends::IsDropped => assert!(guarded.as_mut().now_or_never().is_none()),
        Ends::TimesOut => assert!(tokio::time::timeout(Duration::from_millis(1), &mut guarded).await.is_err()),
        _ => drop(guarded.as_mut().await.unwrap_err()),
    }
    drop(guarded);
    kept.into_inner().unwrap().unwrap()
}

/// Whatever is made of a permit while its guard is open, nothing begins when the guard is over.
#[tokio::test(start_paused = true)]
async fn a_kept_permit_runs_no_tool_after_its_guard_has_ended() {
    fn count(call: &Permit<ToolCallInputs>) {
        call.scope().run.update(|runs: &mut u32| *runs += 1);
    }
    let typed = || {
        Search::tool_with_permit(|_, call| async move {
            count(&call);
            Ok::<_, OperationError>("found")
        })
    };
    let runs = Arc::new(AtomicU32::new(0));
    let without_permit = {
        let runs = Arc::clone(&runs);
        Tool::new("search", "", json!({}), move |_: serde_json::Value| {
            let runs = Arc::clone(&runs);
            async move {
                runs.fetch_add(1, Ordering::Relaxed);
                Ok::<_, OperationError>("found")
            }
        })
    };
    let tools = [counted()];
    // A call that is made later, and one that was made in time and is waited for later.
    let keeps: [(&str, Keeps<'_>); 7] = [
        ("Tool::call, later", &|call| Box::pin(async { counted().call(call).await })),
        ("Tool::call", &|call| Box::pin(counted().call(call))),
        ("ToolFor::call, later", &|call| Box::pin(async move { typed().call(call).await })),
        ("ToolFor::call", &|call| Box::pin(typed().call(call))),
        ("Tool::call_named", &|call| Box::pin(Tool::call_named(&tools, call))),
        ("tools!, later", &|call| Box::pin(async move { Searches { search: typed() }.call(call).await })),
        ("Tool::new", &|call| Box::pin(without_permit.call(call))),
    ];
    for ((name, keep), end) in keeps.into_iter().flat_map(|keep| ENDS.map(|end| (keep, end))) {
        let ctx = RunContext::new("permit");
        let error = kept(end, &ctx, keep).await.await.unwrap_err();
        assert_eq!(error.to_string(), "the permit is used after its guard has ended (denied)", "{name} {end:?}");
        let ran = (ctx.run.get::<u32>(), runs.load(Ordering::Relaxed));
        assert_eq!(ran, (None, 0), "{name} {end:?}: the tool has run");
    }
}

/// A tool that gets a permit cannot use it for another one, and may wrap one of its own name.
#[tokio::test]
async fn a_permit_does_not_serve_two_tools() {
    let wrapping =
        |name: &'static str| Tool::with_permit(name, "", json!({}), |call| async move { counted().call(call).await });
    for (name, runs) in [("other", None), ("search", Some(1))] {
        let (tool, mut ctx) = (wrapping(name), RunContext::new("permit"));
        let run = NoRails.dyn_tool_call(ToolCallInputs::new(name), &mut ctx, |call| tool.call(call));
        let output = run.await.unwrap();
        assert_eq!(output.is_error, runs.is_none(), "{output:?}");
        assert_eq!(ctx.run.get::<u32>(), runs, "{name}");
    }
}

/// A rail that renames a call: the tool of the new name runs, or none.
#[tokio::test]
async fn a_renamed_call_runs_no_other_tool() {
    #[rail(on = [PreToolCall])]
    fn renames(call: &mut ToolCallInputs) {
        call.tool_name = "other".into();
    }
    let typed = Search::tool_with_permit(|_, call| async move { counted().call(call).await });
    let set = Searches { search: typed.clone() };
    let tools = [counted()];
    let mut ctx = RunContext::new("permit");
    let outputs = [
        rails![renames].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, |call| typed.call(call)).await,
        rails![renames].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, |call| set.call(call)).await,
        rails![renames]
            .dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, |call| Tool::call_named(&tools, call))
            .await,
    ];
    assert!(outputs.iter().all(|output| output.as_ref().unwrap().is_error), "{outputs:?}");
    assert_eq!(ctx.run.get::<u32>(), None);
}

/// The models and the memory of the agent ask the permit as well.
#[tokio::test(start_paused = true)]
async fn a_kept_permit_asks_no_model_and_no_memory() {
    use exo_rails::{MemoryEntry, MemoryItem, MemoryQuery};
    use exo_rails_agent::{InMemory, Memory, Model, ScriptedModel};
    use futures_util::TryStreamExt;

    fn denied<T>(result: Result<T, OperationError>) -> bool {
        result.err().is_some_and(|error| error.kind == OperationErrorKind::Denied)
    }
    let model: ScriptedModel = r#"[{ "say": "one" }]"#.parse().unwrap();
    for is_streamed in [false, true] {
        let (kept, mut ctx) = (Mutex::new(None), RunContext::new("permit"));
        let keep = |request| {
            *kept.lock().unwrap() = Some(request);
            std::future::ready(Ok::<_, OperationError>(ModelResponse::text("")))
        };
        NoRails.dyn_llm_call(tests::prompt("hello"), &mut ctx, keep).await.unwrap_err();
        let permit = kept.lock().unwrap().take().unwrap();
        assert!(if is_streamed {
            denied(model.stream(permit).try_collect::<Vec<_>>().await)
        } else {
            denied(model.call(permit).await)
        });
        assert_eq!(model.remaining(), 1);
    }
    let (memory, mut ctx) = (InMemory::shared(10), RunContext::new("permit"));
    let (query, entry) = (Mutex::new(None), Mutex::new(None));
    let keep_query = |permit: Permit<MemoryQuery>| {
        *query.lock().unwrap() = Some(permit);
        std::future::ready(Ok::<_, OperationError>(Vec::<MemoryItem>::new()))
    };
    let keep_entry = |permit: Permit<MemoryEntry>| {
        *entry.lock().unwrap() = Some(permit);
        std::future::ready(Ok::<_, OperationError>(()))
    };
    NoRails.guard_recall(MemoryQuery::default(), &mut ctx, keep_query).await.unwrap_err();
    NoRails.guard_store(MemoryEntry::default(), &mut ctx, keep_entry).await.unwrap_err();
    assert!(denied(memory.recall(query.into_inner().unwrap().unwrap()).await));
    assert!(denied(memory.store(entry.into_inner().unwrap().unwrap()).await));
    assert_eq!(memory.len(), 0);
}
