//! Payloads: the data that events carry.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error_kind::OperationErrorKind;
use super::extra::{KnownFields, unknown_fields};
use super::{Content, Message, Messages, Role, ToolCall, ToolSpec, Usage, texts};

/// The inputs of a run: the payload of [`Start`](crate::events::Start), and a part of the payloads of the events that
/// end the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvokeInputs {
    /// The input of the user: a text, or parts such as images.
    pub input: Content,
    /// The conversation before the input.
    #[serde(default, skip_serializing_if = "Messages::is_empty")]
    pub messages: Messages,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<InvokeInputs, _>")]
    pub extra: Map<String, Value>,
}

impl InvokeInputs {
    /// Makes the inputs of a run without an earlier conversation.
    #[must_use]
    pub fn new(input: impl Into<Content>) -> Self {
        Self { input: input.into(), ..Self::default() }
    }

    /// Calls `change` with each text in the input, in the conversation before it, and in the additional fields. Use it
    /// in rails that redact.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [Start])]
    /// fn no_keys(run: &mut InvokeInputs) {
    ///     run.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
    /// }
    /// ```
    pub fn for_each_text(&mut self, change: impl FnMut(&mut String)) {
        self.for_each_text_from(0, change);
    }

    /// Calls `change` with each text, as [`for_each_text`](Self::for_each_text) does, but leaves out the messages of the conversation
    /// before this index. A rail that has read them in an earlier turn knows the index from
    /// [`Messages::shared_start`](crate::message::Messages::shared_start).
    ///
    /// ```
    /// use exo_rails::message::Message;
    /// use exo_rails::prelude::*;
    ///
    /// let mut run = InvokeInputs::new("three");
    /// run.messages = [Message::user("one"), Message::user("two")].into();
    /// let mut texts = Vec::new();
    /// run.for_each_text_from(1, |text| texts.push(text.clone()));
    /// assert_eq!(texts, ["three", "two"]);
    /// ```
    pub fn for_each_text_from(&mut self, message: usize, mut change: impl FnMut(&mut String)) {
        self.input.for_each_text_and_field(&mut change);
        self.messages.for_each_text_from(message, &mut change);
        texts::of_fields(&mut self.extra, &mut change);
    }
}

/// The inputs of a run, or a text: what a [guarded run](crate::Guard::guard_run) can begin with. It is implemented for each type that
/// converts into [`InvokeInputs`].
#[diagnostic::on_unimplemented(
    message = "a run cannot begin with `{Self}`",
    label = "not the inputs of a run",
    note = "a run takes a text or `InvokeInputs`: `rails.guard_run(\"Where is my order?\", ctx, agent)`",
    note = "to make a text of a value, write `format!(\"order {{number}}\")`"
)]
pub trait IntoInvokeInputs: Send {
    // For the bound `This: Sized`, which is always met: see `RunFuture` in `operation/guard.rs`.
    #[doc(hidden)]
    type This;

    /// Returns the inputs.
    fn into_inputs(self) -> InvokeInputs;
}

#[diagnostic::do_not_recommend]
impl<T: Into<InvokeInputs> + Send> IntoInvokeInputs for T {
    type This = Self;

    fn into_inputs(self) -> InvokeInputs {
        self.into()
    }
}

impl From<&str> for InvokeInputs {
    fn from(input: &str) -> Self {
        Self::new(input)
    }
}

impl From<String> for InvokeInputs {
    fn from(input: String) -> Self {
        Self::new(input)
    }
}

impl From<&String> for InvokeInputs {
    fn from(input: &String) -> Self {
        Self::from(input.as_str())
    }
}

impl From<Content> for InvokeInputs {
    fn from(input: Content) -> Self {
        Self::new(input)
    }
}

/// The output of a run: a part of the payload of [`Finished`](crate::events::Finished).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvokeOutput {
    /// The answer.
    pub text: String,
    /// The whole conversation with the answer. Empty if a rail skipped the run.
    #[serde(default, skip_serializing_if = "Messages::is_empty")]
    pub messages: Messages,
    /// The tokens that all model calls have used together, including calls whose answer a rail refused. `Agent` sets
    /// this field. A custom loop sets it with [`ctx.usage()`](crate::RunScope::usage).
    #[serde(default)]
    pub usage: Usage,
    /// The number of steps of the agent. A step is a model call with the tool calls that it asks for. A custom loop
    /// sets this field itself.
    #[serde(default)]
    pub steps: u32,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<InvokeOutput, _>")]
    pub extra: Map<String, Value>,
}

impl InvokeOutput {
    /// The name of the field in [`extra`](Self::extra) that reports a skipped operation: `{ "by": …, "reason": … }`,
    /// with the rail and its reason. A [`ModelResponse`] and a [`CompactionOutput`](crate::CompactionOutput) have this
    /// field too.
    pub const SKIPPED: &'static str = "skipped";

    /// Makes an output with this answer.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Calls `change` with each text in the answer, in the conversation, and in the additional fields. Use it in rails
    /// that redact.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [Finished])]
    /// fn no_keys(output: &mut InvokeOutput) {
    ///     output.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
    /// }
    /// ```
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        change(&mut self.text);
        self.messages.for_each_text(&mut change);
        texts::of_fields(&mut self.extra, &mut change);
    }
}

impl From<&str> for InvokeOutput {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for InvokeOutput {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// A request to the model: the payload of [`PreLlmCall`](crate::events::PreLlmCall), and a part of the payloads of the
/// events after the call.
///
/// It is the body of a chat-completions request. Options such as `temperature` are in `extra`.
///
/// If a rail removes a tool call from the messages and keeps its output, or the reverse, the call fails before it reaches the
/// model: see [`Messages::torn_since`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCallInputs {
    /// The name of the model, if the request chooses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The conversation.
    pub messages: Messages,
    /// The tools that the model may call.
    #[serde(default, deserialize_with = "super::null_as_empty", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Options, and other fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<ModelCallInputs, _>")]
    pub extra: Map<String, Value>,
}

impl ModelCallInputs {
    /// Makes a request with these messages and without tools.
    #[must_use]
    pub fn new(messages: impl Into<Messages>) -> Self {
        Self { messages: messages.into(), ..Self::default() }
    }
}

/// The answer of the model: a part of the payload of [`PostLlmCall`](crate::events::PostLlmCall).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelResponse {
    /// The message of the model, with the tool calls that it asks for.
    pub message: Message,
    /// The reason why the model stopped: `stop`, `length`, `tool_calls`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The tokens that the call has used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Fields that this type does not know.
    #[serde(flatten, serialize_with = "unknown_fields::<ModelResponse, _>")]
    pub extra: Map<String, Value>,
}

impl ModelResponse {
    /// Makes an answer with this text. It has no tool calls, so it ends the agent's loop.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { message: Message::assistant(text.into()), finish_reason: Some("stop".to_owned()), ..Self::default() }
    }

    /// Calls `change` with each text in [the message](Message::for_each_text) and in the unknown fields. Use it in
    /// rails that redact. The texts of the message are its content, its reasoning, a refusal and the arguments of its
    /// tool calls.
    ///
    /// The pieces of a streamed answer leave before [`PostLlmCall`](crate::events::PostLlmCall). So a rail that redacts
    /// the text of an answer must be on [`LlmChunk`](crate::events::LlmChunk) too.
    ///
    /// ```
    /// use exo_rails::ModelResponse;
    /// use exo_rails::message::{Message, ToolCall};
    /// use exo_rails::prelude::*;
    /// use serde_json::json;
    ///
    /// #[rail(priority = 10, on = [PostLlmCall])]
    /// fn no_keys(response: &mut ModelResponse) {
    ///     response.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
    /// }
    ///
    /// let call = ToolCall::new("call-1", "login", &json!({ "key": "sk-live-4711" }));
    /// let mut message = Message { tool_calls: vec![call], ..Message::assistant("") };
    /// message.extra.insert("reasoning_content".into(), "The key is sk-live-4711.".into());
    /// let mut response = ModelResponse { message, ..ModelResponse::default() };
    /// no_keys(&mut response);
    /// assert_eq!(response.message.extra["reasoning_content"], "The key is [key].");
    /// assert_eq!(response.message.tool_calls[0].function.arguments, r#"{"key":"[key]"}"#);
    /// ```
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        self.message.for_each_text(&mut change);
        texts::of_fields(&mut self.extra, &mut change);
    }

    /// Returns whether the answer was cut before the model had finished. The `finish_reason` of such an answer is
    /// `length`, `content_filter`, or the word of another provider for these reasons. Tool calls of a cut answer may
    /// lack a part of their arguments. An agent runs none of them, and tells the model why.
    ///
    /// ```
    /// use exo_rails::ModelResponse;
    ///
    /// let cut = ModelResponse { finish_reason: Some("length".into()), ..ModelResponse::text("The order is la") };
    /// assert!(cut.is_cut());
    /// assert!(!ModelResponse::text("The order is late.").is_cut());
    /// ```
    #[must_use]
    pub fn is_cut(&self) -> bool {
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        CUT.iter().any(|word| word.eq_ignore_ascii_case(reason))
    }

    /// Removes the fields of [`extra`](Self::extra) that only this program writes. These are fields with the name of a
    /// known field, and [`SKIPPED`](InvokeOutput::SKIPPED), which reports that a rail has skipped the call. The models
    /// and the agent of `exo-rails-agent` call this method on every answer of a server.
    ///
    /// ```
    /// use exo_rails::{InvokeOutput, ModelResponse};
    ///
    /// let mut answer = ModelResponse::text("Hello");
    /// answer.extra.insert("id".into(), "c-1".into());
    /// answer.extra.insert(InvokeOutput::SKIPPED.into(), "by nobody".into());
    /// answer.retain_fields_of_server();
    /// assert_eq!(answer.extra.keys().collect::<Vec<_>>(), ["id"]);
    /// ```
    pub fn retain_fields_of_server(&mut self) {
        Self::retain_unknown(&mut self.extra);
        self.extra.remove(InvokeOutput::SKIPPED);
    }

    /// Completes the arguments of tool calls without arguments.
    ///
    /// If the answer is complete, these calls get the arguments `{}`. If the answer was [cut](Self::is_cut), the model
    /// may not have finished the arguments of the last call. So the arguments `{}` of the last call become the empty
    /// text, which is not JSON, and no tool runs with them.
    ///
    /// A [`ResponseBuilder`](crate::ResponseBuilder) calls this method, and so do the models and the agent of
    /// `exo-rails-agent`. A custom model in a custom loop calls it before it returns its answer.
    ///
    /// ```
    /// use exo_rails::{ModelResponse, ToolCallInputs};
    /// use exo_rails::message::{Message, ToolCall};
    /// use serde_json::json;
    ///
    /// let call = ToolCall::new("call-1", "delete_files", &json!({}));
    /// let message = Message { tool_calls: vec![call], ..Message::assistant("") };
    /// let mut cut = ModelResponse { message, finish_reason: Some("length".into()), ..ModelResponse::default() };
    /// cut.settle_tool_calls();
    /// let call = ToolCallInputs::asked_for(&cut.message.tool_calls[0]);
    /// assert_eq!(call.arguments, json!(""));
    /// ```
    pub fn settle_tool_calls(&mut self) {
        let is_cut = self.is_cut();
        let calls = &mut self.message.tool_calls;
        if is_cut {
            let last = calls.last_mut().map(|call| &mut call.function.arguments);
            if let Some(arguments) = last.filter(|arguments| has_no_argument(arguments)) {
                arguments.clear();
            }
            return;
        }
        for call in calls.iter_mut().filter(|call| call.function.arguments.trim().is_empty()) {
            "{}".clone_into(&mut call.function.arguments);
        }
    }

    /// Makes an answer without text and tool calls.
    pub(crate) fn empty() -> Self {
        Self { message: Message { role: Role::Assistant, ..Message::default() }, ..Self::default() }
    }
}

/// The reasons of providers for an answer that is not complete.
const CUT: [&str; 12] = [
    "length",
    "content_filter",
    "max_tokens",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
    "refusal",
    "safety",
    "recitation",
    "malformed_function_call",
    "incomplete",
    "error",
];

fn has_no_argument(arguments: &str) -> bool {
    matches!(serde_json::from_str::<Value>(arguments), Ok(Value::Object(fields)) if fields.is_empty())
}

impl From<&str> for ModelResponse {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ModelResponse {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// A tool call: the payload of [`PreToolCall`](crate::events::PreToolCall), and a part of the payloads of the events
/// after the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallInputs {
    /// The id by which the model finds the output. Empty if no model asked for the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments, usually an object.
    #[serde(default)]
    pub arguments: Value,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<ToolCallInputs, _>")]
    pub extra: Map<String, Value>,
}

impl ToolCallInputs {
    /// Makes a call of this tool with empty arguments.
    #[must_use]
    pub fn new(tool_name: impl Into<String>) -> Self {
        Self { tool_name: tool_name.into(), arguments: Value::Object(Map::new()), ..Self::default() }
    }

    /// Makes the call that a model asks for.
    ///
    /// Arguments that are not JSON stay as text, and so does the empty text. Rails see this text, and a
    /// [`Tool`](crate::Tool) refuses it. In a complete answer, a call without arguments has the arguments `{}`: see
    /// [`ModelResponse::settle_tool_calls`].
    ///
    /// ```
    /// use exo_rails::ToolCallInputs;
    /// use exo_rails::message::ToolCall;
    /// use serde_json::json;
    ///
    /// let asked = ToolCall::new("call-1", "search", &json!({ "query": "orders" }));
    /// let call = ToolCallInputs::asked_for(&asked);
    /// assert_eq!((call.id.as_str(), call.str_argument("query")), ("call-1", Some("orders")));
    /// ```
    #[must_use]
    pub fn asked_for(call: &ToolCall) -> Self {
        let text = call.function.arguments.as_str();
        // The empty text must not become an empty object: in a cut answer, it may mean that only the name of the tool
        // arrived.
        let arguments = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        Self { id: call.id.clone(), tool_name: call.function.name.clone(), arguments, extra: Map::new() }
    }

    /// Sets the arguments.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// let call = ToolCallInputs::new("read_file").with_arguments(serde_json::json!({ "path": "notes.txt" }));
    /// assert_eq!(call.str_argument("path"), Some("notes.txt"));
    /// ```
    #[must_use]
    pub fn with_arguments(mut self, arguments: Value) -> Self {
        self.arguments = arguments;
        self
    }

    /// Calls `change` with each text and each number in the arguments, then with the arguments as JSON, and then with
    /// each text in the additional fields. Use it in rails that redact. The JSON covers names of fields. A number that
    /// changes becomes a text, so the arguments stay JSON.
    ///
    /// The tool receives the changed arguments. The message of the model keeps the arguments that the model has
    /// written. To redact them there, use [`ModelResponse::for_each_text`].
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [PreToolCall])]
    /// fn no_keys(call: &mut ToolCallInputs) {
    ///     call.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
    /// }
    /// ```
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        texts::of_value(&mut self.arguments, &mut change);
        texts::of_fields(&mut self.extra, &mut change);
    }

    /// Sets the argument with this name. Returns whether it could be set. If the arguments are not an object, such as
    /// text of a model that is not JSON, they have no names. Then they stay unchanged, and the method returns `false`.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 20, on = [PreToolCall])]
    /// fn short_answers(call: &mut ToolCallInputs) -> Verdict {
    ///     Verdict::abort_if(!call.set_argument("limit", 3), "the arguments have no names")
    /// }
    /// ```
    #[must_use = "what could not be set is not limited by it"]
    pub fn set_argument(&mut self, name: impl Into<String>, value: impl Into<Value>) -> bool {
        match &mut self.arguments {
            Value::Object(arguments) => {
                arguments.insert(name.into(), value.into());
                true
            }
            _ => false,
        }
    }

    /// Returns the argument with this name, if it is a text.
    #[must_use]
    pub fn str_argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }
}

/// The output of a tool call: a part of the payload of [`PostToolCall`](crate::events::PostToolCall).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The text for the model.
    pub content: String,
    /// Whether the output reports a failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// The kind of failure, if the output stands for an error of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<OperationErrorKind>,
    /// Additional fields. The model does not see them.
    #[serde(flatten, serialize_with = "unknown_fields::<ToolOutput, _>")]
    pub extra: Map<String, Value>,
}

impl ToolOutput {
    /// Makes an output with this content.
    #[must_use]
    pub fn text(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// Makes an output that reports a failure to the model.
    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(content) }
    }

    /// Calls `change` with the content, and with each text in the additional fields. Use it in rails that redact.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [PostToolCall])]
    /// fn no_keys(output: &mut ToolOutput) {
    ///     output.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
    /// }
    /// ```
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        change(&mut self.content);
        texts::of_fields(&mut self.extra, &mut change);
    }

    /// Makes an output with this value as JSON text.
    ///
    /// # Errors
    /// Returns an error if the value cannot be written as JSON.
    pub fn json(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self::text)
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        Self::text(value.to_string())
    }
}
