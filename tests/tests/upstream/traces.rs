//! Which events fire in which order when an operation fails, is done again, or is one of several.

use exo_rails::prelude::*;
use tests::note;

use crate::common::{run, trace};

/// Has whatever has failed done again, once.
#[rail(priority = 10, on = [LlmError, ToolError])]
fn once_more(ctx: &RailContext) -> Option<RailAction> {
    (ctx.attempt() == 0).then(|| RailAction::retry(RetryRequest::new("it may have been bad luck")))
}

const FAILS: &str = r#"{ "fail": { "kind": "unavailable", "message": "gone" } }"#;

fn done(first: &str) -> String {
    format!(r#"[{first}, {{ "say": "done" }}]"#)
}

/// There, the event after a model call fires for each attempt, also for one that has failed. Here it carries a
/// response, so it fires when there is one: who wants to see failed attempts is on `LlmError`, which has their error.
#[tokio::test]
async fn a_retried_model_call_fires_pre_and_error_then_pre_and_post() {
    let (result, notes) = run(&rail_chain![trace, once_more], &done(FAILS)).await;
    assert_eq!(result.unwrap().text, "done");
    let expected = [
        "start 0",
        "pre_llm_call 0",
        "model: hello",
        "llm_error 0",
        "pre_llm_call 1",
        "model: hello",
        "post_llm_call 1",
        "finished 0",
    ];
    assert_eq!(notes, expected);
}

/// As there: the event after a tool does not fire for an attempt that is done again.
#[tokio::test]
async fn a_retried_tool_call_fires_pre_and_error_then_pre_and_post() {
    let (result, notes) = run(&rail_chain![trace, once_more], &done(r#"{ "call": [{ "tool": "flaky" }] }"#)).await;
    assert_eq!(result.unwrap().text, "done");
    let expected = [
        "pre_tool_call 0",
        "tool flaky {}",
        "tool_error 0",
        "pre_tool_call 1",
        "tool flaky {}",
        "post_tool_call 1",
        "pre_llm_call 0",
        "model: {}",
    ];
    assert_eq!(notes[4..12], expected);
}

/// There, `after` follows the exception. Here there is no result to look at, and the run ends with the error as it is.
#[tokio::test]
async fn a_failed_model_call_fires_error_and_no_post_event() {
    let (result, notes) = run(&rail_chain![trace], &format!("[{FAILS}]")).await;
    assert_eq!(result.unwrap_err().to_string(), "gone (unavailable)");
    assert_eq!(notes, ["start 0", "pre_llm_call 0", "model: hello", "llm_error 0", "error 0"]);
}

#[rail(priority = 2, on = [PreToolCall, PostToolCall, ToolError])]
fn of_which_call(inputs: &Inputs<'_>, ctx: &RailContext) {
    let call = match inputs {
        Inputs::PreToolCall(call) => &**call,
        Inputs::PostToolCall(call, _) | Inputs::ToolError(call, _) => *call,
        _ => return,
    };
    note(ctx, format!("{} of {} {}", ctx.event(), call.id, call.arguments));
}

#[tokio::test]
async fn each_call_of_a_batch_has_separate_events() {
    let script = r#"[
        { "call": [
            { "tool": "echo", "id": "a", "arguments": { "n": 1 } },
            { "tool": "echo", "id": "b", "arguments": { "n": 2 } }
        ] },
        { "say": "done" }
    ]"#;
    let (result, notes) = run(&rail_chain![of_which_call], script).await;
    assert_eq!(result.unwrap().text, "done");
    let expected = [
        r#"pre_tool_call of a {"n":1}"#,
        r#"tool echo {"n":1}"#,
        r#"post_tool_call of a {"n":1}"#,
        r#"pre_tool_call of b {"n":2}"#,
        r#"tool echo {"n":2}"#,
        r#"post_tool_call of b {"n":2}"#,
    ];
    assert_eq!(notes[1..7], expected);
}

/// The event after the failed call fires as well: what the model reads of the failure is an output, and no output
/// reaches the model that the rails have not seen.
#[tokio::test]
async fn the_error_event_of_a_tool_fires_for_the_failed_call_alone() {
    let script = r#"[
        { "call": [{ "tool": "echo", "id": "a" }, { "tool": "broken", "id": "b" }, { "tool": "echo", "id": "c" }] },
        { "say": "done" }
    ]"#;
    let (result, notes) = run(&rail_chain![of_which_call], script).await;
    let expected = [
        "pre_tool_call of a {}",
        "tool echo {}",
        "post_tool_call of a {}",
        "pre_tool_call of b {}",
        "tool broken {}",
        "tool_error of b {}",
        "post_tool_call of b {}",
        "pre_tool_call of c {}",
        "tool echo {}",
        "post_tool_call of c {}",
    ];
    assert_eq!(notes[1..11], expected);
    let told: Vec<_> = result.unwrap().messages.iter().map(|message| message.text().into_owned()).collect();
    assert_eq!(told[2..5], ["{}", "The call of `broken` failed: it is broken (failed)", "{}"]);
}

/// There, a retry that one event has asked for and another has not consumed may be acted on later. Here it is a value
/// that is returned, and there is no place where an old one could lie.
#[tokio::test]
async fn a_retry_is_not_remembered_for_the_next_operation() {
    let script = r#"[
        { "call": [{ "tool": "flaky" }] },
        { "call": [{ "tool": "echo" }, { "tool": "broken" }] },
        { "say": "done" }
    ]"#;
    let (_, notes) = run(&rail_chain![once_more], script).await;
    let tools: Vec<_> = notes.iter().filter(|note| note.starts_with("tool")).collect();
    assert_eq!(tools, ["tool flaky {}", "tool flaky {}", "tool echo {}", "tool broken {}", "tool broken {}"]);
}

/// There, what rails share in `extra` lives as long as the run. Here `extra` is of one event, and `ctx.run` of the run.
#[tokio::test]
async fn later_events_see_values_of_the_run_but_not_of_extra() {
    #[derive(Clone, Default)]
    struct Seen(u32);

    #[rail(on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, events::Error])]
    fn count(ctx: &mut RailContext) {
        let before = ctx.extra.insert(Seen(1)).is_some();
        let seen = ctx.run.update(|seen: &mut Seen| {
            seen.0 += 1;
            seen.0
        });
        note(ctx, format!("event {seen}, {before}"));
    }
    let script = r#"[{ "call": [{ "tool": "echo" }, { "tool": "broken" }] }, { "say": "done" }]"#;
    let (_, notes) = run(&rail_chain![count], script).await;
    let events: Vec<_> = notes.into_iter().filter(|note| note.starts_with("event")).collect();
    assert_eq!(events, (1..=11).map(|i| format!("event {i}, false")).collect::<Vec<_>>());
}
