//! What is written as JSON, and read back without a loss.

use exo_rails::message::{Content, FunctionCall, Message, Role, ToolCall, ToolSpec, Usage};
use exo_rails::prelude::*;
use exo_rails::{Reason, UnknownHookPoint};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tests::{GuardDyn, rails};

/// Reads a value as `$type` and writes it again.
macro_rules! through {
    ($type:ty, $value:expr) => {
        serde_json::to_value(serde_json::from_value::<$type>($value.clone()).unwrap()).unwrap()
    };
}

fn texts() -> impl Strategy<Value = String> {
    ".{0,12}"
}

/// Any JSON value, not too deep.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        prop::bool::ANY.prop_map(Value::from),
        prop::num::i64::ANY.prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-z]{1,6}", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Fields that no type knows: no name of the protocol begins with `x_`.
fn unknown() -> impl Strategy<Value = Map<String, Value>> {
    btree_map("x_[a-z]{1,6}", values(), 0..3).prop_map(|map| map.into_iter().collect())
}

/// An object of some of these fields and of unknown ones. A field that is not there is `None`.
fn object(fields: impl Strategy<Value = Vec<(&'static str, Option<Value>)>>) -> impl Strategy<Value = Value> {
    (fields, unknown()).prop_map(|(fields, mut all)| {
        all.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Value::Object(all)
    })
}

#[allow(clippy::unnecessary_wraps, reason = "it stands beside fields that may be missing")]
fn always<T: Into<Value>>(value: T) -> Option<Value> {
    Some(value.into())
}

/// A list that is left out when it is empty.
fn unless_empty(list: Vec<Value>) -> Option<Value> {
    (!list.is_empty()).then(|| list.into())
}

fn contents() -> impl Strategy<Value = Value> {
    let part = object(
        (texts(), prop::option::of(texts()))
            .prop_map(|(kind, text)| vec![("type", always(kind)), ("text", text.map(Value::from))]),
    );
    prop_oneof![texts().prop_map(Value::from), vec(part, 0..3).prop_map(Value::from)]
}

fn tool_calls() -> impl Strategy<Value = Value> {
    let function = object(
        (texts(), texts()).prop_map(|(name, arguments)| vec![("name", always(name)), ("arguments", always(arguments))]),
    );
    let fields = (texts(), texts(), function);
    object(fields.prop_map(|(id, kind, function)| {
        vec![("id", always(id)), ("type", always(kind)), ("function", always(function))]
    }))
}

fn tool_specs() -> impl Strategy<Value = Value> {
    let function = object(("[a-z]{0,5}", "[a-z]{1,5}", unknown()).prop_map(|(name, description, parameters)| {
        vec![("name", always(name)), ("description", always(description)), ("parameters", always(parameters))]
    }));
    object(function.prop_map(|function| vec![("type", always("function")), ("function", always(function))]))
}

fn usages() -> impl Strategy<Value = Value> {
    let tokens = || prop::num::u64::ANY;
    object((tokens(), tokens(), tokens()).prop_map(|(prompt, completion, total)| {
        vec![
            ("prompt_tokens", always(prompt)),
            ("completion_tokens", always(completion)),
            ("total_tokens", always(total)),
        ]
    }))
}

fn messages() -> impl Strategy<Value = Value> {
    let role = prop_oneof!["system|developer|user|assistant|tool", "[a-z]{1,9}"];
    let fields = (role, prop::option::of(contents()), vec(tool_calls(), 0..3), prop::option::of(texts()));
    object(fields.prop_map(|(role, content, calls, call_id)| {
        vec![
            ("role", always(role)),
            ("content", content),
            ("tool_calls", unless_empty(calls)),
            ("tool_call_id", call_id.map(Value::from)),
        ]
    }))
}

fn model_calls() -> impl Strategy<Value = Value> {
    let fields = (prop::option::of(texts()), vec(messages(), 0..3), vec(tool_specs(), 0..2));
    object(fields.prop_map(|(model, messages, tools)| {
        vec![("model", model.map(Value::from)), ("messages", always(messages)), ("tools", unless_empty(tools))]
    }))
}

fn model_responses() -> impl Strategy<Value = Value> {
    let fields = (messages(), prop::option::of(texts()), prop::option::of(usages()));
    object(fields.prop_map(|(message, finish, usage)| {
        vec![("message", always(message)), ("finish_reason", finish.map(Value::from)), ("usage", usage)]
    }))
}

fn runs() -> impl Strategy<Value = Value> {
    let fields = (contents(), vec(messages(), 0..2));
    object(fields.prop_map(|(input, messages)| vec![("input", always(input)), ("messages", unless_empty(messages))]))
}

fn run_outputs() -> impl Strategy<Value = Value> {
    let fields = (texts(), vec(messages(), 0..2), usages(), prop::num::u32::ANY);
    object(fields.prop_map(|(text, messages, usage, steps)| {
        vec![
            ("text", always(text)),
            ("messages", unless_empty(messages)),
            ("usage", always(usage)),
            ("steps", always(steps)),
        ]
    }))
}

fn tool_call_inputs() -> impl Strategy<Value = Value> {
    let fields = (prop::option::of(".{1,5}"), texts(), values());
    object(fields.prop_map(|(id, name, arguments)| {
        vec![("id", id.map(Value::from)), ("tool_name", always(name)), ("arguments", always(arguments))]
    }))
}

fn tool_outputs() -> impl Strategy<Value = Value> {
    object((texts(), prop::bool::ANY).prop_map(|(content, is_error)| {
        vec![("content", always(content)), ("is_error", is_error.then_some(Value::Bool(true)))]
    }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_keep_unknown_fields(value in messages()) {
        prop_assert_eq!(through!(Message, value), value);
    }

    #[test]
    fn tool_calls_and_tools_keep_unknown_fields(call in tool_calls(), tool in tool_specs()) {
        prop_assert_eq!(through!(ToolCall, call), call);
        prop_assert_eq!(through!(ToolSpec, tool), tool);
    }

    #[test]
    fn model_calls_and_their_answers_keep_unknown_fields(call in model_calls(), response in model_responses()) {
        prop_assert_eq!(through!(ModelCallInputs, call), call);
        prop_assert_eq!(through!(ModelResponse, response), response);
    }

    #[test]
    fn runs_and_their_outputs_keep_unknown_fields(run in runs(), output in run_outputs()) {
        prop_assert_eq!(through!(InvokeInputs, run), run);
        prop_assert_eq!(through!(InvokeOutput, output), output);
    }

    #[test]
    fn tool_payloads_keep_unknown_fields(call in tool_call_inputs(), output in tool_outputs()) {
        prop_assert_eq!(through!(ToolCallInputs, call), call);
        prop_assert_eq!(through!(ToolOutput, output), output);
    }

    #[test]
    fn usage_keeps_unknown_fields(value in usages()) {
        prop_assert_eq!(through!(Usage, value), value);
    }

    #[test]
    fn only_names_of_events_are_parsed_as_events(name in "[a-z_]{0,16}") {
        let known = HookPoint::ALL.iter().copied().find(|point| point.name() == name);
        prop_assert_eq!(name.parse().ok(), known);
    }
}

#[test]
fn messages_of_providers_are_read_with_their_null_fields() {
    let wire = json!({
        "role": "assistant",
        "content": null,
        "refusal": null,
        "tool_calls": [
            { "id": "call-1", "type": "function", "function": { "name": "search", "arguments": "{\"q\":1}" } },
        ],
    });
    let message: Message = serde_json::from_value(wire).unwrap();
    assert_eq!((message.role.clone(), message.text().as_ref()), (Role::Assistant, ""));
    let call = FunctionCall { name: "search".into(), arguments: "{\"q\":1}".into(), extra: Map::new() };
    assert_eq!(message.tool_calls[0].function, call);
    assert_eq!(message.tool_calls[0], ToolCall::new("call-1", "search", &json!({ "q": 1 })));
    assert_eq!(message.extra["refusal"], Value::Null);
}

#[test]
fn lists_may_be_null() {
    let message: Message = serde_json::from_value(json!({ "role": "assistant", "tool_calls": null })).unwrap();
    assert!(message.tool_calls.is_empty());
    let call: ModelCallInputs = serde_json::from_value(json!({ "messages": [], "tools": null })).unwrap();
    assert!(call.tools.is_empty());
}

#[test]
fn missing_optional_fields_get_their_defaults() {
    let call: ToolCall = serde_json::from_value(json!({ "function": { "name": "search" } })).unwrap();
    assert_eq!((call.id.as_str(), call.kind.as_str(), call.function.arguments.as_str()), ("", "function", ""));
    let call: ToolCallInputs = serde_json::from_value(json!({ "tool_name": "search" })).unwrap();
    assert_eq!((call.id.as_str(), &call.arguments), ("", &Value::Null));
    let usage: Usage = serde_json::from_value(json!({ "prompt_tokens": 3 })).unwrap();
    assert_eq!((usage.prompt_tokens, usage.total_tokens), (3, 0));
    let output: InvokeOutput = serde_json::from_value(json!({ "text": "hi" })).unwrap();
    assert_eq!(output, InvokeOutput::text("hi"));
}

#[test]
fn fields_without_a_default_are_required() {
    fn missing<T: serde::de::DeserializeOwned + std::fmt::Debug>() -> String {
        serde_json::from_value::<T>(json!({})).unwrap_err().to_string()
    }
    assert_eq!(missing::<InvokeInputs>(), "missing field `input`");
    assert_eq!(missing::<InvokeOutput>(), "missing field `text`");
    assert_eq!(missing::<ModelCallInputs>(), "missing field `messages`");
    assert_eq!(missing::<ModelResponse>(), "missing field `message`");
    assert_eq!(missing::<ToolCallInputs>(), "missing field `tool_name`");
    assert_eq!(missing::<ToolOutput>(), "missing field `content`");
    assert_eq!(missing::<Message>(), "missing field `role`");
}

#[test]
fn constructors_make_the_json_of_the_protocol() {
    let cases = [
        (json!(Message::system("be brief")), json!({ "role": "system", "content": "be brief" })),
        (json!(Message::user("hi")), json!({ "role": "user", "content": "hi" })),
        (json!(Message::assistant("hello")), json!({ "role": "assistant", "content": "hello" })),
        (json!(Message::tool("c1", "42")), json!({ "role": "tool", "content": "42", "tool_call_id": "c1" })),
        (json!(ToolCallInputs::new("search")), json!({ "tool_name": "search", "arguments": {} })),
        (json!(ToolOutput::text("ok")), json!({ "content": "ok" })),
        (json!(ToolOutput::error("no")), json!({ "content": "no", "is_error": true })),
        (json!(InvokeInputs::new("hi")), json!({ "input": "hi" })),
        (json!(Role::Other("critic".to_owned())), json!("critic")),
        (json!(Reason::new("over budget")), json!("over budget")),
    ];
    for (written, expected) in cases {
        assert_eq!(written, expected);
    }
}

#[test]
fn the_text_of_a_content_joins_its_text_parts() {
    let wire = json!([
        { "type": "text", "text": "what is " },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==" } },
        { "type": "text", "text": "this?" },
    ]);
    let mut content: Content = serde_json::from_value(wire.clone()).unwrap();
    assert_eq!(content.text(), "what is this?");
    assert_eq!(serde_json::to_value(&content).unwrap(), wire);
    content.for_each_text(|text| *text = text.to_uppercase());
    assert_eq!(content.text(), "WHAT IS THIS?");
    assert_eq!(serde_json::to_value(&content).unwrap()[1], wire[1]);
    assert_eq!(Content::default().text(), "");
}

#[test]
fn adding_usage_sums_the_tokens_and_does_not_overflow() {
    let mut sum = Usage { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, extra: Map::new() };
    sum += &sum.clone();
    assert_eq!((sum.prompt_tokens, sum.completion_tokens, sum.total_tokens), (2, 4, 6));
    // Providers are not to be trusted: whatever they count must not end the run.
    sum += &Usage { prompt_tokens: u64::MAX, completion_tokens: u64::MAX, total_tokens: u64::MAX, extra: Map::new() };
    assert_eq!((sum.prompt_tokens, sum.completion_tokens, sum.total_tokens), (u64::MAX, u64::MAX, u64::MAX));
}

#[test]
fn events_are_named_in_snake_case() {
    let names = "session_start start memory_recalled context_assembled pre_compaction post_compaction context_overflow \
                 pre_llm_call llm_chunk post_llm_call llm_error pre_tool_call post_tool_call tool_error finished \
                 memory_stored error suspended session_end dropped";
    let shown: Vec<_> = HookPoint::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(shown.join(" "), names);
    for &point in HookPoint::ALL {
        assert_eq!(point.name().parse(), Ok(point));
        assert_eq!(serde_json::to_value(point).unwrap(), point.name());
        assert_eq!(serde_json::from_value::<HookPoint>(json!(point.name())).unwrap(), point);
    }
    assert_eq!(format!("{:>7}|", HookPoint::Start), "  start|");
}

#[test]
fn an_unknown_event_name_is_an_error_with_a_suggestion() {
    let error = |name: &str| name.parse::<HookPoint>().unwrap_err();
    let cases = [
        ("pre-tool-call", "unknown event `pre-tool-call`; did you mean `pre_tool_call`?"),
        ("finish", "unknown event `finish`; did you mean `finished`?"),
        ("pre_lm_call", "unknown event `pre_lm_call`; did you mean `pre_llm_call`?"),
    ];
    for (name, message) in cases {
        assert_eq!(error(name).to_string(), message);
    }
    let UnknownHookPoint { name, .. } = error("on_agent_start_of_turn");
    assert_eq!(name, "on_agent_start_of_turn");
    let message = error("on_agent_start_of_turn").to_string();
    assert!(
        message.ends_with("`session_end`, `dropped`") && message.contains("expected one of `session_start`"),
        "{message}"
    );
    assert!(serde_json::from_value::<HookPoint>(json!("context_window")).is_err());
}

#[test]
fn errors_can_be_written_for_logs() {
    #[rail(on = [PreToolCall])]
    fn refuse() -> Verdict {
        Verdict::abort("not today")
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (mut ctx, call) = (RunContext::new("wire"), ToolCallInputs::new("search"));
    let result = runtime.block_on(rails![refuse].dyn_tool_call(call, &mut ctx, tests::tool));
    let Err(RunError::Abort(abort)) = result else { panic!("{result:?}") };
    let expected = json!({ "rail_name": "refuse", "event": "pre_tool_call", "reason": "not today" });
    assert_eq!(serde_json::to_value(abort).unwrap(), expected);
}

/// Reads the JSON of a payload, gives it extras with these names, and writes it.
macro_rules! with_extras {
    ($type:ty, $wire:expr, $names:expr) => {{
        let mut payload: $type = serde_json::from_value($wire).unwrap();
        payload.extra.extend($names.iter().map(|name| ((*name).to_owned(), json!("falsified"))));
        payload.extra.insert("x".to_owned(), json!("kept"));
        (serde_json::to_string(&payload).unwrap(), serde_json::to_value(payload).unwrap())
    }};
}

#[test]
fn an_extra_field_never_replaces_a_known_field() {
    let function = json!({ "name": "search" });
    macro_rules! cases {
        ($($type:ident $wire:tt: $($name:literal)*;)*) => {$(
            let wire = json!($wire);
            let names = [$($name),*];
            let (text, written) = with_extras!(exo_rails::message::$type, wire.clone(), names);
            assert!(!text.contains("falsified") && written["x"] == "kept", "{}: {text}", stringify!($type));
            assert_eq!(serde_json::from_value::<exo_rails::message::$type>(written).unwrap().extra.len(), 1);
        )*};
    }
    cases! {
        Message { "role": "user" }: "role" "content" "tool_calls" "tool_call_id";
        ContentPart { "type": "image_url" }: "type" "text";
        ToolCall { "function": function }: "id" "type" "function";
        FunctionCall { "name": "search" }: "name" "arguments";
        ToolSpec { "function": function }: "type" "function";
        FunctionSpec { "name": "search" }: "name" "description" "parameters";
        Usage {}: "prompt_tokens" "completion_tokens" "total_tokens";
    }
    macro_rules! payload_cases {
        ($($type:ident $wire:tt: $($name:literal)*;)*) => {$(
            let (text, written) = with_extras!(exo_rails::$type, json!($wire), [$($name),*]);
            assert!(!text.contains("falsified") && written["x"] == "kept", "{}: {text}", stringify!($type));
        )*};
    }
    payload_cases! {
        InvokeInputs { "input": "hi" }: "input" "messages";
        InvokeOutput { "text": "hi" }: "text" "messages" "usage" "steps";
        ModelCallInputs { "messages": [] }: "model" "messages" "tools";
        ModelResponse { "message": { "role": "assistant" } }: "message" "finish_reason" "usage";
        ToolCallInputs { "tool_name": "search" }: "id" "tool_name" "arguments";
        ToolOutput { "content": "hi" }: "content" "is_error" "error_kind";
        ContextInputs { "messages": [], "tokens": 1 }: "messages" "tokens" "budget";
        CompactionInputs { "messages": [], "tokens": 1, "budget": 1 }: "messages" "tokens" "budget" "hint";
        CompactionOutput { "messages": [] }: "messages" "removed" "summary";
    }
}
