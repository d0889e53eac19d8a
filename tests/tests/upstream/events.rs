//! Every event is served, on every path, and carries what its payload promises.
use exo_rails::DynGuardSet;
use exo_rails::message::{ToolSpec, Usage};
use exo_rails::prelude::*;
use exo_rails_agent::ScriptedModel;
use serde_json::{Value, json};
use tests::{note, take_notes};

use crate::common::{in_each_guard_set, run, trace};

const FAILS_AT_THE_END: &str = r#"[
    { "call": [{ "tool": "echo" }, { "tool": "broken" }] },
    { "fail": { "kind": "unavailable", "message": "gone" } }
]"#;

/// What is noted of events: `pre_tool_call 0`.
fn events(notes: &[String]) -> Vec<HookPoint> {
    notes.iter().filter_map(|note| note.split_once(' ')?.0.parse().ok()).collect()
}

/// There, a start, an end and an error are reported on one of two paths only, and an event that is in no list fires never.
#[tokio::test]
async fn every_guard_set_serves_every_event_of_an_agent() {
    in_each_guard_set!([trace], |set, rails| {
        let mut fired = Vec::new();
        for script in [FAILS_AT_THE_END, r#"[{ "say": "done" }]"#] {
            fired.extend(events(&run(&rails, script).await.1));
        }
        fired.sort_unstable();
        fired.dedup();
        assert_eq!(fired, trace::EVENTS, "{set}");
    });
}

/// Who adds an event adds it to `trace`, and to the scripts that reach it.
#[test]
fn these_tests_reach_each_event_of_a_run() {
    // Those of sessions, memories, contexts, compaction, streamed answers, suspended and dropped runs have tests of their own.
    let others = [
        "session_start",
        "memory_recalled",
        "context_assembled",
        "pre_compaction",
        "post_compaction",
        "context_overflow",
        "llm_chunk",
        "memory_stored",
        "suspended",
        "session_end",
        "dropped",
    ];
    let all = HookPoint::ALL.iter().copied().filter(|point| !others.contains(&point.name()));
    assert_eq!(trace::EVENTS, all.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_plain_hook_is_called_at_every_point() {
    async fn hook(inputs: Inputs<'_>, ctx: &mut RailContext) {
        assert_eq!(inputs.point(), ctx.event());
        note(ctx, format!("{} 0", inputs.point()));
    }
    for &point in trace::EVENTS {
        let mut hooks = HookManager::new();
        hooks.add(point, hook);
        let mut fired = Vec::new();
        for script in [FAILS_AT_THE_END, r#"[{ "say": "done" }]"#] {
            fired.extend(events(&run(&hooks, script).await.1));
        }
        fired.dedup();
        assert_eq!(fired, [point]);
    }
}

/// There, rails that are registered for each run add up.
#[tokio::test]
async fn running_an_agent_again_does_not_multiply_its_rails() {
    let script = r#"[{ "say": "one" }, { "say": "two" }, { "say": "three" }]"#;
    in_each_guard_set!([trace], |set, rails| {
        let model: ScriptedModel = script.parse().unwrap();
        let agent = tests::agent("upstream", model).rails(DynGuardSet::new(rails)).build();
        for _ in 0..3 {
            let mut ctx = RunContext::new("upstream");
            agent.run_in("hello", &mut ctx).await.unwrap();
            assert_eq!(take_notes(&ctx), ["start 0", "pre_llm_call 0", "post_llm_call 0", "finished 0"], "{set}");
        }
    });
}

/// Shows what each event carries, all of it.
#[rail(on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, events::Error])]
fn shows(inputs: &Inputs<'_>, ctx: &RailContext) {
    let names = |tools: &[ToolSpec]| tools.iter().map(|tool| tool.function.name.clone()).collect::<Vec<_>>().join(" ");
    let total = |usage: Option<&Usage>| usage.map_or(0, |usage| usage.total_tokens);
    note(
        ctx,
        match inputs {
            Inputs::Start(run) => format!("start: {}", run.input.text()),
            Inputs::PreLlmCall(call) => {
                format!(
                    "pre_llm_call: {} messages, {}, {}",
                    call.messages.len(),
                    names(&call.tools),
                    call.extra["seed"]
                )
            }
            Inputs::PostLlmCall(call, response) => {
                let (calls, tokens) = (response.message.tool_calls.len(), total(response.usage.as_ref()));
                format!("post_llm_call: {} messages, {calls} calls, {tokens} tokens", call.messages.len())
            }
            Inputs::LlmError(call, error) => format!("llm_error: {} messages, {error}", call.messages.len()),
            Inputs::PreToolCall(call) => format!("pre_tool_call: {} {} {}", call.id, call.tool_name, call.arguments),
            Inputs::PostToolCall(call, output) => {
                format!("post_tool_call: {} {} {}", call.tool_name, call.arguments, output.content)
            }
            Inputs::ToolError(call, error) => format!("tool_error: {} {} {error}", call.tool_name, call.arguments),
            Inputs::Finished(run, output) => format!("finished: {} -> {}", run.input.text(), output.text),
            Inputs::Error(run, error) => format!("error: {} -> {error}", run.input.text()),
            _ => String::new(),
        },
    );
}

/// There, the model events lack tools, messages and usage, the event after a tool the arguments, the end of a run its
/// output and an error the exception.
#[tokio::test]
async fn the_payloads_of_an_agent_contain_all_promised_data() {
    let add = |arguments: Value| async move {
        let [a, b] = ["a", "b"].map(|name| arguments[name].as_i64());
        match (a, b) {
            (Some(a), Some(b)) => Ok(ToolOutput::text((a + b).to_string())),
            _ => Err(OperationError::from("two numbers are needed")),
        }
    };
    let answers = [
        r#"{
            "call": [{ "tool": "add", "id": "x", "arguments": { "a": 1, "b": 2 } }],
            "usage": { "total_tokens": 7 }
        }"#,
        r#"{ "call": [{ "tool": "add", "id": "y", "arguments": { "a": 1 } }] }"#,
    ];
    let steps = [
        "start: what is 1 + 2?",
        "pre_llm_call: 1 messages, add, 3",
        "post_llm_call: 1 messages, 1 calls, 7 tokens",
        r#"pre_tool_call: x add {"a":1,"b":2}"#,
        r#"post_tool_call: add {"a":1,"b":2} 3"#,
        "pre_llm_call: 3 messages, add, 3",
        "post_llm_call: 3 messages, 1 calls, 0 tokens",
        r#"pre_tool_call: y add {"a":1}"#,
        r#"tool_error: add {"a":1} two numbers are needed (failed)"#,
        r#"post_tool_call: add {"a":1} The call of `add` failed: two numbers are needed (failed)"#,
        "pre_llm_call: 5 messages, add, 3",
    ];
    let well = ["post_llm_call: 5 messages, 0 calls, 0 tokens", "finished: what is 1 + 2? -> three"].map(String::from);
    let badly = ["llm_error: 5 messages, gone (unavailable)", "error: what is 1 + 2? -> gone (unavailable)"];
    let ends = [
        (r#"{ "say": "three" }"#, well),
        (r#"{ "fail": { "kind": "unavailable", "message": "gone" } }"#, badly.map(String::from)),
    ];
    for (last, end) in ends {
        let model: ScriptedModel = format!("[{}, {}, {last}]", answers[0], answers[1]).parse().unwrap();
        let tool = Tool::new("add", "Adds two numbers.", json!({ "type": "object" }), add);
        let agent = tests::agent("upstream", model).tool(tool).option("seed", 3).rails(tests::rails![shows]).build();
        let mut ctx = RunContext::new("upstream");
        let _ = agent.run_in("what is 1 + 2?", &mut ctx).await;
        assert_eq!(take_notes(&ctx), [&steps.map(String::from)[..], &end].concat());
    }
}
