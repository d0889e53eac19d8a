//! Answers of the messages protocol, as types of the library. Reads whole answers, and streamed answers event by event.

use std::collections::{BTreeMap, VecDeque};

use exo_rails::message::Usage;
use exo_rails::{
    InvokeOutput, ModelDelta, ModelResponse, OperationError, OperationErrorKind, ResponseBuilder, ToolCallDelta,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::BLOCKS;
use crate::http::{self, Event, drop_nulls, error_event, unreadable};

/// Fields that every message has. They are not a part of the answer.
const OF_THE_ENVELOPE: [&str; 2] = ["type", "role"];

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StreamEvent {
    MessageStart {
        message: Map<String, Value>,
    },
    ContentBlockStart {
        index: usize,
        content_block: Map<String, Value>,
    },
    ContentBlockDelta {
        index: usize,
        delta: BlockDelta,
    },
    ContentBlockStop {
        index: usize,
    },
    MessageDelta {
        #[serde(default)]
        delta: Map<String, Value>,
        usage: Option<Map<String, Value>>,
    },
    MessageStop,
    /// A ping, or an event that this type does not know.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    CitationsDelta {
        citation: Value,
    },
    #[serde(other)]
    Other,
}

/// Reads a whole answer, like a streamed answer in which each block arrives as a whole.
pub(super) fn whole(json: &[u8]) -> Result<ModelResponse, OperationError> {
    let mut message: Map<String, Value> = serde_json::from_slice(json).map_err(|error| unreadable(&error))?;
    if let Some(error) = message.get("error") {
        return Err(http::told(error));
    }
    let Some(Value::Array(blocks)) = message.remove("content") else { return Err(no_message()) };
    let (mut decoder, mut pieces) = (Decoder::default(), VecDeque::new());
    decoder.begin(message, &mut pieces);
    for (index, block) in blocks.into_iter().enumerate() {
        let block = serde_json::from_value(block).map_err(|error| unreadable(&error))?;
        decoder.begin_block(index, block, &mut pieces)?;
    }
    http::Decoder::complete(&mut decoder, &mut pieces)?;
    let mut response = ResponseBuilder::new();
    response.extend(pieces);
    Ok(response.finish())
}

/// Turns events into the pieces of an answer.
#[derive(Default)]
pub(crate) struct Decoder {
    begun: bool,
    /// Whether the server has sent a stop reason.
    finished: bool,
    /// Whether the answer has a text or a tool call.
    content: bool,
    /// The counts so far. An event has only the counts that have changed.
    usage: Map<String, Value>,
    /// The blocks that have not ended yet.
    blocks: BTreeMap<usize, Block>,
    /// The number of tool calls that have begun.
    calls: usize,
    /// The memory of the blocks that have begun, in bytes.
    held: usize,
}

/// A block of an answer that has not ended yet.
enum Block {
    Text,
    /// A tool call: its number, and the arguments in the event that began it.
    ToolCall {
        call: usize,
        input: Option<Value>,
    },
    /// Any other block. `input` collects the JSON of the field `input`.
    Other {
        fields: Map<String, Value>,
        input: String,
    },
}

impl http::Decoder for Decoder {
    fn take(&mut self, event: &Event, pieces: &mut VecDeque<ModelDelta>) -> Result<bool, OperationError> {
        let data = event.data.trim_ascii();
        if data.is_empty() {
            return Ok(false);
        }
        if event.is_error {
            return Err(error_event(data));
        }
        let data: Value = serde_json::from_slice(data).map_err(|error| unreadable(&error))?;
        if let Some(error) = data.get("error") {
            return Err(http::told(error));
        }
        match serde_json::from_value(data).map_err(|error| unreadable(&error))? {
            StreamEvent::MessageStart { message } => self.begin(message, pieces),
            StreamEvent::ContentBlockStart { index, content_block } => {
                self.held += http::memory_of_fields(&content_block);
                self.begin_block(index, content_block, pieces)?;
            }
            StreamEvent::ContentBlockDelta { index, delta } => self.add(index, delta, pieces)?,
            StreamEvent::ContentBlockStop { index } => self.end_block(index, pieces),
            StreamEvent::MessageDelta { delta, usage } => self.change(delta, usage, pieces),
            StreamEvent::MessageStop => return Ok(true),
            StreamEvent::Other => {}
        }
        Ok(false)
    }

    fn is_complete(&self) -> bool {
        self.finished
    }

    fn held(&self) -> usize {
        self.held
    }

    fn complete(&mut self, pieces: &mut VecDeque<ModelDelta>) -> Result<(), OperationError> {
        if !self.begun {
            return Err(no_message());
        }
        while let Some((_, block)) = self.blocks.pop_first() {
            end(block, pieces);
        }
        if !self.content {
            // An answer without content has the empty text.
            pieces.push_back(ModelDelta::Text(String::new()));
        }
        Ok(())
    }
}

impl Decoder {
    /// Begins a message, without its content.
    fn begin(&mut self, mut message: Map<String, Value>, pieces: &mut VecDeque<ModelDelta>) {
        self.begun = true;
        message.retain(|name, _| name != "content" && !OF_THE_ENVELOPE.contains(&name.as_str()));
        let usage = match message.remove("usage") {
            Some(Value::Object(usage)) => Some(usage),
            _ => None,
        };
        self.change(message, usage, pieces);
    }

    /// Adds the new fields of the message, and the new counts.
    fn change(
        &mut self,
        mut fields: Map<String, Value>,
        usage: Option<Map<String, Value>>,
        pieces: &mut VecDeque<ModelDelta>,
    ) {
        drop_nulls(&mut fields);
        // Only a rail may set this field, which says that a rail skipped the call.
        fields.remove(InvokeOutput::SKIPPED);
        let reason = fields.get("stop_reason").and_then(Value::as_str).map(finish_reason);
        self.finished |= reason.is_some();
        if !fields.is_empty() {
            pieces.push_back(ModelDelta::ResponseFields(fields));
        }
        pieces.extend(reason.map(ModelDelta::Finish));
        if let Some(mut usage) = usage {
            drop_nulls(&mut usage);
            self.usage.extend(usage);
            pieces.push_back(ModelDelta::Usage(self::usage(&self.usage)));
        }
    }

    fn begin_block(
        &mut self,
        index: usize,
        mut fields: Map<String, Value>,
        pieces: &mut VecDeque<ModelDelta>,
    ) -> Result<(), OperationError> {
        drop_nulls(&mut fields);
        let block = match text_of(&fields, "type")? {
            "text" => {
                let text = text_of(&fields, "text")?.to_owned();
                self.text(text, pieces);
                pieces.extend(fields.remove("citations").and_then(citations));
                Block::Text
            }
            "tool_use" => self.begin_call(&mut fields, pieces)?,
            _ => Block::Other { fields, input: String::new() },
        };
        if let Some(before) = self.blocks.insert(index, block) {
            end(before, pieces);
        }
        Ok(())
    }

    fn begin_call(
        &mut self,
        fields: &mut Map<String, Value>,
        pieces: &mut VecDeque<ModelDelta>,
    ) -> Result<Block, OperationError> {
        let (id, name) = (text_of(fields, "id")?.to_owned(), text_of(fields, "name")?.to_owned());
        let call = self.calls;
        self.calls += 1;
        self.content = true;
        pieces.push_back(ModelDelta::ToolCall(ToolCallDelta {
            id: Some(id),
            name: Some(name),
            ..ToolCallDelta::at(call)
        }));
        let input = fields.remove("input").unwrap_or_else(|| Map::new().into());
        Ok(Block::ToolCall { call, input: Some(input) })
    }

    fn text(&mut self, text: String, pieces: &mut VecDeque<ModelDelta>) {
        if !text.is_empty() {
            self.content = true;
            pieces.push_back(ModelDelta::Text(text));
        }
    }

    /// Adds a piece to a block.
    fn add(
        &mut self,
        index: usize,
        delta: BlockDelta,
        pieces: &mut VecDeque<ModelDelta>,
    ) -> Result<(), OperationError> {
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err(wrong("it goes on with a block that has not begun"));
        };
        match (block, delta) {
            (Block::Text, BlockDelta::TextDelta { text }) => self.text(text, pieces),
            (Block::Text, BlockDelta::CitationsDelta { citation }) => {
                pieces.extend(citations(Value::Array(vec![citation])));
            }
            (Block::ToolCall { call, input }, BlockDelta::InputJsonDelta { partial_json }) => {
                // The first piece of most calls is empty. For some calls, it is the only piece.
                if !partial_json.is_empty() {
                    *input = None;
                    let delta = ToolCallDelta { arguments: partial_json, ..ToolCallDelta::at(*call) };
                    pieces.push_back(ModelDelta::ToolCall(delta));
                }
            }
            (Block::Other { input, .. }, BlockDelta::InputJsonDelta { partial_json }) => input.push_str(&partial_json),
            (Block::Other { fields, .. }, BlockDelta::ThinkingDelta { thinking }) => {
                append(fields, "thinking", thinking);
            }
            (Block::Other { fields, .. }, BlockDelta::SignatureDelta { signature }) => {
                append(fields, "signature", signature);
            }
            (_, BlockDelta::Other) => {}
            _ => return Err(wrong("a piece does not fit its block")),
        }
        Ok(())
    }

    fn end_block(&mut self, index: usize, pieces: &mut VecDeque<ModelDelta>) {
        if let Some(block) = self.blocks.remove(&index) {
            end(block, pieces);
        }
    }
}

/// Adds the last pieces of a block.
fn end(block: Block, pieces: &mut VecDeque<ModelDelta>) {
    match block {
        Block::Text | Block::ToolCall { input: None, .. } => {}
        Block::ToolCall { call, input: Some(input) } => {
            let delta = ToolCallDelta { arguments: input.to_string(), ..ToolCallDelta::at(call) };
            pieces.push_back(ModelDelta::ToolCall(delta));
        }
        Block::Other { mut fields, input } => {
            if let Ok(input) = serde_json::from_str(&input) {
                fields.insert("input".to_owned(), input);
            }
            pieces.push_back(list(BLOCKS, vec![fields.into()]));
        }
    }
}

/// Returns a piece that extends a list in the message.
fn list(name: &str, values: Vec<Value>) -> ModelDelta {
    ModelDelta::Fields(Map::from_iter([(name.to_owned(), values.into())]))
}

fn citations(citations: Value) -> Option<ModelDelta> {
    match citations {
        Value::Array(citations) if !citations.is_empty() => Some(list("citations", citations)),
        _ => None,
    }
}

fn append(fields: &mut Map<String, Value>, name: &str, more: String) {
    match fields.get_mut(name) {
        Some(Value::String(text)) => text.push_str(&more),
        _ => drop(fields.insert(name.to_owned(), more.into())),
    }
}

fn text_of<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, OperationError> {
    fields.get(name).and_then(Value::as_str).ok_or_else(|| wrong(&format!("a block has no `{name}`")))
}

/// Returns the finish reason in the words of chat completions, which rails know.
fn finish_reason(reason: &str) -> String {
    match reason {
        "end_turn" | "stop_sequence" => "stop",
        "max_tokens" | "model_context_window_exceeded" => "length",
        "tool_use" => "tool_calls",
        "refusal" => "content_filter",
        other => other,
    }
    .to_owned()
}

fn usage(counts: &Map<String, Value>) -> Usage {
    let count = |name: &str| counts.get(name).and_then(Value::as_u64).unwrap_or_default();
    let cached = count("cache_read_input_tokens").saturating_add(count("cache_creation_input_tokens"));
    let (prompt, completion) = (count("input_tokens").saturating_add(cached), count("output_tokens"));
    let others = counts.iter().filter(|(name, _)| !["input_tokens", "output_tokens"].contains(&name.as_str()));
    Usage {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt.saturating_add(completion),
        extra: others.map(|(name, value)| (name.clone(), value.clone())).collect(),
    }
}

fn wrong(what: &str) -> OperationError {
    OperationError::new(OperationErrorKind::InvalidResponse, format!("the answer cannot be read: {what}"))
}

fn no_message() -> OperationError {
    OperationError::new(OperationErrorKind::InvalidResponse, "the answer has no message")
}
