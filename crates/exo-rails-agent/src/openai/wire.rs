//! The protocol around messages: requests, whole answers, and the pieces of streamed answers.

use std::collections::VecDeque;

use exo_rails::message::{Content, Message, Usage};
use exo_rails::{
    InvokeOutput, ModelCallInputs, ModelDelta, ModelResponse, OperationError, OperationErrorKind, ToolCallDelta,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::http::{self, Event, Protocol, drop_nulls, error_event, unreadable};

/// The data of the event after the last piece of an answer.
const DONE: &[u8] = b"[DONE]";

/// Some servers write `null` for an empty list.
fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Vec<T>, D::Error> {
    Option::deserialize(value).map(Option::unwrap_or_default)
}

/// Fields of the envelope that describe how the answer was sent. They are not a part of the answer.
const OF_THE_SENDING: [&str; 2] = ["object", "obfuscation"];

/// A whole answer, or a piece of a streamed answer.
#[derive(Deserialize)]
struct Envelope<C> {
    #[serde(default = "Vec::new", deserialize_with = "null_as_empty", bound(deserialize = "C: Deserialize<'de>"))]
    choices: Vec<C>,
    usage: Option<Usage>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    message: Map<String, Value>,
    finish_reason: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Deserialize)]
struct ChoicePiece {
    #[serde(default)]
    index: u64,
    delta: Option<MessagePiece>,
    finish_reason: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Deserialize)]
struct MessagePiece {
    content: Option<Content>,
    #[serde(default, deserialize_with = "null_as_empty")]
    tool_calls: Vec<CallPiece>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Deserialize)]
struct CallPiece {
    index: Option<usize>,
    id: Option<String>,
    function: Option<FunctionPiece>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Default, Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// Reads an envelope. Returns an error if the JSON is an error instead of an answer.
fn envelope<C: DeserializeOwned>(json: &[u8]) -> Result<Envelope<C>, OperationError> {
    let mut envelope: Envelope<C> = serde_json::from_slice(json).map_err(|error| unreadable(&error))?;
    drop_nulls(&mut envelope.extra);
    if let Some(error) = envelope.extra.get("error") {
        return Err(http::told(error));
    }
    if envelope.extra.get("object").is_some_and(|object| object == "error") {
        return Err(http::told(&Value::Object(envelope.extra)));
    }
    envelope.extra.retain(|name, _| !OF_THE_SENDING.contains(&name.as_str()));
    Ok(envelope)
}

/// The chat-completions protocol.
#[derive(Clone)]
pub(crate) struct ChatCompletions;

impl Protocol for ChatCompletions {
    type Decoder = Decoder;

    fn body(
        &self,
        model: &str,
        request: &ModelCallInputs,
        streamed: bool,
    ) -> Result<Map<String, Value>, OperationError> {
        let mut body = http::options(request);
        let mut messages = serde_json::to_value(&request.messages)?;
        for message in messages.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            // The conversation may have begun with another model.
            message.remove(http::BLOCKS);
        }
        body.insert("messages".to_owned(), messages);
        if !request.tools.is_empty() {
            body.insert("tools".to_owned(), serde_json::to_value(&request.tools)?);
        }
        if let Some(model) = &request.model {
            body.insert("model".to_owned(), model.as_str().into());
        }
        body.entry("model").or_insert_with(|| model.into());
        if streamed {
            body.insert("stream".to_owned(), true.into());
            body.entry("stream_options").or_insert_with(|| json!({ "include_usage": true }));
        } else {
            body.remove("stream_options");
        }
        Ok(body)
    }

    fn response(json: &[u8]) -> Result<ModelResponse, OperationError> {
        let Envelope { choices, usage, mut extra } = envelope::<Choice>(json)?;
        let first = choices.into_iter().min_by_key(|choice| choice.index).ok_or_else(no_choice)?;
        let Choice { message, finish_reason, extra: of_choice, .. } = first;
        extra.extend(of_choice);
        drop_nulls(&mut extra);
        let mut response = ModelResponse { message: self::message(message)?, finish_reason, usage, extra };
        response.settle_tool_calls();
        response.retain_fields_of_server();
        Ok(response)
    }
}

fn message(mut fields: Map<String, Value>) -> Result<Message, OperationError> {
    drop_nulls(&mut fields);
    fields.insert("role".to_owned(), "assistant".into());
    for call in fields.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
        drop_nulls_of(call);
        call.get_mut("function").map(drop_nulls_of);
    }
    let mut message: Message = serde_json::from_value(fields.into()).map_err(|error| unreadable(&error))?;
    if message.text().is_empty() && !matches!(message.content, Some(Content::Parts(_))) {
        message.content = message.tool_calls.is_empty().then(Content::default);
    }
    Ok(message)
}

/// Turns events into the pieces of an answer.
#[derive(Default)]
pub(crate) struct Decoder {
    /// Whether the server has sent a choice.
    begun: bool,
    /// Whether the server has sent a finish reason.
    finished: bool,
    /// Whether the answer has a text or a tool call.
    content: bool,
    /// The fields of the envelope so far. Each event repeats them.
    told: Map<String, Value>,
}

impl http::Decoder for Decoder {
    fn take(&mut self, event: &Event, pieces: &mut VecDeque<ModelDelta>) -> Result<bool, OperationError> {
        let data = event.data.trim_ascii();
        if data == DONE {
            return Ok(true);
        }
        if data.is_empty() {
            return Ok(false);
        }
        if event.is_error {
            return Err(error_event(data));
        }
        self.piece(envelope(data)?, pieces);
        Ok(false)
    }

    fn is_complete(&self) -> bool {
        self.finished
    }

    fn complete(&mut self, pieces: &mut VecDeque<ModelDelta>) -> Result<(), OperationError> {
        if !self.begun {
            return Err(no_choice());
        }
        if !self.content {
            // An answer without content has the empty text, as an answer that is not streamed.
            pieces.push_back(ModelDelta::Text(String::new()));
        }
        Ok(())
    }
}

impl Decoder {
    fn piece(&mut self, piece: Envelope<ChoicePiece>, pieces: &mut VecDeque<ModelDelta>) {
        let mut fields = piece.extra;
        let mut finish = None;
        for choice in piece.choices.into_iter().filter(|choice| choice.index == 0) {
            self.begun = true;
            finish = choice.finish_reason.or(finish);
            fields.extend(choice.extra);
            if let Some(delta) = choice.delta {
                self.message(delta, pieces);
            }
        }
        self.envelope(fields, pieces);
        self.finished |= finish.is_some();
        pieces.extend(finish.map(ModelDelta::Finish));
        pieces.extend(piece.usage.map(ModelDelta::Usage));
    }

    fn message(&mut self, piece: MessagePiece, pieces: &mut VecDeque<ModelDelta>) {
        let mut fields = piece.extra;
        drop_nulls(&mut fields);
        fields.remove("role");
        if !fields.is_empty() {
            pieces.push_back(ModelDelta::Fields(fields));
        }
        let text = piece.content.map(|content| content.text().into_owned()).filter(|text| !text.is_empty());
        self.content |= text.is_some() || !piece.tool_calls.is_empty();
        pieces.extend(text.map(ModelDelta::Text));
        pieces.extend(piece.tool_calls.into_iter().map(CallPiece::delta));
    }

    /// Adds the new fields of the envelope. Most fields stay the same from piece to piece.
    fn envelope(&mut self, mut fields: Map<String, Value>, pieces: &mut VecDeque<ModelDelta>) {
        drop_nulls(&mut fields);
        // Only a rail may set this field, which says that a rail skipped the call.
        fields.remove(InvokeOutput::SKIPPED);
        // Lists are appended, so a list is new even if it is equal to an earlier list.
        fields.retain(|name, value| has_list(value) || self.told.get(name) != Some(value));
        if !fields.is_empty() {
            let again = fields.iter().filter(|(_, value)| !has_list(value));
            self.told.extend(again.map(|(name, value)| (name.clone(), value.clone())));
            pieces.push_back(ModelDelta::ResponseFields(fields));
        }
    }
}

impl CallPiece {
    fn delta(self) -> ModelDelta {
        let Self { index, id, function, mut extra } = self;
        let FunctionPiece { name, arguments, extra: mut of_function } = function.unwrap_or_default();
        drop_nulls(&mut extra);
        drop_nulls(&mut of_function);
        if !of_function.is_empty() {
            extra.insert("function".to_owned(), of_function.into());
        }
        ModelDelta::ToolCall(ToolCallDelta { index, id, name, arguments: arguments.unwrap_or_default(), extra })
    }
}

fn has_list(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(fields) => fields.values().any(has_list),
        _ => false,
    }
}

fn drop_nulls_of(value: &mut Value) {
    if let Value::Object(fields) = value {
        drop_nulls(fields);
    }
}

fn no_choice() -> OperationError {
    OperationError::new(OperationErrorKind::InvalidResponse, "the answer has no choice")
}
