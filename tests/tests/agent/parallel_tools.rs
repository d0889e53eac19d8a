//! The tool calls of one answer: at once, each with its own rails, and what an end of the run in one of them is to the
//! others.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{CancellationToken, RailFault};
use exo_rails_agent::ScriptedModel;
use serde_json::{Value, json};
use tests::{note, notes, rails};
use tokio::time::sleep;

/// How many tools run now, and how many ran at once at most.
#[derive(Debug, Default)]
struct Running {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// Waits for the number of milliseconds in its arguments, unless the run is cancelled. It notes how it ends.
fn wait(running: &Arc<Running>) -> Tool {
    let running = Arc::clone(running);
    Tool::with_permit("wait", "Waits.", json!({ "type": "object" }), move |call| {
        let running = Arc::clone(&running);
        async move {
            let now = running.now.fetch_add(1, Ordering::Relaxed) + 1;
            running.most.fetch_max(now, Ordering::Relaxed);
            let time = Duration::from_millis(call.arguments["for"].as_u64().unwrap_or_default());
            let token = call.scope().cancellation().cloned().unwrap_or_default();
            let ended = token.run_until_cancelled(sleep(time)).await.is_some();
            // What it has to put in order takes a while, too.
            sleep(Duration::from_millis(1)).await;
            note(call.scope(), format!("{} {}", call.id, if ended { "waited" } else { "was cancelled" }));
            running.now.fetch_sub(1, Ordering::Relaxed);
            if call.arguments["fails"] == true {
                Err(OperationError::from("it fails"))
            } else {
                Ok("waited".to_owned())
            }
        }
    })
}

/// What a call's arguments say comes of it.
#[rail(priority = 10, on = [PreToolCall, PostToolCall])]
async fn decides(inputs: Inputs<'_>, ctx: &RailContext) -> Result<RailAction, String> {
    let (call, at) = match inputs {
        Inputs::PreToolCall(call) => (&*call, "pre"),
        Inputs::PostToolCall(call, _) => (call, "post"),
        _ => return Ok(RailAction::Continue),
    };
    note(ctx, format!("{} {at} {}", call.id, ctx.attempt()));
    Ok(match call.arguments[at].as_str() {
        Some("abort") => RailAction::abort(format!("{} is refused", call.id)),
        Some("skip") => RailAction::skip("not needed"),
        Some("retry") if ctx.attempt() == 0 => RailAction::retry(RetryRequest::new("once more")),
        Some("fault") => return Err(format!("{} is not understood", call.id)),
        _ => RailAction::Continue,
    })
}

/// Has an agent call `wait` with each of these arguments, the calls being `a`, `b`, `c`, …
async fn call(arguments: &[Value], at_once: usize) -> (Result<InvokeOutput, RunError>, Vec<String>, usize) {
    call_in(arguments, at_once, &mut RunContext::new("parallel")).await
}

async fn call_in(
    arguments: &[Value],
    at_once: usize,
    ctx: &mut RunContext,
) -> (Result<InvokeOutput, RunError>, Vec<String>, usize) {
    let calls = arguments
        .iter()
        .zip('a'..)
        .map(|(arguments, id)| json!({ "id": id.to_string(), "tool": "wait", "arguments": arguments }));
    let script = json!([{ "call": calls.collect::<Vec<_>>() }, { "say": "done" }]).to_string();
    let running = Arc::new(Running::default());
    let agent = tests::agent("parallel", script.parse::<ScriptedModel>().unwrap())
        .tool(wait(&running))
        .rails(rails![decides])
        .parallel_tools(NonZeroUsize::new(at_once).unwrap())
        .build();
    let result = agent.run_in("go", ctx).await.map_err(RunError::from);
    assert_eq!(running.now.load(Ordering::Relaxed), 0, "a tool was left running");
    (result, notes(ctx), running.most.load(Ordering::Relaxed))
}

/// The texts of the tools' messages, in the order in which the model reads them.
fn told(output: &InvokeOutput) -> Vec<(String, String)> {
    let told =
        output.messages.iter().filter_map(|message| Some((message.tool_call_id.clone()?, message.text().into())));
    told.collect()
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_report_their_outputs_in_the_order_of_the_answer() {
    let arguments = [30, 20, 10].map(|time| json!({ "for": time }));
    let (result, seen, most) = call(&arguments, 8).await;
    assert_eq!(most, 3);
    let ids: Vec<_> = told(&result.unwrap()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(
        seen,
        ["a pre 0", "b pre 0", "c pre 0", "c waited", "c post 0", "b waited", "b post 0", "a waited", "a post 0"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_builder_limits_how_many_calls_run_at_once() {
    let arguments = [5, 4, 3, 2, 1].map(|time| json!({ "for": time }));
    for (at_once, most) in [(1, 1), (2, 2), (5, 5), (100, 5)] {
        let (result, _, ran) = call(&arguments, at_once).await;
        assert_eq!((ran, told(&result.unwrap()).len()), (most, 5));
    }
    let (_, seen, _) = call(&arguments[3..], 1).await;
    assert_eq!(seen, ["a pre 0", "a waited", "a post 0", "b pre 0", "b waited", "b post 0"]);
}

#[tokio::test(start_paused = true)]
async fn skips_retries_and_failures_affect_only_their_call() {
    let arguments = [
        json!({ "pre": "skip" }),
        json!({ "for": 5, "post": "retry" }),
        json!({ "for": 3, "fails": true }),
        json!({ "for": 9 }),
    ];
    let (result, seen, _) = call(&arguments, 8).await;
    let told = told(&result.unwrap());
    assert_eq!(told[0].1, "The call of `wait` was skipped by the rail `decides`: not needed");
    assert_eq!(told[2].1, "The call of `wait` failed: it fails (failed)");
    assert_eq!((told[1].1.as_str(), told[3].1.as_str()), ("waited", "waited"));
    let of = |id: char| seen.iter().filter(|entry| entry.starts_with(id)).map(|entry| &entry[2..]).collect::<Vec<_>>();
    assert_eq!(of('a'), ["pre 0", "post 0"]);
    assert_eq!(of('b'), ["pre 0", "waited", "post 0", "pre 1", "waited", "post 1"]);
    assert_eq!(of('d'), ["pre 0", "waited", "post 0"]);
}

#[tokio::test(start_paused = true)]
async fn an_abort_in_one_call_cancels_the_others_and_waits_for_them() {
    let arguments =
        [json!({ "for": 50 }), json!({ "for": 5, "post": "abort" }), json!({ "for": 70 }), json!({ "for": 1 })];
    let (result, seen, _) = call(&arguments, 3).await;
    let Err(RunError::Abort(abort)) = result else { panic!("{result:?}") };
    assert_eq!((abort.rail_name.as_str(), abort.reason.as_str()), ("decides", "b is refused"));
    let begun = seen.iter().any(|entry| entry.starts_with('d'));
    assert!(!begun, "a call that had to wait was begun after the run had ended: {seen:?}");
    for id in ["a", "c"] {
        assert!(seen.contains(&format!("{id} was cancelled")), "{seen:?}");
    }
}

/// Both end the run before either is cancelled.
#[tokio::test(start_paused = true)]
async fn the_first_call_that_ends_the_run_is_reported() {
    let cases = [
        ([json!({ "for": 1 }), json!({ "pre": "abort" }), json!({ "pre": "abort" })], "b is refused"),
        ([json!({ "for": 5, "post": "abort" }), json!({ "for": 5, "post": "abort" }), json!({})], "a is refused"),
        ([json!({}), json!({ "for": 2 }), json!({ "pre": "fault" })], "c is not understood"),
        // The operation of `b` has happened, so its rails are asked, although the run has ended.
        ([json!({}), json!({ "for": 2, "post": "abort" }), json!({ "pre": "fault" })], "b is refused"),
    ];
    for (arguments, expected) in cases {
        let (result, ..) = call(&arguments, 8).await;
        let text = match result {
            Err(RunError::Abort(abort)) => abort.reason.to_string(),
            Err(RunError::Fault(RailFault { cause, .. })) => cause.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_cancels_its_calls() {
    let token = CancellationToken::new();
    let mut ctx = RunContext::new("parallel").with_cancellation(token.clone());
    tokio::spawn(async move {
        sleep(Duration::from_millis(10)).await;
        token.cancel();
    });
    let arguments = [json!({ "for": 5 }), json!({ "for": 500 }), json!({ "for": 600 })];
    let (result, seen, _) = call_in(&arguments, 2, &mut ctx).await;
    assert!(matches!(result, Err(RunError::Cancelled)), "{result:?}");
    assert!(seen.contains(&"a waited".to_owned()) && seen.contains(&"b was cancelled".to_owned()), "{seen:?}");
}

/// What an agent's tool asks for by its own is not the run's.
#[tokio::test(start_paused = true)]
async fn an_abort_of_parallel_calls_does_not_cancel_the_token_of_the_run() {
    let token = CancellationToken::new();
    let mut ctx = RunContext::new("parallel").with_cancellation(token.clone());
    let (result, ..) = call_in(&[json!({ "pre": "abort" }), json!({ "for": 5 })], 2, &mut ctx).await;
    assert!(matches!(result, Err(RunError::Abort(_))) && !token.is_cancelled());
}
