//! The parser of answers: any bytes, and answers whose whole and whose stream say the same.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use exo_rails::{ModelResponse, ResponseBuilder};
use exo_rails_agent::fuzzing::{Dialect, Sizes, estimated_memory, streamed, whole};
use exo_rails_fuzz::{check_response, cut, dialect, within};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

const SIZES: Sizes = Sizes { event: 1 << 20, memory: 1 << 24 };

fuzz_target!(|data: &[u8]| {
    let [kind, seed, rest @ ..] = data else { return };
    if *kind < 128 {
        any_bytes(dialect(*kind), rest);
    } else if let Ok(answer) = Answer::arbitrary_take_rest(Unstructured::new(rest)) {
        streamed_is_whole(dialect(*kind), &answer, *seed);
    }
});

/// The memory of an answer is bounded by its estimate, and what is read can be printed.
fn any_bytes(dialect: Dialect, json: &[u8]) {
    let bound = 2 * estimated_memory(json) + 16 * json.len() + 16 * 1024;
    if let Ok(response) = within(bound, || whole(dialect, json, SIZES)) {
        check_response(&response);
    }
}

/// What a model says, before a protocol writes it.
#[derive(Arbitrary, Debug)]
struct Answer {
    texts: Vec<String>,
    reasoning: Vec<String>,
    calls: Vec<Call>,
    finish: Finish,
    usage: Option<(u16, u16)>,
    field: Option<(Name, Plain)>,
}

#[derive(Arbitrary, Debug)]
struct Call {
    id: u8,
    name: String,
    arguments: Option<(Name, Plain)>,
    pieces: u8,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Finish {
    Stop,
    Length,
    Calls,
    Filter,
}

/// The name of a field: also such as only this program writes.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Name {
    Id,
    Message,
    FinishReason,
    Skipped,
    Content,
    Object,
    Other(char),
}

#[derive(Arbitrary, Clone, Debug)]
enum Plain {
    Null,
    Bool(bool),
    Number(i32),
    Text(String),
}

impl Name {
    fn text(self) -> String {
        match self {
            Self::Id => "id".into(),
            Self::Message => "message".into(),
            Self::FinishReason => "finish_reason".into(),
            Self::Skipped => "skipped".into(),
            Self::Content => "content".into(),
            Self::Object => "object".into(),
            Self::Other(char) => format!("x-{char}"),
        }
    }
}

impl From<&Plain> for Value {
    fn from(plain: &Plain) -> Self {
        match plain {
            Plain::Null => Self::Null,
            Plain::Bool(value) => (*value).into(),
            Plain::Number(value) => (*value).into(),
            Plain::Text(value) => value.as_str().into(),
        }
    }
}

fn fields(field: Option<&(Name, Plain)>) -> Map<String, Value> {
    field.iter().map(|(name, value)| (name.text(), value.into())).collect()
}

impl Call {
    fn arguments(&self) -> Value {
        fields(self.arguments.as_ref()).into()
    }

    /// Ids are the server's: no two are the same.
    fn id(&self, index: usize) -> String {
        format!("call-{index}-{}", self.id)
    }

    /// A server names the tool of a call.
    fn name(&self) -> String {
        format!("t{}", self.name)
    }
}

/// These fields, and a field of the server that has none of their names.
fn with(field: Option<&(Name, Plain)>, own: Value) -> Value {
    let mut all = fields(field);
    if let Value::Object(own) = own {
        all.extend(own);
    }
    all.into()
}

fn streamed_is_whole(dialect: Dialect, answer: &Answer, seed: u8) {
    let (at_once, events) = match dialect {
        Dialect::Chat => (chat(answer), chat_events(answer)),
        Dialect::Messages => (message(answer), message_events(answer)),
    };
    let at_once = whole(dialect, at_once.to_string().as_bytes(), SIZES).expect("the answer is one");
    check_response(&at_once);
    let (deltas, end) = streamed(dialect, cut(events.as_bytes(), seed), SIZES);
    end.expect("the stream is complete");
    let mut builder = ResponseBuilder::new();
    builder.extend(deltas);
    let mut in_pieces: ModelResponse = builder.finish();
    in_pieces.retain_fields_of_server();
    assert_eq!(in_pieces, at_once, "of {events}");
}

impl Finish {
    const fn of_chat(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Calls => "tool_calls",
            Self::Filter => "content_filter",
        }
    }

    const fn of_messages(self) -> &'static str {
        match self {
            Self::Stop => "end_turn",
            Self::Length => "max_tokens",
            Self::Calls => "tool_use",
            Self::Filter => "refusal",
        }
    }
}

fn chat(answer: &Answer) -> Value {
    let call = |(index, call): (usize, &Call)| {
        let function = json!({ "name": call.name(), "arguments": call.arguments().to_string() });
        json!({ "id": call.id(index), "type": "function", "function": function })
    };
    let calls: Vec<_> = answer.calls.iter().enumerate().map(call).collect();
    let mut message = json!({ "role": "assistant", "content": answer.texts.concat(), "tool_calls": calls });
    if !answer.reasoning.is_empty() {
        message["reasoning"] = answer.reasoning.concat().into();
    }
    let mut all = json!({ "choices": [{ "message": message, "finish_reason": answer.finish.of_chat() }] });
    if let Some((prompt, completion)) = answer.usage {
        all["usage"] = chat_usage(prompt, completion);
    }
    with(answer.field.as_ref(), all)
}

fn chat_usage(prompt: u16, completion: u16) -> Value {
    let total = u32::from(prompt) + u32::from(completion);
    json!({ "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total })
}

fn chat_events(answer: &Answer) -> String {
    let mut deltas = vec![json!({ "role": "assistant" })];
    deltas.extend(answer.reasoning.iter().map(|text| json!({ "reasoning": text })));
    deltas.extend(answer.texts.iter().map(|text| json!({ "content": text })));
    for (index, call) in answer.calls.iter().enumerate() {
        let begin = json!({ "name": call.name(), "arguments": "" });
        deltas.push(
            json!({ "tool_calls": [{ "index": index, "id": call.id(index), "type": "function", "function": begin }] }),
        );
        for piece in chars(&call.arguments().to_string(), call.pieces) {
            deltas.push(json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }));
        }
    }
    let mut pieces: Vec<_> = deltas.into_iter().map(|delta| json!({ "choices": [{ "delta": delta }] })).collect();
    pieces.push(json!({ "choices": [{ "delta": {}, "finish_reason": answer.finish.of_chat() }] }));
    let usage =
        answer.usage.map(|(prompt, completion)| json!({ "choices": [], "usage": chat_usage(prompt, completion) }));
    pieces.extend(usage);
    let lines = pieces.into_iter().map(|piece| format!("data: {}\n\n", with(answer.field.as_ref(), piece)));
    lines.collect::<String>() + "data: [DONE]\n\n"
}

/// A text in pieces of so many characters.
fn chars(text: &str, length: u8) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(usize::from(length) + 1).map(|piece| piece.iter().collect()).collect()
}

fn message(answer: &Answer) -> Value {
    let blocks: Vec<_> = blocks(answer).into_iter().map(|(whole, _, _)| whole).collect();
    let all = json!({
        "type": "message", "role": "assistant", "content": blocks, "stop_reason": answer.finish.of_messages(),
        "usage": messages_usage(answer),
    });
    with(answer.field.as_ref(), all)
}

fn messages_usage(answer: &Answer) -> Value {
    let (input, output) = answer.usage.unwrap_or_default();
    json!({ "input_tokens": input, "output_tokens": output })
}

/// Each block of an answer: whole, how it begins, and its pieces.
fn blocks(answer: &Answer) -> Vec<(Value, Value, Vec<Value>)> {
    let mut blocks = Vec::new();
    if !answer.reasoning.is_empty() {
        let pieces = answer.reasoning.iter().map(|text| json!({ "type": "thinking_delta", "thinking": text }));
        blocks.push((
            json!({ "type": "thinking", "thinking": answer.reasoning.concat() }),
            json!({ "type": "thinking", "thinking": "" }),
            pieces.collect(),
        ));
    }
    let pieces = answer.texts.iter().map(|text| json!({ "type": "text_delta", "text": text }));
    blocks.push((
        json!({ "type": "text", "text": answer.texts.concat() }),
        json!({ "type": "text", "text": "" }),
        pieces.collect(),
    ));
    for (index, call) in answer.calls.iter().enumerate() {
        let block = |input| json!({ "type": "tool_use", "id": call.id(index), "name": call.name(), "input": input });
        let input = call.arguments().to_string();
        let pieces = chars(&input, call.pieces);
        let pieces = pieces.iter().map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
        blocks.push((block(call.arguments()), block(json!({})), pieces.collect()));
    }
    blocks
}

fn message_events(answer: &Answer) -> String {
    let mut begin = json!({ "type": "message", "role": "assistant", "content": [], "stop_reason": null });
    begin["usage"] = json!({ "input_tokens": messages_usage(answer)["input_tokens"], "output_tokens": 1 });
    let mut events = vec![json!({ "type": "message_start", "message": with(answer.field.as_ref(), begin) })];
    for (index, (_, begin, pieces)) in blocks(answer).into_iter().enumerate() {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": begin }));
        events.extend(
            pieces.into_iter().map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
        );
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let stop = json!({ "stop_reason": answer.finish.of_messages() });
    let usage = json!({ "output_tokens": messages_usage(answer)["output_tokens"] });
    events.push(json!({ "type": "message_delta", "delta": stop, "usage": usage }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("x"))).collect()
}
