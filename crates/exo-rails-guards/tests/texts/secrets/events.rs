//! What the guard does at each event.

use exo_rails::message::{Message, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, MemoryQuery, RecalledMemory, rail_chain};
use exo_rails_guards::Secrets;
use exo_rails_guards::scan::{Action, Actions};
use serde_json::json;

use super::formats::tokens;

rail_chain! { struct Guards { secrets: Secrets } }

fn guards(action: Action) -> Guards {
    Guards { secrets: Secrets::builder().actions(Actions::everywhere(action)).build().unwrap() }
}

fn token() -> String {
    tokens()[6].1.clone()
}

#[tokio::test]
async fn an_input_is_redacted_or_refused_or_reported() {
    for (action, expected) in [
        (Action::Redact, Some("use [GITHUB_TOKEN]".to_owned())),
        (Action::Refuse, None),
        (Action::Report, Some(format!("use {}", token()))),
        (Action::Off, Some(format!("use {}", token()))),
    ] {
        let mut run = InvokeInputs::new(format!("use {}", token()));
        let mut ctx = RunContext::new("test");
        let decision = guards(action).dispatch::<Start>(&mut run, &mut ctx).await.unwrap();
        assert_eq!(decision.is_continue(), expected.is_some(), "{action:?}");
        match expected {
            Some(expected) => assert_eq!(run.input.text(), expected),
            None => assert_eq!(
                decision.reason().unwrap().to_string(),
                "secrets/github-token: a token of GitHub is not allowed in the input"
            ),
        }
    }
}

#[tokio::test]
async fn text_calls_and_extra_fields_of_an_answer_are_redacted() {
    let token = token();
    let call = ToolCall::new("call-1", &token, &json!({ "text": token, "n": [token] }));
    let mut message = Message { tool_calls: vec![call], ..Message::assistant(format!("It is {token}.")) };
    message.extra.insert("reasoning".into(), token.clone().into());
    let model = |_| {
        let response = ModelResponse { message: message.clone(), ..ModelResponse::default() };
        async move { Ok::<_, OperationError>(response) }
    };
    let rails = guards(Action::Redact);
    let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await.unwrap();
    assert!(!serde_json::to_string(&answer).unwrap().contains(&token));
    assert_eq!(answer.message.text(), "It is [GITHUB_TOKEN].");
    assert_eq!(answer.message.tool_calls[0].function.name, "[GITHUB_TOKEN]");
    assert_eq!(answer.message.tool_calls[0].function.arguments, r#"{"n":["[GITHUB_TOKEN]"],"text":"[GITHUB_TOKEN]"}"#);

    let error =
        guards(Action::Refuse).guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await;
    assert!(error.unwrap_err().to_string().contains("secrets/github-token"));
    let answer =
        guards(Action::Report).guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await;
    assert_eq!(answer.unwrap().message.text(), format!("It is {token}."));
}

#[tokio::test]
async fn the_errors_of_tools_and_models_are_covered() {
    let token = token();
    let tool = |_| async { Err::<ToolOutput, _>(OperationError::from(format!("401 for {token}"))) };
    let output =
        guards(Action::Redact).guard_tool_call(ToolCallInputs::new("get"), &mut RunContext::new("test"), tool).await;
    let output = output.unwrap();
    assert!(output.is_error && output.content.contains("401 for [GITHUB_TOKEN]"), "{output:?}");
    let output =
        guards(Action::Refuse).guard_tool_call(ToolCallInputs::new("get"), &mut RunContext::new("test"), tool).await;
    assert_eq!(output.unwrap().content, "secrets/github-token: a token of GitHub is not allowed in the output");
    let output =
        guards(Action::Report).guard_tool_call(ToolCallInputs::new("get"), &mut RunContext::new("test"), tool).await;
    assert!(output.unwrap().content.contains(&token));
    // A tool whose error has no secret fails as before.
    let plain = |_| async { Err::<ToolOutput, _>(OperationError::from("not found")) };
    let output =
        guards(Action::Refuse).guard_tool_call(ToolCallInputs::new("get"), &mut RunContext::new("test"), plain).await;
    assert!(output.unwrap().content.contains("not found"));

    let model = |_| async { Err::<ModelResponse, _>(OperationError::from(format!("bad key {token}"))) };
    let error =
        guards(Action::Redact).guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await;
    let error = format!("{:?}", error.unwrap_err());
    assert!(!error.contains(&token), "{error}");
}

#[tokio::test]
async fn a_call_is_refused_although_the_answer_has_been_redacted() {
    let actions = Actions { arguments: Action::Refuse, ..Actions::default() };
    let rails = Guards { secrets: Secrets::builder().actions(actions).build().unwrap() };
    let mut ctx = RunContext::new("test");
    let answer = async |arguments: serde_json::Value, ctx: &mut RunContext| {
        let message =
            Message { tool_calls: vec![ToolCall::new("call-1", "post", &arguments)], ..Message::assistant("") };
        let model = |_| {
            let response = ModelResponse { message: message.clone(), ..ModelResponse::default() };
            async move { Ok::<_, OperationError>(response) }
        };
        rails.guard_llm_call(ModelCallInputs::default(), ctx, model).await.unwrap()
    };
    let post = async |answer: &ModelResponse, ctx: &mut RunContext| {
        let call = &answer.message.tool_calls[0];
        let mut inputs = ToolCallInputs::new("post");
        inputs.id.clone_from(&call.id);
        inputs.arguments = serde_json::from_str(&call.function.arguments).unwrap();
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("posted")) };
        rails.guard_tool_call(inputs, ctx, tool).await.unwrap().content
    };
    for arguments in [json!({ "text": token() }), json!({ "deep": [{ token(): 1 }] })] {
        let redacted = answer(arguments, &mut ctx).await;
        assert!(!redacted.message.tool_calls[0].function.arguments.contains(&token()));
        let refused = post(&redacted, &mut ctx).await;
        assert!(
            refused.ends_with("secrets/github-token: a token of GitHub is not allowed in the arguments"),
            "{refused}"
        );
        // The id of a call may come again.
        let clean = answer(json!({ "text": "hello" }), &mut ctx).await;
        assert_eq!(post(&clean, &mut ctx).await, "posted");
    }
}

#[tokio::test]
async fn memories_are_redacted_or_withheld() {
    let token = token();
    let recall =
        |_| async { Ok::<_, OperationError>(RecalledMemory::from(vec![format!("the key is {token}"), "tea".into()])) };
    let recalled =
        guards(Action::Redact).guard_recall(MemoryQuery::new("key", 3), &mut RunContext::new("test"), recall).await;
    assert_eq!(recalled.unwrap().items[0].text, "the key is [GITHUB_TOKEN]");
    let recalled =
        guards(Action::Refuse).guard_recall(MemoryQuery::new("key", 3), &mut RunContext::new("test"), recall).await;
    assert_eq!(recalled.unwrap().items, []);

    for action in [Action::Redact, Action::Refuse] {
        let stored = std::sync::Mutex::new(Vec::new());
        let store = |entry: Permit<MemoryEntry>| {
            stored.lock().unwrap().push(format!("{entry:?}"));
            async { Ok::<_, OperationError>(()) }
        };
        let entry = MemoryEntry::new([Message::user(format!("keep {token}"))]);
        guards(action).guard_store(entry, &mut RunContext::new("test"), store).await.unwrap();
        let stored = stored.into_inner().unwrap();
        assert_eq!(stored.len(), usize::from(action == Action::Redact));
        assert!(stored.iter().all(|entry| entry.contains("keep [GITHUB_TOKEN]")));
    }
}

#[tokio::test]
async fn a_text_that_is_too_large_is_hidden_as_a_whole() {
    let rails = Guards { secrets: Secrets::builder().max_text_bytes(1_000).build().unwrap() };
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("x".repeat(1_001))) };
    let output = rails.guard_tool_call(ToolCallInputs::new("get"), &mut RunContext::new("test"), tool).await.unwrap();
    assert_eq!(output.content, "[NOT_SEARCHED]");
    let mut call = ToolCallInputs::new("put").with_arguments(json!({ "a": "x".repeat(1_001), "b": 1 }));
    let mut ctx = RunContext::new("test");
    let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
    assert_eq!(call.arguments, json!({ "a": "[NOT_SEARCHED]", "b": 1 }));
}

#[tokio::test]
async fn a_stream_is_refused_before_the_secret_leaves() {
    let token = token();
    let script = json!([{ "deltas": ["The key is ", &token[..9], &token[9..], ", as before."] }]).to_string();
    let run = exo_rails_agent::testing::run(guards(Action::Refuse), &script).streamed().await;
    // `key ` may continue with `=`.
    run.assert_streamed(["The "]);
}

/// Some models give calls no ids. Then nobody knows which call of the answer it is.
#[tokio::test]
async fn a_call_without_an_id_is_refused_although_the_answer_has_been_redacted() {
    let actions = Actions { arguments: Action::Refuse, ..Actions::default() };
    let rails = Guards { secrets: Secrets::builder().actions(actions).build().unwrap() };
    let mut ctx = RunContext::new("test");
    for (text, runs) in [("no secret".to_owned(), true), (token(), false), ("no secret".to_owned(), true)] {
        let call = ToolCall::new("", "post", &json!({ "text": text }));
        let message = Message { tool_calls: vec![call], ..Message::assistant("") };
        let model = |_| {
            let response = ModelResponse { message: message.clone(), ..ModelResponse::default() };
            async move { Ok::<_, OperationError>(response) }
        };
        let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
        let arguments = serde_json::from_str(&answer.message.tool_calls[0].function.arguments).unwrap();
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("posted")) };
        let inputs = ToolCallInputs::new("post").with_arguments(arguments);
        let output = rails.guard_tool_call(inputs, &mut ctx, tool).await.unwrap();
        assert_eq!(output.content == "posted", runs, "{output:?}");
    }
}
