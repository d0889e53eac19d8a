//! Rails that run at once: how long they wait, and who decides.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{RetryRequest, Serves};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tests::{note, notes};
use tokio::time::sleep;

/// Waits as long as the arguments say, and decides what they say: (e.g. `{ "a": [30, "abort"] }`).
async fn judge(name: &str, call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction<ToolOutput>, String> {
    let told = &call.arguments[name];
    note(ctx, format!("{name} begins"));
    sleep(Duration::from_millis(told[0].as_u64().unwrap_or_default())).await;
    note(ctx, format!("{name} ends"));
    Ok(match told[1].as_str().unwrap_or_default() {
        "abort" => RailAction::abort(name.to_owned()),
        "skip" => RailAction::skip_with(ToolOutput::text(name), name.to_owned()),
        "retry" => RailAction::retry(RetryRequest::new(name.to_owned())),
        "fault" => return Err(name.to_owned()),
        _ => RailAction::Continue,
    })
}

macro_rules! judges {
    ($($name:ident $priority:literal),*) => {
        /// Each can run beside others.
        mod judges {
            use super::*;

            $(
                #[rail(priority = $priority, on = [PreToolCall], concurrent)]
                pub(super) async fn $name(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction<ToolOutput>, String> {
                    judge(stringify!($name), call, ctx).await
                }
            )*
        }
    };
}

judges!(a 10, b 20, c 30);

use judges::{a, b, c};

rail_chain! {
    #[chain(concurrent, priority = 40)]
    struct AtOnce { c, b, a }
}

rail_chain! {
    struct InTurn { c, b, a }
}

#[rail(priority = 1, on = [PreToolCall])]
fn first(call: &mut ToolCallInputs, ctx: &mut RailContext) {
    ctx.extra.insert(7_u8);
    call.extra.insert("seen".into(), "by first".into());
}

#[rail(priority = 90, on = [PreToolCall])]
fn last(call: &ToolCallInputs, ctx: &RailContext) {
    note(ctx, format!("last {}", call.extra["seen"]));
}

async fn decide<R: Serves<PreToolCall> + GuardSet>(rails: &R, told: &Value) -> (String, Vec<String>) {
    let mut call = ToolCallInputs::new("search").with_arguments(told.clone());
    let mut ctx = RunContext::new("concurrent");
    let decision = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await;
    let decision = match decision {
        Ok(Decision::Continue) => "continue".to_owned(),
        Ok(Decision::Skip(skip)) => {
            format!("{} skips with {:?}", skip.rail_name, skip.substitute.map(|output| output.content))
        }
        Ok(Decision::Retry(retry)) => format!("{} retries", retry.rail_name),
        Ok(Decision::Abort(abort)) => format!("{} aborts", abort.rail_name),
        Err(fault) => format!("{} faults", fault.rail_name),
    };
    (decision, notes(&ctx))
}

#[tokio::test(start_paused = true)]
async fn concurrent_rails_run_at_the_same_time() {
    let (decision, seen) = decide(&AtOnce {}, &json!({ "a": [30], "b": [10], "c": [20] })).await;
    assert_eq!(decision, "continue");
    assert_eq!(seen, ["a begins", "b begins", "c begins", "b ends", "c ends", "a ends"]);
}

#[tokio::test(start_paused = true)]
async fn the_rail_with_the_lowest_priority_number_decides() {
    for (told, decision, ends) in [
        (json!({ "a": [30, "abort"], "b": [10, "skip"], "c": [20] }), "a aborts", &["b", "a"][..]),
        (json!({ "a": [30], "b": [10, "skip"], "c": [20, "abort"] }), "b skips with Some(\"b\")", &["b", "a"]),
        // The others are not waited for.
        (json!({ "a": [5, "retry"], "b": [10, "skip"], "c": [20] }), "a retries", &["a"]),
        (json!({ "a": [30], "b": [20], "c": [10, "fault"] }), "c faults", &["c", "b", "a"]),
        (json!({ "a": [10, "fault"], "b": [10, "fault"], "c": [10] }), "a faults", &["a"]),
    ] {
        let (decided, seen) = decide(&AtOnce {}, &told).await;
        assert_eq!(decided, decision, "{told}");
        let ended: Vec<_> = seen.iter().filter_map(|entry| entry.strip_suffix(" ends")).collect();
        assert_eq!(ended, ends, "{told}");
    }
}

#[test]
fn concurrent_rails_decide_like_sequential_rails() {
    const DECISIONS: &[&str] = &["", "", "", "abort", "skip", "retry", "fault"];
    let told = || (0_u64..4, prop::sample::select(DECISIONS)).prop_map(|(time, decision)| json!([time, decision]));
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let check = |(a, b, c): (Value, Value, Value)| {
        let told = json!({ "a": a, "b": b, "c": c });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (expected, _) = runtime.block_on(decide(&InTurn {}, &told));
        let mut manager = RailManager::new();
        manager.add(AtOnce {}).unwrap();
        let mut hooks = HookManager::new();
        AtOnce {}.register(&mut hooks);
        prop_assert_eq!(&runtime.block_on(decide(&AtOnce {}, &told)).0, &expected, "{}", told);
        prop_assert_eq!(&runtime.block_on(decide(&Arc::new(manager), &told)).0, &expected, "{}", told);
        prop_assert_eq!(&runtime.block_on(decide(&hooks, &told)).0, &expected, "{}", told);
        Ok(())
    };
    TestRunner::new(config).run(&(told(), told(), told()), check).unwrap();
}

rail_chain! {
    struct Whole { last, AtOnce, first }
}

#[tokio::test(start_paused = true)]
async fn rails_that_change_the_payload_run_before_or_after_concurrent_rails() {
    let (decision, seen) = decide(&Whole {}, &json!({ "a": [3], "b": [2], "c": [1] })).await;
    assert_eq!(decision, "continue");
    assert_eq!(seen[6..], ["last \"by first\""]);
}

#[derive(Clone, Debug, Provided)]
struct Caller(&'static str);

#[rail(priority = 1, on = [PreToolCall], provides = [Caller])]
fn identify() -> Caller {
    Caller("ada")
}

/// What a rail may look at besides the event, and what else it may say.
#[rail(priority = 10, on = [PreToolCall], concurrent, timeout = "1s", on_panic = "fault", on_fault = "skip")]
async fn knows(ctx: &RailContext, call: &ToolCallInputs) -> Verdict {
    let caller = ctx.provided::<Caller>().unwrap();
    note(ctx, format!("{} has {:?} at {}", caller.0, ctx.extra.get::<u8>(), ctx.event()));
    match call.tool_name.as_str() {
        "panics" => panic!("it had to"),
        "hangs" => std::future::pending().await,
        _ => Verdict::Continue,
    }
}

#[rail(priority = 20, on = [PreToolCall, PostToolCall], concurrent)]
fn quick(call: &ToolCallInputs, ctx: &RailContext) {
    note(ctx, format!("{} at {}", call.tool_name, ctx.event()));
}

rail_chain! {
    #[chain(concurrent)]
    struct Knowing { knows, quick }
}

rail_chain! {
    struct Guards { identify, first, Knowing }
}

#[tokio::test(start_paused = true)]
async fn concurrent_rails_can_use_values_timeouts_and_panic_options() {
    let call = async |tool: &str| {
        let mut ctx = RunContext::new("concurrent");
        let run = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
        let output = Guards {}.guard_tool_call(ToolCallInputs::new(tool), &mut ctx, run).await.unwrap();
        (output.content, notes(&ctx))
    };
    let (content, seen) = call("search").await;
    assert_eq!(content, "done");
    // What has nothing to wait for is done at once.
    assert_eq!(seen, ["search at pre_tool_call", "ada has Some(7) at pre_tool_call", "search at post_tool_call"]);
    let (content, _) = call("panics").await;
    assert!(content.contains("it panicked: it had to"), "{content}");
    let (content, seen) = call("hangs").await;
    assert!(content.contains("took longer than 1s"), "{content}");
    assert_eq!(seen.last().map(String::as_str), Some("hangs at post_tool_call"));
}

#[derive(Debug)]
struct Query(&'static str);

#[derive(Debug)]
struct Why(String);

#[derive(Event)]
#[event(payload = (&Query, &mut Value, &Why), allows = "abort")]
struct Asked;

#[rail(on = [Asked], concurrent)]
async fn looks(value: &Value, query: &Query, why: &Why) -> Verdict {
    Verdict::abort_if(value == query.0, why.0.clone())
}

/// A rail with state, and generic.
struct Limit<T>(T);

#[rail(priority = 5)]
impl<T: Into<u64> + Copy + Send + Sync> Limit<T> {
    #[on(Asked, concurrent)]
    async fn check(&self, query: &Query) -> Verdict {
        Verdict::abort_if(query.0.len() as u64 > self.0.into(), "too long")
    }
}

rail_chain! {
    #[chain(concurrent, events = [Asked])]
    struct AskedRails { looks, limit: Limit<u8> }
}

#[tokio::test]
async fn concurrent_rails_can_have_state_and_custom_events() {
    let rails = AskedRails { limit: Limit(5) };
    let ask = async |query, value: &str| {
        let payload = (&Query(query), &mut json!(value), &Why("the same".to_owned()));
        match rails.dispatch::<Asked>(payload, &mut RunContext::new("concurrent")).await {
            Ok(Decision::Abort(abort)) => abort.reason.to_string(),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(ask("one", "two").await, "Ok(Continue)");
    assert_eq!(ask("one", "one").await, "the same");
    assert_eq!(ask("eleven", "eleven").await, "too long");
}

#[tokio::test]
async fn a_concurrent_chain_can_have_no_rails_or_16() {
    rail_chain! {
        #[chain(concurrent)]
        struct None {}
    }
    assert_eq!(decide(&None {}, &json!({})).await.0, "continue");
    macro_rules! many {
        ($($name:ident)*) => {
            $(
                #[rail(on = [PreToolCall], concurrent)]
                fn $name(ctx: &RailContext) {
                    note(ctx, stringify!($name));
                }
            )*
            rail_chain! {
                #[chain(concurrent)]
                struct Many { $($name),* }
            }
            assert_eq!(decide(&Many {}, &json!({})).await.1, [$(stringify!($name)),*]);
        };
    }
    many!(r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15);
}
