//! What rails share: for one event, for a run, for a session.

use exo_rails::prelude::*;
use exo_rails::{HookState, SessionInfo, SharedExtensions};
use exo_rails_agent::Session;
use serde_json::{Value, json};
use tests::{GuardDyn, note, notes, prompt, rails, run, tool};

fn context() -> RunContext {
    RunContext::new("state")
}

struct Left(u32);

/// Counts how often it was called with this `extra`.
fn count(ctx: &mut RailContext) -> u32 {
    let count = ctx.extra.remove::<u32>().unwrap_or(0) + 1;
    ctx.extra.insert(count);
    count
}

#[rail(priority = 10, on = [PreToolCall, PostToolCall, PreLlmCall])]
fn one(ctx: &mut RailContext) {
    let count = count(ctx);
    note(ctx, format!("one {count} at {}", ctx.event()));
}

#[rail(priority = 20, on = [PreToolCall, PostToolCall, PreLlmCall])]
fn two(ctx: &mut RailContext) {
    let count = count(ctx);
    note(ctx, format!("two {count} at {}", ctx.event()));
}

#[tokio::test]
async fn extra_is_shared_within_an_event_and_fresh_for_the_next() {
    let mut ctx = context();
    let rails = rails![two, one];
    rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tests::tool).await.unwrap();
    rails.dyn_llm_call(prompt("hello"), &mut ctx, tests::model).await.unwrap();
    let counts: Vec<_> = notes(&ctx).into_iter().filter(|note| note.contains(" at ")).collect();
    let at = |event| [format!("one 1 at {event}"), format!("two 2 at {event}")];
    assert_eq!(counts, [at("pre_tool_call"), at("post_tool_call"), at("pre_llm_call")].concat());
}

#[tokio::test]
async fn extra_is_fresh_for_the_same_event_of_the_next_operation_and_of_a_retry() {
    #[rail(priority = 20, on = [PostToolCall])]
    fn once_more(ctx: &RailContext) -> Option<RailAction> {
        (ctx.attempt() == 0).then(|| RailAction::retry(RetryRequest::new("once more")))
    }
    let mut ctx = context();
    for _ in 0..2 {
        rails![one, once_more].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    }
    let counts: Vec<_> = notes(&ctx).into_iter().filter(|note| note.starts_with("one")).collect();
    assert_eq!(counts.iter().filter(|note| note.starts_with("one 1")).count(), 8, "{counts:?}");
}

#[tokio::test]
async fn extra_is_shared_by_plain_hooks_and_chains() {
    async fn provide(_: Inputs<'_>, ctx: &mut RailContext) {
        ctx.extra.insert(Left(5));
    }
    async fn afterwards(_: Inputs<'_>, ctx: &mut RailContext) {
        note(ctx, format!("afterwards: {}", ctx.extra.get::<Left>().is_some()));
    }
    #[rail(on = [PreToolCall])]
    fn use_it(ctx: &mut RailContext) {
        if let Some(left) = ctx.extra.get_mut::<Left>() {
            left.0 -= 1;
        }
        note(ctx, format!("{:?} left", ctx.extra.get::<Left>().map(|left| left.0)));
    }
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, provide);
    rail_chain![use_it].register(&mut hooks);
    hooks.add(HookPoint::PostToolCall, afterwards);
    let mut ctx = context();
    hooks.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), ["Some(4) left", "tool search {}", "afterwards: false"]);
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Calls(u32);

#[rail(priority = 30, on = [PreToolCall])]
async fn budget(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
    let limit = call.arguments["limit"].as_u64().unwrap();
    let calls = ctx.run.update(|calls: &mut Calls| {
        calls.0 += 1;
        calls.0
    });
    if u64::from(calls) > limit { RailAction::abort(format!("call {calls}")) } else { RailAction::Continue }
}

#[tokio::test]
async fn the_store_of_a_run_survives_its_events() {
    let mut ctx = context();
    let call = || ToolCallInputs::new("search").with_arguments(json!({ "limit": 2 }));
    let twice = |run: Permit<InvokeInputs>| async move {
        for _ in 0..2 {
            rails![budget].dyn_tool_call(call(), &mut run.context(), tool).await?;
        }
        Ok::<_, RunError>(InvokeOutput::default())
    };
    assert!(rails![budget].dyn_run("hello", &mut ctx, twice).await.is_ok());
    assert_eq!(ctx.run.get::<Calls>(), Some(Calls(2)));
    let error = rails![budget].dyn_tool_call(call(), &mut ctx, tool).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `budget` aborted at pre_tool_call: call 3");
    assert_eq!(context().run.get::<Calls>(), None, "another run has its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_increment_is_lost_among_many_tasks() {
    const TASKS: u32 = 16;
    const CALLS: u32 = 200;
    let mut ctx = context();
    let spawn_all = |run: Permit<InvokeInputs>| async move {
        let tasks: Vec<_> = (0..TASKS).map(|_| tokio::spawn(call_often(run.context(), CALLS))).collect();
        for task in tasks {
            task.await.unwrap()?;
        }
        Ok::<_, RunError>(InvokeOutput::default())
    };
    rails![budget].dyn_run("hello", &mut ctx, spawn_all).await.unwrap();
    assert_eq!(ctx.run.get::<Calls>(), Some(Calls(TASKS * CALLS)));
}

async fn call_often(mut ctx: RunContext, times: u32) -> Result<(), RunError> {
    for _ in 0..times {
        let call = ToolCallInputs::new("search").with_arguments(json!({ "limit": u32::MAX }));
        rails![budget].dyn_tool_call(call, &mut ctx, quiet).await?;
    }
    Ok(())
}

async fn quiet(_: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    tokio::task::yield_now().await;
    Ok(ToolOutput::default())
}

#[rail(on = [Start])]
fn turns(ctx: &RailContext) {
    let seen = ctx.session.update(|turns: &mut Vec<u32>| {
        turns.push(ctx.turn());
        turns.clone()
    });
    note(ctx, format!("{seen:?}"));
}

#[tokio::test]
async fn the_store_of_a_session_is_shared_by_its_runs() {
    let session = SharedExtensions::default();
    for turn in 0..3 {
        let mut ctx = context().with_session("s1", session.clone(), turn);
        rails![turns].dyn_run("hello", &mut ctx, run).await.unwrap();
        assert_eq!(ctx.run.get::<Calls>(), None);
    }
    assert_eq!(session.get::<Vec<u32>>(), Some(vec![0, 1, 2]));
}

#[test]
fn a_panic_in_an_update_does_not_take_the_store_from_others() {
    let store = SharedExtensions::default();
    let handle = store.clone();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        handle.update(|calls: &mut Calls| {
            calls.0 = 7;
            panic!("in the middle of an update");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(store.update(|calls: &mut Calls| calls.0), 7);
}

#[test]
fn a_store_has_one_value_of_a_type() {
    let store = SharedExtensions::default();
    assert_eq!(store.insert(Calls(1)), None);
    assert_eq!(store.insert(Calls(2)), Some(Calls(1)));
    assert_eq!(store.get::<Calls>(), Some(Calls(2)));
    assert_eq!(store.remove::<Calls>(), Some(Calls(2)));
    assert_eq!(store.get::<Calls>(), None);
}

/// What is printed inside an update must not wait for its end.
#[test]
fn a_context_can_be_printed_while_its_state_changes() {
    let (done, printed) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let ctx = context();
        let text = ctx.run.update(|_: &mut u32| format!("{ctx:?}"));
        done.send(text).unwrap();
    });
    let text = printed.recv_timeout(std::time::Duration::from_secs(5)).expect("printing does not block");
    assert!(text.contains("run: SharedExtensions { .. }"), "{text}");
}

#[rail(priority = 30, on = [PreToolCall])]
async fn named_budget(ctx: &RailContext) -> Result<(), serde_json::Error> {
    ctx.run.state().update_as("calls", |calls: &mut u32| *calls += 1)
}

#[test]
fn a_state_has_one_value_for_each_name() {
    let state = HookState::default();
    assert_eq!(state.set("user", "Ada"), None);
    assert_eq!(state.set("user", json!({ "name": "Bo" })), Some(json!("Ada")));
    assert_eq!(state.get("user").unwrap()["name"], "Bo");
    assert_eq!(state.remove("user"), Some(json!({ "name": "Bo" })));
    assert_eq!((state.get("user"), state.remove("user")), (None, None));
}

#[test]
fn all_handles_to_a_store_share_its_state() {
    let store = SharedExtensions::default();
    store.state().set("calls", 1);
    store.insert(Calls(7));
    assert_eq!(store.clone().state().get("calls"), Some(json!(1)), "a handle to the same");
    assert_eq!(SharedExtensions::default().state().get("calls"), None, "another store has its own");
    // What is in it can be changed while a value of the store is: the two have locks of their own.
    let state = store.state();
    store.update(|_: &mut Calls| state.update("calls", |calls| *calls = json!(2)));
    assert_eq!(store.state().get("calls"), Some(json!(2)));
}

#[test]
fn no_increment_of_a_name_is_lost_among_many_threads() {
    const THREADS: u64 = 8;
    const TIMES: u64 = 2_000;
    let state = HookState::default();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let state = state.clone();
            scope.spawn(move || (0..TIMES).for_each(|_| increment(&state)));
        }
    });
    assert_eq!(state.snapshot(), *json!({ "typed": THREADS * TIMES, "plain": THREADS * TIMES }).as_object().unwrap());
}

fn increment(state: &HookState) {
    state.update_as("typed", |count: &mut u64| *count += 1).unwrap();
    state.update("plain", |count| *count = json!(count.as_u64().unwrap_or(0) + 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_increment_of_a_name_is_lost_among_many_tasks() {
    const TASKS: u32 = 16;
    const CALLS: u32 = 200;
    let mut ctx = context();
    let spawn_all = |run: Permit<InvokeInputs>| async move {
        let tasks: Vec<_> = (0..TASKS).map(|_| tokio::spawn(call_named(run.context(), CALLS))).collect();
        for task in tasks {
            task.await.unwrap()?;
        }
        Ok::<_, RunError>(InvokeOutput::default())
    };
    rails![named_budget].dyn_run("hello", &mut ctx, spawn_all).await.unwrap();
    assert_eq!(ctx.run.state().get("calls"), Some(json!(TASKS * CALLS)));
}

async fn call_named(mut ctx: RunContext, times: u32) -> Result<(), RunError> {
    for _ in 0..times {
        rails![named_budget].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, quiet).await?;
    }
    Ok(())
}

#[test]
fn a_value_of_another_type_is_an_error_and_stays() {
    let state = HookState::default();
    state.set("calls", "many");
    let mut was_called = false;
    assert!(state.update_as("calls", |_: &mut u64| was_called = true).is_err());
    assert!(!was_called);
    assert_eq!(state.get("calls"), Some(json!("many")));
    // A map whose keys are no texts cannot be written.
    let odd = |odd: &mut std::collections::HashMap<Vec<u8>, u8>| odd.insert(vec![1], 1);
    assert!(state.update_as("odd", odd).is_err());
    assert_eq!(state.get("odd"), None);
}

#[test]
fn a_panic_in_an_update_does_not_take_a_state_from_others() {
    let state = HookState::default();
    let handle = state.clone();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        handle.update("calls", |calls| {
            *calls = json!(7);
            panic!("in the middle of an update");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(state.update_as("calls", |calls: &mut u32| *calls).unwrap(), 7);
    assert_eq!(format!("{state:?}"), r#"HookState({"calls": Number(7)})"#);
    assert_eq!(state.update("calls", |_| format!("{state:?}")), "HookState { .. }");
}

/// A session that is kept: its state is written with it, and a rail gives it back when the session goes on.
#[tokio::test]
async fn the_state_of_a_session_is_kept_and_restored() {
    #[rail(priority = 10, on = [SessionStart])]
    fn recall(session: &SessionInfo, ctx: &RailContext) {
        if let Some(Value::Object(kept)) = session.extra.get("state") {
            ctx.session.state().restore(kept.clone());
        }
    }
    #[rail(on = [Start])]
    fn count_runs(ctx: &RailContext) -> Result<(), serde_json::Error> {
        ctx.session.state().update_as("runs", |runs: &mut u32| *runs += 1)
    }
    let model = || tests::Model::new([ModelResponse::text("one"), ModelResponse::text("two")]);
    let agent = tests::agent("state", model()).rails(rails![recall, count_runs]).build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("hello").await.unwrap();
    let state = session.values().state();
    let mut info = session.end().await;
    info.extra.insert("state".into(), serde_json::to_value(&state).unwrap());
    let kept = serde_json::to_string(&info).unwrap();

    let mut session = Session::start(&agent, serde_json::from_str::<SessionInfo>(&kept).unwrap()).await.unwrap();
    session.run("hello again").await.unwrap();
    assert_eq!((session.info().turns, session.values().state().get("runs")), (2, Some(json!(2))));
    assert_eq!(state.get("runs"), Some(json!(1)), "the kept one is another's");
    session.end().await;
}

#[test]
fn all_handles_see_a_restored_state_and_a_read_state_is_a_copy() {
    let state = HookState::from(json!({ "old": 1 }).as_object().unwrap().clone());
    let handle = state.clone();
    state.restore(json!({ "new": [1, 2] }).as_object().unwrap().clone());
    assert_eq!((handle.get("old"), handle.get("new")), (None, Some(json!([1, 2]))));
    let read: HookState = serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap();
    read.set("new", 3);
    assert_eq!(state.get("new"), Some(json!([1, 2])));
    assert!(serde_json::from_str::<HookState>("[1]").is_err());
}
