//! What counts as a call: retries, parallel calls, dropped calls, shadow, reloads, and saved runs.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{KeptValues, Reloadable};
use exo_rails_guards::loops::{LoopHistory, Loops};
use serde_json::json;

use crate::loops::support::Happened::{Aborted, Ran, Refused};
use crate::loops::support::{Run, loops, rails};

/// Retries each call twice.
#[rail(priority = 30, on = [PostToolCall])]
fn twice_more(ctx: &RailContext) -> RailAction {
    if ctx.attempt() < 2 {
        return RailAction::retry(RetryRequest::new("again").with_max_retries(2));
    }
    RailAction::Continue
}

rail_chain! { struct Retrying { loops: Loops, twice_more } }

#[tokio::test]
async fn the_attempts_of_a_retry_are_one_call() {
    let mut run = Run::new(Retrying { loops: loops("") });
    for expected in [Ran, Ran, Ran, Ran, Refused] {
        assert_eq!(run.call("search", json!({}), "nothing").await, expected);
    }
    assert_eq!(run.calls.into_inner(), 12);
}

#[tokio::test]
async fn equal_calls_of_one_step_count_once() {
    // A model call begins each step, also if the program does not number them.
    let rails = rails("");
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("nothing")) };
    let mut ctx = RunContext::new("demo");
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("")) };
    for step in 0..8 {
        rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
        for number in 0..10 {
            let mut ctx = ctx.child().with_call_number(number);
            let output = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await;
            match step {
                0..4 => assert_eq!(output.unwrap().content, "nothing"),
                4..7 => assert!(output.unwrap().content.contains("loops/repetition"), "{step}"),
                _ => assert!(output.is_err()),
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_count_in_the_order_of_the_model() {
    let rails = rails("stagnation = { warn = 0, refuse = 0, abort = 0 }");
    let mut ctx = RunContext::new("demo");
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("")) };
    let mut refused = Vec::new();
    for step in 0..5_u64 {
        rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
        let call = async |number: u32| {
            let mut ctx = ctx.child().with_call_number(number);
            let tool = |_| async move {
                // They end in another order in each step.
                tokio::time::sleep(Duration::from_millis(10 * (u64::from(number) + step) % 3)).await;
                Ok::<_, OperationError>(ToolOutput::text("same"))
            };
            rails.guard_tool_call(ToolCallInputs::new(["a", "b", "c"][number as usize]), &mut ctx, tool).await.unwrap()
        };
        let outputs = futures_util::future::join3(call(0), call(1), call(2)).await;
        refused.push([outputs.0, outputs.1, outputs.2].map(|output| output.content.contains("loops/oscillation")));
    }
    assert_eq!(refused[..3], [[false; 3]; 3]);
    assert_eq!(refused[3..], [[false, false, true], [true; 3]]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_begins_again_after_it_was_dropped_counts_once() {
    let mut run = Run::new(rails(""));
    for _ in 0..10 {
        let hangs = |_| std::future::pending::<Result<ToolOutput, OperationError>>();
        let call = run.rails.guard_tool_call(ToolCallInputs::new("search"), &mut run.ctx, hangs);
        tokio::time::timeout(Duration::from_millis(1), call).await.unwrap_err();
    }
    for expected in [Ran, Ran, Ran, Ran, Refused] {
        assert_eq!(run.call("search", json!({}), "nothing").await, expected);
    }
}

/// Changes the arguments of calls after the guard has seen them.
#[rail(priority = 30, on = [PreToolCall])]
fn add_user(call: &mut ToolCallInputs) {
    call.arguments["user"] = "ada".into();
}

rail_chain! { struct Changing { loops: Loops, add_user } }

#[tokio::test]
async fn a_changed_call_counts_as_the_model_made_it() {
    let mut run = Run::new(Changing { loops: loops("") });
    for expected in [Ran, Ran, Ran, Ran, Refused, Refused, Refused, Aborted] {
        assert_eq!(run.call("search", json!({}), "nothing").await, expected);
    }
}

rail_chain! { struct Both { tried: exo_rails::InMode<Loops>, loops: Loops } }

#[tokio::test]
async fn a_guard_in_shadow_has_its_own_history_and_changes_nothing() {
    let tried =
        exo_rails::InMode::new(exo_rails::Mode::Shadow, loops("repetition = { warn = 2, refuse = 2, abort = 3 }"));
    let mut run = Run::new(Both { tried, loops: loops("") });
    for expected in [Ran, Ran, Ran, Ran, Refused, Refused, Refused, Aborted] {
        assert_eq!(run.call("search", json!({}), "nothing").await, expected);
    }
    assert_eq!(run.warnings().len(), 1);
}

rail_chain! { struct Reloaded { loops: Reloadable<Loops> } }

#[tokio::test]
async fn a_guard_that_replaces_an_equal_one_continues_to_count() {
    let guard = Reloadable::new(loops(""));
    let mut run = Run::new(Reloaded { loops: guard.clone() });
    for expected in [Ran, Ran, Ran, Ran, Refused] {
        assert_eq!(run.call("search", json!({}), "nothing").await, expected);
        guard.replace(loops(""));
    }
}

#[tokio::test]
async fn a_saved_run_continues_to_count() {
    for kept in [KeptValues::new(), KeptValues::new().keep::<LoopHistory>("history")] {
        continues_to_count(&kept).await;
    }
}

async fn continues_to_count(kept: &KeptValues) {
    let mut run = Run::new(rails(""));
    for _ in 0..4 {
        run.call("search", json!({}), "nothing").await;
    }
    let saved = serde_json::to_string(&run.ctx.save(kept).unwrap()).unwrap();
    let mut run = Run::new(rails(""));
    run.ctx.restore(serde_json::from_str(&saved).unwrap(), kept).unwrap();
    assert_eq!(run.call("search", json!({}), "nothing").await, Refused);
}

#[rail(priority = 90, on = [Finished])]
fn once_more(ctx: &RailContext) -> RailAction {
    if ctx.attempt() == 0 { RailAction::retry("again") } else { RailAction::Continue }
}

rail_chain! { struct Whole { loops: Loops, once_more } }

#[tokio::test]
async fn another_attempt_of_a_run_has_a_new_history() {
    let whole = Whole { loops: loops("") };
    let mut attempts = 0;
    let run = |permit: Permit<InvokeInputs>| {
        attempts += 1;
        let whole = &whole;
        async move {
            let mut ctx = permit.context();
            let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("nothing")) };
            for _ in 0..4 {
                let output = whole.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
                assert_eq!(output.content, "nothing");
            }
            Ok::<_, RunError>(InvokeOutput::text("done"))
        }
    };
    whole.guard_run("Search.", &mut RunContext::new("demo"), run).await.unwrap();
    assert_eq!(attempts, 2);
}
