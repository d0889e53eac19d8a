//! What rails change on a real agent reaches the model and the tools, and what they leave behind reaches nobody.

use exo_rails::message::{Content, ContentPart, Message, Role};
use exo_rails::prelude::*;
use serde_json::json;
use tests::note;

use crate::common::{in_each_guard_set, run, run_in, trace};

const CALLS_A_TOOL: &str =
    r#"[{ "call": [{ "tool": "broken", "arguments": { "path": "/etc" } }] }, { "say": "done" }]"#;

#[rail(priority = 10, on = [PreToolCall])]
fn another_tool(call: &mut ToolCallInputs) {
    "echo".clone_into(&mut call.tool_name);
    call.arguments = json!({ "path": "/tmp" });
}

#[rail(priority = 10, on = [PreLlmCall])]
fn add_a_rule(call: &mut ModelCallInputs) {
    call.messages.push(Message::system("be brief"));
}

#[rail(priority = 10, on = [PostLlmCall])]
fn another_argument(response: &mut ModelResponse) {
    for call in &mut response.message.tool_calls {
        call.function.arguments = call.function.arguments.replace("/etc", "/tmp");
    }
}

#[tokio::test]
async fn a_tool_runs_with_the_name_and_the_arguments_that_rails_changed() {
    in_each_guard_set!([another_tool], |set, rails| {
        let (result, notes) = run(&rails, CALLS_A_TOOL).await;
        assert_eq!(notes, ["model: hello", r#"tool echo {"path":"/tmp"}"#, r#"model: {"path":"/tmp"}"#], "{set}");
        assert!(result.is_ok());
    });
}

/// There, the messages of the event are a preview, and the model gets others.
#[tokio::test]
async fn the_model_reads_the_messages_that_rails_changed() {
    in_each_guard_set!([add_a_rule], |set, rails| {
        let (result, notes) = run(&rails, r#"[{ "say": "hi" }]"#).await;
        assert_eq!(notes, ["model: be brief"], "{set}");
        let messages = result.unwrap().messages;
        assert!(messages.iter().all(|message| message.role != Role::System), "{set}: it was for one request");
    });
}

#[tokio::test]
async fn the_tool_calls_of_an_answer_can_be_changed_before_any_tool_is_asked() {
    in_each_guard_set!([another_argument], |set, rails| {
        let (_, notes) = run(&rails, CALLS_A_TOOL).await;
        assert_eq!(notes[1], r#"tool broken {"path":"/tmp"}"#, "{set}");
    });
}

#[rail(priority = 20, on = [PreToolCall])]
fn refuses() -> Verdict {
    Verdict::abort("not today")
}

#[rail(priority = 90, on = [events::Error])]
fn shows_extra(ctx: &RailContext) {
    note(ctx, format!("left behind: {:?}", ctx.extra.get::<&str>()));
}

#[rail(priority = 10, on = [Start])]
fn leaves_something(ctx: &mut RailContext) -> Result<Verdict, &'static str> {
    ctx.extra.insert("half-done");
    Err("and now it breaks")
}

/// There, what a failing rail has written into the shared data stays in it.
#[tokio::test]
async fn values_shared_by_a_faulty_rail_are_gone_at_the_next_event() {
    in_each_guard_set!([leaves_something, shows_extra], |set, rails| {
        let (result, notes) = run(&rails, CALLS_A_TOOL).await;
        assert!(matches!(result, Err(RunError::Fault(fault)) if fault.rail_name == "leaves_something"), "{set}");
        assert_eq!(notes, ["left behind: None"], "{set}");
    });
}

#[tokio::test]
async fn a_call_that_is_changed_and_then_refused_reaches_no_tool() {
    in_each_guard_set!([another_tool, refuses], |set, rails| {
        let (result, notes) = run(&rails, CALLS_A_TOOL).await;
        assert_eq!(result.unwrap_err().to_string(), "rail `refuses` aborted at pre_tool_call: not today", "{set}");
        assert_eq!(notes, ["model: hello"], "{set}");
    });
}

#[rail(priority = 10, on = [Start])]
fn counts_parts(run: &InvokeInputs, ctx: &RailContext) {
    if let Content::Parts(parts) = &run.input {
        note(ctx, format!("{} parts", parts.len()));
    }
}

#[rail(priority = 20, on = [PreLlmCall])]
fn sees_an_image(call: &ModelCallInputs, ctx: &RailContext) {
    let Some(Content::Parts(parts)) = call.messages.last().and_then(|message| message.content.as_ref()) else { return };
    note(ctx, parts.iter().map(|part| part.kind.as_str()).collect::<Vec<_>>().join(", "));
}

/// There, an input that is not one text is refused before any rail has seen it.
#[tokio::test]
async fn an_input_of_several_parts_passes_the_rails_and_reaches_the_model() {
    in_each_guard_set!([trace, counts_parts, sees_an_image], |set, rails| {
        let text = ContentPart { kind: "text".into(), text: Some("what is this?".into()), ..ContentPart::default() };
        let image = ContentPart { kind: "image_url".into(), ..ContentPart::default() };
        let input = Content::Parts(vec![text, image]);
        let (result, notes) = run_in(&rails, r#"[{ "say": "a cat" }]"#, input, &mut RunContext::new("upstream")).await;
        assert_eq!(result.unwrap().text, "a cat", "{set}");
        let expected = ["start 0", "2 parts", "pre_llm_call 0", "text, image_url", "model: what is this?"];
        assert_eq!(notes[..5], expected, "{set}");
    });
}
