//! Answers that come in pieces, and what they come to.

use std::sync::{Arc, Mutex};

use exo_rails::message::{FunctionCall, Message, Role, ToolCall, Usage};
use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails, ResponseBuilder, Stream, ToolCallDelta};
use exo_rails_agent::{Model, ScriptedModel};
use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};
use tests::GuardDyn;

/// What a model streams for one request: each piece, or the error as text.
async fn streamed(model: impl Model) -> Vec<Result<ModelDelta, String>> {
    let (model, found) = (&model, &Mutex::default());
    let collect = |permit| async move {
        let items: Vec<_> = model.stream(permit).collect().await;
        *found.lock().unwrap() = items;
        Ok::<_, OperationError>(ModelResponse::default())
    };
    NoRails.dyn_llm_call(tests::prompt("hi"), &mut RunContext::new("streamed"), collect).await.unwrap();
    let items = std::mem::take(&mut *found.lock().unwrap());
    items.into_iter().map(|item| item.map_err(|error| error.to_string())).collect()
}

async fn called(model: impl Model) -> Result<ModelResponse, RunError> {
    let (model, mut ctx) = (&model, RunContext::new("called"));
    NoRails.dyn_llm_call(tests::prompt("hi"), &mut ctx, |permit| async move { model.call(permit).await }).await
}

fn together(deltas: impl IntoIterator<Item = ModelDelta>) -> ModelResponse {
    let mut response = ResponseBuilder::new();
    response.extend(deltas);
    response.finish()
}

fn text(text: &str) -> ModelDelta {
    ModelDelta::Text(text.to_owned())
}

/// A piece of a call; what is empty is not said.
fn call(index: Option<usize>, id: &str, name: &str, arguments: &str) -> ToolCallDelta {
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let (id, name, arguments) = (said(id), said(name), arguments.to_owned());
    ToolCallDelta { index, id, name, arguments, extra: Map::new() }
}

fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("{value}") };
    fields
}

#[test]
fn pieces_of_parallel_calls_are_joined_to_the_right_calls() {
    let whole = [("a", "search", "{1}"), ("b", "read", "{2}")];
    let cases = [
        (
            "by index",
            vec![
                call(Some(0), "a", "search", ""),
                call(Some(0), "", "", "{1"),
                call(Some(1), "b", "read", ""),
                call(Some(0), "", "", "}"),
                call(Some(1), "", "", "{2}"),
            ],
        ),
        (
            "the second first",
            vec![call(Some(1), "b", "read", "{2}"), call(Some(0), "a", "search", ""), call(Some(0), "", "", "{1}")],
        ),
        ("at once", vec![call(Some(0), "a", "search", "{1}"), call(Some(1), "b", "read", "{2}")]),
        ("at once, without an index", vec![call(None, "a", "search", "{1}"), call(None, "b", "read", "{2}")]),
        ("at once, at one index", vec![call(Some(0), "a", "search", "{1}"), call(Some(0), "b", "read", "{2}")]),
        (
            "in pieces, at one index",
            vec![
                call(Some(0), "a", "search", ""),
                call(Some(0), "", "", "{1}"),
                call(Some(0), "b", "read", "{"),
                call(Some(0), "", "", "2}"),
            ],
        ),
        (
            "in pieces, without an index",
            vec![
                call(None, "a", "search", "{"),
                call(None, "", "", "1}"),
                call(None, "b", "read", "{"),
                call(None, "b", "", "2}"),
            ],
        ),
        (
            "ids and names repeated",
            vec![
                call(Some(0), "a", "search", "{"),
                call(Some(0), "a", "search", "1}"),
                call(Some(1), "b", "read", "{2"),
                call(Some(1), "b", "read", "}"),
            ],
        ),
        (
            "names in pieces",
            vec![
                call(Some(0), "a", "sea", ""),
                call(Some(0), "", "rch", "{1}"),
                call(Some(1), "b", "re", ""),
                call(Some(1), "", "ad", "{2}"),
            ],
        ),
    ];
    for (name, deltas) in cases {
        let calls = together(deltas.into_iter().map(ModelDelta::ToolCall)).message.tool_calls;
        let found: Vec<_> =
            calls.iter().map(|call| (&*call.id, &*call.function.name, &*call.function.arguments)).collect();
        assert_eq!(found, whole, "{name}");
        assert!(calls.iter().all(|call| call.kind == "function" && call.extra.is_empty()), "{name}");
    }
}

#[test]
fn a_piece_with_a_name_and_without_an_id_begins_another_call() {
    let deltas = [call(None, "", "search", "{"), call(None, "", "", "}"), call(None, "", "search", "{2}")];
    let calls = together(deltas.map(ModelDelta::ToolCall)).message.tool_calls;
    assert_eq!(calls.iter().map(|call| &*call.function.arguments).collect::<Vec<_>>(), ["{}", "{2}"]);
}

#[test]
fn ids_in_pieces_are_put_together() {
    let deltas = [call(Some(0), "call", "", ""), call(Some(0), "-7", "search", "{}")];
    let calls = together(deltas.map(ModelDelta::ToolCall)).message.tool_calls;
    assert_eq!(calls, [ToolCall::new("call-7", "search", &json!({}))]);
}

#[test]
fn unknown_fields_are_put_together() {
    let deltas = [
        ModelDelta::Fields(fields(json!({ "reasoning": "Why ", "level": 1, "audio": { "id": "x", "data": "AA" } }))),
        ModelDelta::Fields(fields(json!({ "reasoning": "not?", "level": 2, "notes": [1], "audio": { "data": "BB" } }))),
        ModelDelta::Fields(fields(json!({ "notes": [2] }))),
        ModelDelta::ResponseFields(fields(json!({ "id": "c-1", "logprobs": { "content": [1] } }))),
        ModelDelta::ResponseFields(fields(json!({ "id": "c-1", "logprobs": { "content": [2] } }))),
        ModelDelta::ToolCall(ToolCallDelta {
            extra: fields(json!({ "type": "custom", "x": 1, "function": { "y": 2 } })),
            ..call(Some(0), "a", "search", "")
        }),
    ];
    let response = together(deltas);
    let audio = json!({ "id": "x", "data": "AABB" });
    let expected = json!({ "reasoning": "Why not?", "level": 2, "notes": [1, 2], "audio": audio });
    assert_eq!(Value::Object(response.message.extra), expected);
    assert_eq!(Value::Object(response.extra), json!({ "id": "c-1", "logprobs": { "content": [1, 2] } }));
    let call = &response.message.tool_calls[0];
    assert_eq!((call.kind.as_str(), &call.extra["x"], &call.function.extra["y"]), ("custom", &json!(1), &json!(2)));
}

#[test]
fn the_last_usage_and_finish_reason_count() {
    let usage = |tokens| ModelDelta::Usage(Usage { total_tokens: tokens, ..Usage::default() });
    let finish = |reason: &str| ModelDelta::Finish(reason.to_owned());
    let response = together([usage(1), finish("length"), text("a"), usage(3), finish("stop")]);
    assert_eq!(response.usage.unwrap().total_tokens, 3);
    assert_eq!(response.finish_reason.as_deref(), Some("stop"));
}

#[test]
fn further_deltas_may_follow_a_whole_answer() {
    let function = FunctionCall { name: "search".into(), arguments: "{".into(), extra: fields(json!({ "f": 1 })) };
    let call_of = |kind: &str| ToolCall {
        id: "a".into(),
        kind: kind.into(),
        function: function.clone(),
        extra: fields(json!({ "e": 2 })),
    };
    let whole = ModelResponse {
        message: Message {
            role: Role::Other("critic".into()),
            tool_calls: vec![call_of("odd"), call_of("function")],
            extra: fields(json!({ "reasoning": "x" })),
            ..Message::assistant("It is ")
        },
        finish_reason: None,
        usage: Some(Usage::default()),
        extra: fields(json!({ "id": "c-1" })),
    };
    let delta = ModelDelta::Response(Box::new(whole.clone()));
    assert_eq!(together([text("forgotten"), delta.clone()]), whole);
    let more = together([delta, text("late."), ModelDelta::ToolCall(call(Some(1), "", "", "}"))]);
    assert_eq!(more.message.text(), "It is late.");
    assert_eq!(more.message.tool_calls[1].function.arguments, "{}");
    assert_eq!(together([]).message, Message { role: Role::Assistant, ..Message::default() });
    let parts: Message =
        serde_json::from_value(json!({ "role": "assistant", "content": [{ "type": "text", "text": "It " }] })).unwrap();
    let parts = ModelDelta::Response(Box::new(ModelResponse { message: parts, ..ModelResponse::default() }));
    assert_eq!(together([parts, text("is")]).message.text(), "It is");
}

/// Streams otherwise than it answers.
struct TwoWays;

impl Model for TwoWays {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        Ok(ModelResponse::text("at once"))
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        let deltas = ["in ", "pieces"].map(text).map(Ok);
        stream::iter(deltas).inspect(move |_| assert_eq!(request.messages.len(), 1))
    }
}

#[tokio::test]
async fn a_model_behind_a_pointer_streams_the_same_deltas() {
    let expected = [Ok(text("in ")), Ok(text("pieces"))];
    assert_eq!(streamed(&TwoWays).await, expected);
    assert_eq!(streamed(Arc::new(TwoWays)).await, expected);
    assert_eq!(streamed(Box::new(&TwoWays)).await, expected);
}

#[tokio::test]
async fn a_model_without_streaming_yields_its_answer_as_one_delta() {
    let model = tests::Model::new([ModelResponse::text("Hello")]);
    let whole = ModelDelta::Response(Box::new(ModelResponse::text("Hello")));
    assert_eq!(streamed(&model).await, [Ok(whole)]);
    assert_eq!(streamed(&model).await, [Err("the model has no answer left (failed)".to_owned())]);
}

fn script(script: &str) -> ScriptedModel {
    script.parse().unwrap()
}

#[tokio::test]
async fn a_script_streams_its_deltas() {
    let turns = r#"[
        { "deltas": ["Hel", "lo"], "call": [{ "tool": "search", "id": "a" }], "usage": { "total_tokens": 3 } },
        { "deltas": [""] },
        { "deltas": [], "call": [{ "tool": "search" }] },
        { "say": "Hello" }
    ]"#;
    let (first, second) = (script(turns), script(turns));
    for _ in 0..4 {
        let deltas: Result<Vec<_>, _> = streamed(&first).await.into_iter().collect();
        assert_eq!(together(deltas.unwrap()), called(&second).await.unwrap());
    }
    assert_eq!((first.remaining(), second.remaining()), (0, 0));

    let call = ToolCallDelta { arguments: "{}".into(), ..call(Some(0), "a", "search", "") };
    let expected = [
        text("Hel"),
        text("lo"),
        ModelDelta::ToolCall(call),
        ModelDelta::Finish("tool_calls".into()),
        ModelDelta::Usage(Usage { total_tokens: 3, ..Usage::default() }),
    ];
    assert_eq!(streamed(script(turns)).await, expected.map(Ok));
    let whole = ModelDelta::Response(Box::new(ModelResponse::text("Hello")));
    assert_eq!(streamed(script(r#"[{ "say": "Hello" }]"#)).await, [Ok(whole)]);
}

#[tokio::test]
async fn a_script_can_fail_in_the_middle_of_an_answer() {
    let turns = r#"[{ "deltas": ["Hel"], "fail": { "kind": "unavailable", "message": "gone" } }]"#;
    assert_eq!(streamed(script(turns)).await, [Ok(text("Hel")), Err("gone (unavailable)".to_owned())]);
    assert_eq!(called(script(turns)).await.unwrap_err().to_string(), "gone (unavailable)");
    let over = Err("the script has 0 turns and this is call 1 (failed)".to_owned());
    assert_eq!(streamed(script("[]")).await, [over]);
}

#[test]
fn a_turn_with_conflicting_or_missing_fields_is_refused() {
    let cases = [
        (r#"[{ "say": "a", "deltas": ["b"] }]"#, "a turn has `say` or `deltas`, not both"),
        (r#"[{ "deltas": [] }]"#, "a turn has `say` or `deltas`, `call`, both of them, or `fail`"),
        (r"[{}]", "a turn has `say` or `deltas`, `call`, both of them, or `fail`"),
        (
            r#"[{ "say": "a", "fail": { "kind": "other", "message": "b" } }]"#,
            "a turn that fails has nothing beside `fail` but `deltas`",
        ),
    ];
    for (script, message) in cases {
        let error = script.parse::<ScriptedModel>().unwrap_err().to_string();
        assert!(error.ends_with(message), "{error}");
    }
}
