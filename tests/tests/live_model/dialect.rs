//! The protocols: their clients, and how their servers write.

use std::time::Duration;

use exo_rails_agent::Model;
use exo_rails_agent::anthropic::{MessagesModel, MessagesModelBuilder};
use exo_rails_agent::openai::{ChatModel, ChatModelBuilder};
use serde_json::{Value, json};

use crate::KEY;

/// No answer takes as long.
const LIMIT: Duration = Duration::from_secs(10);

/// A protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dialect {
    Chat,
    Messages,
}

pub(crate) const DIALECTS: [Dialect; 2] = [Dialect::Chat, Dialect::Messages];

/// A chat model at this base URL. Its limits are far away.
pub(crate) fn chat(url: &str) -> ChatModelBuilder {
    let builder = ChatModel::builder("test-model").base_url(url).api_key(KEY);
    builder.connect_timeout(LIMIT).response_timeout(LIMIT).chunk_timeout(LIMIT)
}

/// The same for the messages protocol.
pub(crate) fn messages(url: &str) -> MessagesModelBuilder {
    let builder = MessagesModel::builder("test-model").base_url(url).api_key(KEY);
    builder.connect_timeout(LIMIT).response_timeout(LIMIT).chunk_timeout(LIMIT)
}

/// The events of a stream of chat completions, without the last one.
pub(crate) fn chat_events(pieces: &[Value]) -> String {
    pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect::<Vec<_>>().concat()
}

/// The events of a stream of chat completions.
pub(crate) fn all_chat_events(pieces: &[Value]) -> String {
    chat_events(pieces) + "data: [DONE]\n\n"
}

/// The events of a stream of the messages protocol.
pub(crate) fn message_events(events: &[Value]) -> String {
    let name = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect::<Vec<_>>().concat()
}

impl Dialect {
    /// The model at this base URL.
    pub(crate) fn model(self, url: &str) -> Box<dyn Model> {
        self.model_within(url, LIMIT, LIMIT)
    }

    /// A model that waits so long for an answer to begin, and for its next piece.
    pub(crate) fn model_within(self, url: &str, response: Duration, chunk: Duration) -> Box<dyn Model> {
        match self {
            Self::Chat => Box::new(chat(url).response_timeout(response).chunk_timeout(chunk).build().unwrap()),
            Self::Messages => Box::new(messages(url).response_timeout(response).chunk_timeout(chunk).build().unwrap()),
        }
    }

    /// A whole answer.
    pub(crate) fn hello(self) -> Value {
        match self {
            Self::Chat => json!({ "choices": [{ "message": { "role": "assistant", "content": "Hello" } }] }),
            Self::Messages => json!({ "type": "message", "content": [{ "type": "text", "text": "Hello" }] }),
        }
    }

    /// The beginning of a stream that has said nothing of its end: in an event each.
    pub(crate) fn half(self) -> String {
        match self {
            Self::Chat => {
                chat_events(&[json!({ "choices": [{ "delta": { "role": "assistant", "content": "It is la" } }] })])
            }
            Self::Messages => message_events(&[
                json!({ "type": "message_start", "message": { "type": "message", "role": "assistant", "content": [] } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "It is la" } }),
            ]),
        }
    }

    /// Says why the model stopped.
    pub(crate) fn finish(self) -> String {
        match self {
            Self::Chat => chat_events(&[json!({ "choices": [{ "finish_reason": "stop" }] })]),
            Self::Messages => {
                message_events(&[json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } })])
            }
        }
    }

    /// Counts tokens, and says nothing else.
    pub(crate) fn usage(self) -> String {
        match self {
            Self::Chat => chat_events(&[json!({ "choices": [], "usage": { "total_tokens": 3 } })]),
            Self::Messages => {
                message_events(&[json!({ "type": "message_delta", "delta": {}, "usage": { "output_tokens": 3 } })])
            }
        }
    }

    /// The last event of a stream.
    pub(crate) fn last(self) -> String {
        match self {
            Self::Chat => "data: [DONE]\n\n".to_owned(),
            Self::Messages => message_events(&[json!({ "type": "message_stop" })]),
        }
    }

    /// The half of an event.
    pub(crate) fn cut(self) -> &'static str {
        match self {
            Self::Chat => "data: {\"choices\":[{\"del",
            Self::Messages => "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"ind",
        }
    }

    /// What is said of an answer that has none.
    pub(crate) fn nothing(self) -> &'static str {
        match self {
            Self::Chat => "no choice",
            Self::Messages => "no message",
        }
    }
}
