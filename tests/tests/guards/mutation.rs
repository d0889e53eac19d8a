//! Changes that rails make reach the rails after them and the operation.

use exo_rails::message::{Content, Message};
use exo_rails::prelude::*;
use serde_json::json;
use tests::{GuardDyn, model, note, notes, prompt, rails, run, tool};

#[rail(priority = 10, on = [PreToolCall])]
fn limit(call: &mut ToolCallInputs) {
    call.arguments["limit"] = json!(10);
}

#[rail(priority = 20, on = [PreToolCall])]
fn rename(call: &mut ToolCallInputs, ctx: &RailContext) {
    note(ctx, format!("rename sees {}", call.arguments));
    "safe_search".clone_into(&mut call.tool_name);
}

#[tokio::test]
async fn changes_to_arguments_reach_the_tool() {
    let mut ctx = RunContext::new("mutation");
    let call = ToolCallInputs::new("search").with_arguments(json!({ "query": "rust" }));
    let output = rails![rename, limit].dyn_tool_call(call, &mut ctx, tool).await.unwrap();
    let arguments = r#"{"limit":10,"query":"rust"}"#;
    assert_eq!(output.content, arguments);
    assert_eq!(notes(&ctx), [format!("rename sees {arguments}"), format!("tool safe_search {arguments}")]);
}

#[tokio::test]
async fn changes_to_messages_reach_the_model() {
    #[rail(priority = 10, on = [PreLlmCall])]
    fn add_a_rule(call: &mut ModelCallInputs) {
        call.messages.push(Message::system("be brief"));
    }
    let mut ctx = RunContext::new("mutation");
    let response = rails![add_a_rule].dyn_llm_call(prompt("hello"), &mut ctx, model).await.unwrap();
    assert_eq!(response.message.text(), "be brief");
    assert_eq!(notes(&ctx), ["model be brief"]);
}

#[tokio::test]
async fn changes_to_the_input_reach_the_run() {
    #[rail(priority = 10, on = [Start])]
    fn trim(run: &mut InvokeInputs) {
        run.input = run.input.text().trim().into();
    }
    let mut ctx = RunContext::new("mutation");
    let output = rails![trim].dyn_run("  hello  ", &mut ctx, run).await.unwrap();
    assert_eq!((output.text.as_str(), notes(&ctx)), ("hello", vec!["run hello".to_owned()]));
}

#[tokio::test]
async fn changes_to_results_reach_later_rails_and_the_caller() {
    #[rail(priority = 10, on = [PostToolCall])]
    fn redact(output: &mut ToolOutput) {
        output.content = output.content.replace("sk-123", "[key]");
    }
    #[rail(priority = 20, on = [PostToolCall])]
    fn log(output: &ToolOutput, ctx: &RailContext) {
        note(ctx, output.content.clone());
    }
    #[rail(priority = 10, on = [PostLlmCall])]
    fn redact_answer(response: &mut ModelResponse) {
        let redacted = |text: &mut String| *text = text.replace("sk-123", "[key]");
        response.message.content.as_mut().map(|content| content.for_each_text(redacted)).unwrap_or_default();
    }
    #[rail(priority = 10, on = [Finished])]
    fn sign(output: &mut InvokeOutput) {
        output.text.push_str(" -- the agent");
    }
    let mut ctx = RunContext::new("mutation");
    let rails = rails![log, redact, redact_answer, sign];
    let leak = async |_| Ok::<_, OperationError>(ToolOutput::text("the key is sk-123"));
    let call = ToolCallInputs::new("read");
    let output = rails.dyn_tool_call(call, &mut ctx, leak).await.unwrap();
    assert_eq!(output.content, "the key is [key]");
    assert_eq!(notes(&ctx), ["the key is [key]"]);
    let response = rails.dyn_llm_call(prompt("use sk-123"), &mut ctx, model).await.unwrap();
    assert_eq!(response.message.text(), "use [key]");
    assert_eq!(rails.dyn_run("hello", &mut ctx, run).await.unwrap().text, "hello -- the agent");
}

#[tokio::test]
async fn changes_reach_the_tool_behind_every_guard_set() {
    let mut manager = RailManager::new();
    manager.add(limit {}).unwrap();
    let mut hooks = HookManager::new();
    rail_chain![limit].register(&mut hooks);
    let mut plain = HookManager::new();
    plain.add(HookPoint::PreToolCall, limit_in_a_hook);
    let outputs = [
        manager.dyn_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("m"), tool).await,
        hooks.dyn_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("h"), tool).await,
        plain.dyn_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("p"), tool).await,
    ];
    assert_eq!(outputs.map(|output| output.unwrap().content), [r#"{"limit":10}"#; 3]);
}

async fn limit_in_a_hook(inputs: Inputs<'_>, _: &mut RailContext) {
    if let Inputs::PreToolCall(call) = inputs {
        call.arguments["limit"] = json!(10);
    }
}

#[tokio::test]
async fn the_post_rails_see_the_call_that_the_tool_received() {
    #[rail(priority = 90, on = [PostToolCall])]
    fn audit(call: &ToolCallInputs, ctx: &RailContext) {
        note(ctx, format!("audit {} {}", call.tool_name, call.arguments));
    }
    let mut ctx = RunContext::new("mutation");
    let call = ToolCallInputs::new("search");
    let output = rails![limit, rename, audit].dyn_tool_call(call, &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, r#"{"limit":10}"#);
    assert_eq!(notes(&ctx).last().unwrap(), r#"audit safe_search {"limit":10}"#);
}

#[test]
fn two_payloads_do_not_share_their_messages() {
    let mut one = ModelCallInputs::default();
    let two = ModelCallInputs::default();
    one.messages.push(Message { content: Some(Content::from("only here")), ..Message::default() });
    assert!(two.messages.is_empty());
}
