//! What has an end: retries, delays and the time of a rail, wherever it stands.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{CancellationToken, RetriesExhausted};
use tests::{broken_model, broken_run, broken_tool, note, notes, prompt, take_notes};

use crate::common::{in_each_guard_set, run_in};

/// Where a rail asks for a retry, and how many it says it has.
#[derive(Clone, Copy)]
struct Asks {
    at: HookPoint,
    max_retries: u32,
}

/// Never has enough.
#[rail(on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished])]
fn insatiable(ctx: &RailContext) -> Option<RailAction> {
    let Asks { at, max_retries } = ctx.run.get()?;
    (ctx.event() == at).then(|| RailAction::retry(RetryRequest::new("more").with_max_retries(max_retries)))
}

#[rail(priority = 60, on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished])]
fn later(ctx: &RailContext) {
    note(ctx, "let through");
}

/// Does the operation around the event, so that the event is reached.
async fn reach(rails: &impl GuardSet, at: HookPoint, ctx: &mut RunContext) -> Result<(), RunError> {
    let (model, tool, answer) = (tests::model, tests::tool, tests::run);
    let call = ToolCallInputs::new("search");
    match at {
        HookPoint::Start | HookPoint::Finished => rails.guard_run("hi", ctx, answer).await.map(drop),
        HookPoint::PreLlmCall | HookPoint::PostLlmCall => {
            rails.guard_llm_call(prompt("hi"), ctx, model).await.map(drop)
        }
        HookPoint::LlmError => rails.guard_llm_call(prompt("hi"), ctx, broken_model).await.map(drop),
        HookPoint::PreToolCall | HookPoint::PostToolCall => rails.guard_tool_call(call, ctx, tool).await.map(drop),
        HookPoint::ToolError => rails.guard_tool_call(call, ctx, broken_tool).await.map(drop),
        _ => rails.guard_run("hi", ctx, broken_run).await.map(drop),
    }
}

/// There, nothing bounds the retries but the rail itself; elsewhere `max_retries: 0` retried once.
#[tokio::test]
async fn a_rail_that_always_retries_has_one_attempt_more_than_retries() {
    in_each_guard_set!([insatiable, later], |set, rails| {
        for &at in insatiable::EVENTS {
            for max_retries in 0..=3 {
                let mut ctx = RunContext::new("upstream");
                ctx.run.insert(Asks { at, max_retries });
                let error = reach(&rails, at, &mut ctx).await.unwrap_err();
                let RunError::RetriesExhausted(error) = error else { panic!("{set}, {at}: {error}") };
                let RetriesExhausted { rail_name, event, attempts, limit, reason, .. } = error;
                let expected = ("insatiable", at, max_retries + 1, max_retries, "more");
                assert_eq!(
                    (rail_name.as_str(), event, attempts, limit.max_retries(), reason.as_str()),
                    expected,
                    "{set}"
                );
                // The operation has happened once for each attempt where it comes before the event.
                let operations = notes(&ctx).into_iter().filter(|note| note != "let through").count();
                let before = matches!(at, HookPoint::Start | HookPoint::PreLlmCall | HookPoint::PreToolCall);
                assert_eq!(operations, if before { 0 } else { max_retries as usize + 1 }, "{set}, {at}");
            }
        }
    });
}

/// A delay is a `Duration`, so it is never negative: see `ui-tests/fail/returns/delay_is_a_negative_number.rs`.
#[test]
fn a_delay_of_zero_needs_no_clock() {
    #[rail(on = [PostToolCall])]
    fn once_more(ctx: &RailContext) -> Option<RailAction> {
        (ctx.attempt() == 0).then(|| RailAction::retry(RetryRequest::new("again").with_delay(Duration::ZERO)))
    }
    let without_time = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut ctx = RunContext::new("upstream");
    let call = ToolCallInputs::new("search");
    without_time.block_on(rail_chain![once_more].guard_tool_call(call, &mut ctx, tests::tool)).unwrap();
    assert_eq!(notes(&ctx).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_ends_the_longest_possible_delay() {
    #[rail(on = [PostToolCall])]
    fn much_later() -> RailAction {
        RailAction::retry(RetryRequest::new("much later").with_delay(Duration::MAX).with_max_retries(u32::MAX))
    }
    let token = CancellationToken::new();
    let mut ctx = RunContext::new("upstream").with_cancellation(token.clone()).with_max_retry_delay(Duration::MAX);
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let (rails, begin) = (rail_chain![much_later], tokio::time::Instant::now());
    let call = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tests::tool);
    let (result, ()) = tokio::join!(call, cancel);
    assert!(matches!(result, Err(RunError::Cancelled)));
    assert_eq!(begin.elapsed(), Duration::from_secs(1), "the clock stands still otherwise");
    assert_eq!(notes(&ctx), ["tool search {}"]);
}

#[rail(
    priority = 10,
    on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished],
    timeout = "2s"
)]
async fn hangs(ctx: &RailContext) -> Verdict {
    if ctx.run.get::<HookPoint>() == Some(ctx.event()) {
        std::future::pending::<()>().await;
    }
    Verdict::Continue
}

/// There, the limit is in a runner that the path of an agent does not take.
#[tokio::test(start_paused = true)]
async fn a_timeout_bounds_a_rail_on_the_path_of_an_agent() {
    let script = r#"[
        { "call": [{ "tool": "echo" }, { "tool": "broken" }] },
        { "fail": { "kind": "unavailable", "message": "gone" } },
        { "say": "done" }
    ]"#;
    in_each_guard_set!([hangs, goes_on], |set, rails| {
        for &at in hangs::EVENTS {
            let mut ctx = RunContext::new("upstream");
            ctx.run.insert(at);
            let begin = tokio::time::Instant::now();
            let (result, _) = run_in(&rails, script, "hello", &mut ctx).await;
            let told = format!("rail `hangs` faulted at {at}: it took longer than 2s");
            assert_eq!(result.map(|output| output.text).map_err(|error| error.to_string()), Err(told), "{set}");
            assert_eq!(begin.elapsed(), Duration::from_secs(2), "{set}, {at}: the clock stands still otherwise");
        }
    });
}

/// Has a failed model call done again, so that the run goes on to its end.
#[rail(priority = 20, on = [LlmError])]
fn goes_on(ctx: &RailContext) -> RailAction {
    note(ctx, "once more");
    RailAction::retry(RetryRequest::new("it may come back"))
}

/// There, an error of a rail at a model event is taken for one of the model, and the call is done again after a wait.
#[tokio::test]
async fn a_fault_does_not_repeat_the_model_call() {
    #[rail(priority = 10, on = [PreLlmCall, PostLlmCall])]
    fn cannot_decide(ctx: &RailContext) -> Result<Verdict, &'static str> {
        if ctx.run.get::<HookPoint>() == Some(ctx.event()) { Err("no connection") } else { Ok(Verdict::Continue) }
    }
    in_each_guard_set!([cannot_decide, goes_on], |set, rails| {
        for (at, calls) in [(HookPoint::PreLlmCall, 0), (HookPoint::PostLlmCall, 1)] {
            let mut ctx = RunContext::new("upstream");
            ctx.run.insert(at);
            let script = r#"[{ "say": "one" }, { "say": "two" }]"#;
            let (result, notes) = run_in(&rails, script, "hello", &mut ctx).await;
            assert!(matches!(result, Err(RunError::Fault(fault)) if fault.event == at), "{set}");
            assert_eq!(notes, vec!["model: hello"; calls], "{set}, {at}");
        }
    });
}

/// There, it becomes the result of the tool, and the model reads it and goes on.
#[tokio::test]
async fn the_model_never_reads_a_fault_at_a_tool_call_because_the_run_ends() {
    #[rail(priority = 10, on = [PreToolCall, PostToolCall, ToolError])]
    fn cannot_decide(ctx: &RailContext) -> Result<Verdict, &'static str> {
        if ctx.run.get::<HookPoint>() == Some(ctx.event()) { Err("no connection") } else { Ok(Verdict::Continue) }
    }
    let cases = [
        (HookPoint::PreToolCall, "echo", 0),
        (HookPoint::PostToolCall, "echo", 1),
        (HookPoint::ToolError, "broken", 1),
    ];
    in_each_guard_set!([cannot_decide], |set, rails| {
        for (at, tool, calls) in cases {
            let mut ctx = RunContext::new("upstream");
            ctx.run.insert(at);
            let script = format!(r#"[{{ "call": [{{ "tool": "{tool}" }}] }}, {{ "say": "done" }}]"#);
            let (result, notes) = run_in(&rails, &script, "hello", &mut ctx).await;
            let told = format!("rail `cannot_decide` faulted at {at}: no connection");
            assert_eq!(result.unwrap_err().to_string(), told, "{set}");
            let tools = vec![format!("tool {tool} {{}}"); calls];
            assert_eq!(notes, [&["model: hello".to_owned()][..], &tools].concat(), "{set}, {at}");
        }
    });
}

/// One run's panic is no other run's.
#[tokio::test]
async fn a_panic_of_a_rail_in_one_run_does_not_affect_later_runs() {
    #[rail(priority = 10, on = [PreToolCall])]
    fn panics_once(ctx: &RailContext) {
        note(ctx, "asked");
        assert!(ctx.session.update(|calls: &mut u32| std::mem::replace(calls, 1)) > 0, "for the first time");
    }
    let script = r#"[{ "call": [{ "tool": "echo" }] }, { "say": "done" }]"#;
    in_each_guard_set!([panics_once], |set, rails| {
        let (rails, session) = (std::sync::Arc::new(rails), exo_rails::SharedExtensions::default());
        let turn = |turn| RunContext::new("upstream").with_session("s", session.clone(), turn);
        let (first, mut ctx) = (std::sync::Arc::clone(&rails), turn(0));
        let scope = exo_rails::RunScope::clone(&ctx);
        let task = tokio::spawn(async move { run_in(&first, script, "hello", &mut ctx).await.1 });
        assert!(task.await.unwrap_err().is_panic(), "{set}");
        assert_eq!(take_notes(&scope), ["model: hello", "asked"], "{set}: the tool has not run");
        let (result, notes) = run_in(&rails, script, "hello", &mut turn(1)).await;
        assert!(result.is_ok(), "{set}");
        assert_eq!(notes, ["model: hello", "asked", "tool echo {}", "model: {}"], "{set}");
    });
}
