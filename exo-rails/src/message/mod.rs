//! Messages, tool calls and usage, in the form of the chat-completions protocol.
//!
//! The fields are those of the [chat-completions API](https://platform.openai.com/docs/api-reference/chat), which most
//! providers and local servers speak. A type keeps unknown fields in its `extra` and writes them back, so a rail loses
//! nothing.
//!
//! An `extra` never replaces a field: an entry of `extra` with the name of a field is not written. So a rail, a model
//! server or an option named `message` or `usage` cannot change the message or the usage that others read.

pub(crate) mod compaction;
pub(crate) mod context;
pub(crate) mod delta;
pub(crate) mod dropped;
pub(crate) mod error_kind;
pub(crate) mod extra;
mod known_fields;
pub(crate) mod memory;
pub(crate) mod messages;
pub(crate) mod pattern;
pub(crate) mod payload;
pub(crate) mod session;
pub(crate) mod stream;
mod texts;
pub(crate) mod torn;
pub(crate) mod window;

pub(crate) use compaction::*;
pub(crate) use context::*;
pub(crate) use delta::*;
pub(crate) use dropped::*;
pub(crate) use error_kind::*;
pub(crate) use memory::*;
pub(crate) use payload::*;
pub(crate) use session::*;
pub(crate) use stream::*;
pub(crate) use window::*;

pub use torn::TornCall;

pub use messages::{Messages, MessagesDrain, MessagesIntoIter, MessagesIter, MessagesIterMut};

use std::borrow::Cow;
use std::ops::AddAssign;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use extra::unknown_fields;

/// A message of a conversation.
///
/// ```
/// use exo_rails::message::{Message, Role};
///
/// let wire = r#"{"role":"user","content":"Where is my order?","annotations":[]}"#;
/// let message: Message = serde_json::from_str(wire)?;
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.text(), "Where is my order?");
/// assert_eq!(serde_json::to_string(&message)?, wire);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The role of the speaker.
    pub role: Role,
    /// The content. An assistant that calls tools may have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// The tool calls that the assistant asks for.
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// In the message of a tool, the id of the call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Whether the message has content that a memory has recalled for this run. An agent leaves such messages out of
    /// the conversation that the run returns. This field is not part of the JSON.
    #[serde(skip)]
    pub is_recalled: bool,
    /// Fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<Message, _>")]
    pub extra: Map<String, Value>,
}

impl Message {
    /// Makes a message with this role and text.
    #[must_use]
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self { role, content: Some(content.into()), ..Self::default() }
    }

    /// Makes a message with instructions to the model.
    #[must_use]
    pub fn system(content: impl Into<Content>) -> Self {
        Self::new(Role::System, content)
    }

    /// Makes a message of a user.
    #[must_use]
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(Role::User, content)
    }

    /// Makes a message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// Makes a message with the output of a tool call.
    #[must_use]
    pub fn tool(call_id: impl Into<String>, content: impl Into<Content>) -> Self {
        Self { tool_call_id: Some(call_id.into()), ..Self::new(Role::Tool, content) }
    }

    /// Returns whether the message has instructions to the model: its role is `system` or `developer`.
    #[must_use]
    pub const fn is_instructions(&self) -> bool {
        matches!(self.role, Role::System | Role::Developer)
    }

    /// Calls `change` with each text in the message. Use it in rails that redact.
    ///
    /// These are the texts of the content, the arguments of the tool calls, and all texts in unknown fields. Unknown
    /// fields are for example the reasoning of a model or a refusal. Roles, ids and the names of tools do not change.
    ///
    /// Arguments are JSON as text. `change` receives each text and each number inside the JSON, without escapes, and
    /// then the whole JSON. So it finds a key that the model has written as `\u0073k-live-4711`, and it also finds
    /// names of fields and numbers. A number that changes becomes a text, so the arguments stay JSON. Calling `change`
    /// twice must have the same effect as calling it once.
    ///
    /// In a rail on the answer of a model, use [`ModelResponse::for_each_text`], which also covers the fields beside
    /// the message.
    ///
    /// ```
    /// use exo_rails::message::Message;
    ///
    /// let mut message = Message::assistant("The key is sk-live-4711.");
    /// message.extra.insert("reasoning".into(), "They want sk-live-4711.".into());
    /// message.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
    /// assert_eq!(message.text(), "The key is [key].");
    /// assert_eq!(message.extra["reasoning"], "They want [key].");
    /// ```
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        if let Some(content) = &mut self.content {
            content.for_each_text_and_field(&mut change);
        }
        for call in &mut self.tool_calls {
            texts::of_json(&mut call.function.arguments, &mut change);
            texts::of_fields(&mut call.function.extra, &mut change);
            texts::of_fields(&mut call.extra, &mut change);
        }
        texts::of_fields(&mut self.extra, &mut change);
    }

    /// Returns the text of the content. If it has several text parts, returns them one after the other.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.content.as_ref().map_or(Cow::Borrowed(""), Content::text)
    }
}

/// The role of a message's speaker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Instructions.
    System,
    /// Instructions, under the newer name of the protocol.
    Developer,
    /// The user.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// A role that this type does not know.
    #[serde(untagged)]
    Other(String),
}

/// The content of a message: a text, or parts of different kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// A text.
    Text(String),
    /// Texts, images, sounds and files.
    Parts(Vec<ContentPart>),
}

impl Content {
    /// Returns the text. If the content has several text parts, returns them one after the other.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Parts(parts) => parts.iter().filter_map(|part| part.text.as_deref()).collect(),
        }
    }

    /// Calls `change` with each text in the content. Use it in rails that redact. Unknown fields of a part, such as the
    /// address of an image, do not change. [`Message::for_each_text`] and
    /// [`InvokeInputs::for_each_text`](crate::InvokeInputs::for_each_text) cover these fields.
    ///
    /// ```
    /// use exo_rails::message::Content;
    ///
    /// let mut content = Content::from("the key is sk-123");
    /// content.for_each_text(|text| *text = text.replace("sk-123", "[key]"));
    /// assert_eq!(content.text(), "the key is [key]");
    /// ```
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        match self {
            Self::Text(text) => change(text),
            Self::Parts(parts) => parts.iter_mut().filter_map(|part| part.text.as_mut()).for_each(change),
        }
    }

    /// Calls `change` with each text in the content, and with each text in the unknown fields of its parts.
    pub(super) fn for_each_text_and_field(&mut self, change: &mut impl FnMut(&mut String)) {
        self.for_each_text(&mut *change);
        if let Self::Parts(parts) = self {
            for part in parts {
                texts::of_fields(&mut part.extra, change);
            }
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Cow<'_, str>> for Content {
    fn from(text: Cow<'_, str>) -> Self {
        Self::Text(text.into_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A part of a message's content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentPart {
    /// The kind of the part: `text`, `image_url`, `input_audio`, `file`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// The text of a text part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The fields of the other kinds.
    #[serde(flatten, serialize_with = "unknown_fields::<ContentPart, _>")]
    pub extra: Map<String, Value>,
}

/// A tool call that the model asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id, which the message of the tool repeats.
    #[serde(default)]
    pub id: String,
    /// The kind of the call: `function`.
    #[serde(rename = "type", default = "function")]
    pub kind: String,
    /// The tool and its arguments.
    pub function: FunctionCall,
    /// Fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<ToolCall, _>")]
    pub extra: Map<String, Value>,
}

impl ToolCall {
    /// Makes a call of the tool with this name. Writes `arguments` as JSON text, as the protocol requires.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: &Value) -> Self {
        Self {
            id: id.into(),
            kind: function(),
            function: FunctionCall { name: name.into(), arguments: arguments.to_string(), extra: Map::new() },
            extra: Map::new(),
        }
    }
}

/// The function in a [`ToolCall`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments, as JSON text. A model writes this text, so it may not be valid JSON.
    #[serde(default)]
    pub arguments: String,
    /// Fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<FunctionCall, _>")]
    pub extra: Map<String, Value>,
}

/// The description of a tool for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The kind of the tool: `function`.
    #[serde(rename = "type", default = "function")]
    pub kind: String,
    /// The name, the description and the parameters.
    pub function: FunctionSpec,
    /// Fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<ToolSpec, _>")]
    pub extra: Map<String, Value>,
}

impl ToolSpec {
    /// Makes the description of a tool with this name. `parameters` is a JSON schema of the arguments.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: impl IntoSchema) -> Self {
        Self {
            kind: function(),
            function: FunctionSpec {
                name: name.into(),
                description: description.into(),
                parameters: parameters.into_schema(),
                extra: Map::new(),
            },
            extra: Map::new(),
        }
    }
}

/// A JSON schema of the arguments of a tool. A text is no schema: parse it first.
#[diagnostic::on_unimplemented(
    message = "the schema of a tool is a JSON object, not `{Self}`",
    label = "not a schema",
    note = "write the schema as JSON: `json!({{ \"type\": \"object\" }})`"
)]
pub trait IntoSchema {
    /// Returns the schema as JSON.
    fn into_schema(self) -> Value;
}

impl IntoSchema for Value {
    fn into_schema(self) -> Value {
        self
    }
}

impl IntoSchema for Map<String, Value> {
    fn into_schema(self) -> Value {
        Value::Object(self)
    }
}

/// The function in a [`ToolSpec`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSpec {
    /// The name by which the model calls the tool.
    pub name: String,
    /// The effect of the tool, and when to use it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// A JSON schema of the arguments.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub parameters: Value,
    /// Fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<FunctionSpec, _>")]
    pub extra: Map<String, Value>,
}

/// The tokens that a model call has used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The tokens of the request.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// The tokens of the answer.
    #[serde(default)]
    pub completion_tokens: u64,
    /// The sum of both, as the provider counts it.
    #[serde(default)]
    pub total_tokens: u64,
    /// Fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<Usage, _>")]
    pub extra: Map<String, Value>,
}

impl AddAssign<&Usage> for Usage {
    fn add_assign(&mut self, other: &Usage) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
    }
}

fn function() -> String {
    "function".to_owned()
}

/// Some servers write `null` for an empty list.
pub(crate) fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Vec<T>, D::Error> {
    Option::deserialize(value).map(Option::unwrap_or_default)
}
