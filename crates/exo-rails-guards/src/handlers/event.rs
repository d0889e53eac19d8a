//! The events of hook handlers, and what handlers receive.

use std::fmt;
use std::time::SystemTime;

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// An event that a handler can name.
///
/// The events of the library except two: at [`LlmChunk`](exo_rails::events::LlmChunk) a handler would run for each piece of
/// an answer, and at [`Dropped`](exo_rails::events::Dropped) nothing can be awaited.
///
/// The page "Hook handlers" of the book lists the fields of each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandlerEvent {
    /// A session begins.
    SessionStart,
    /// A run begins.
    Start,
    /// A memory has answered.
    MemoryRecalled,
    /// The messages that the model reads first are assembled.
    ContextAssembled,
    /// The history is about to be compacted.
    PreCompaction,
    /// The history has been compacted. A handler cannot decide.
    PostCompaction,
    /// The next model call exceeds the budget of tokens.
    ContextOverflow,
    /// The model is about to be called.
    PreLlmCall,
    /// The model has answered.
    PostLlmCall,
    /// The model call has failed.
    LlmError,
    /// A tool is about to be called.
    PreToolCall,
    /// A tool has returned.
    PostToolCall,
    /// A tool has failed.
    ToolError,
    /// A run has its answer.
    Finished,
    /// A memory is about to store an entry.
    MemoryStored,
    /// A run ends with an error. A handler cannot decide.
    Error,
    /// A run is suspended. A handler cannot decide.
    Suspended,
    /// A session ends. A handler cannot decide.
    SessionEnd,
}

impl HandlerEvent {
    /// Returns whether a handler can decide about the event. Prompts and agents need such an event.
    #[must_use]
    pub const fn can_decide(self) -> bool {
        !matches!(self, Self::PostCompaction | Self::Error | Self::Suspended | Self::SessionEnd)
    }

    /// Returns whether a run can wait for a person at the event, so that a handler may answer `ask`.
    #[must_use]
    pub const fn can_wait(self) -> bool {
        self.can_decide() && !matches!(self, Self::SessionStart | Self::ContextAssembled | Self::ContextOverflow)
    }

    /// Returns whether the event is about a tool call, so that a handler may be about some tools only.
    #[must_use]
    pub const fn has_tool(self) -> bool {
        matches!(self, Self::PreToolCall | Self::PostToolCall | Self::ToolError)
    }

    pub(super) const fn of(inputs: &Inputs<'_>) -> Option<Self> {
        Some(match inputs {
            Inputs::SessionStart(_) => Self::SessionStart,
            Inputs::Start(_) => Self::Start,
            Inputs::MemoryRecalled(..) => Self::MemoryRecalled,
            Inputs::ContextAssembled(_) => Self::ContextAssembled,
            Inputs::PreCompaction(_) => Self::PreCompaction,
            Inputs::PostCompaction(..) => Self::PostCompaction,
            Inputs::ContextOverflow(_) => Self::ContextOverflow,
            Inputs::PreLlmCall(_) => Self::PreLlmCall,
            Inputs::PostLlmCall(..) => Self::PostLlmCall,
            Inputs::LlmError(..) => Self::LlmError,
            Inputs::PreToolCall(_) => Self::PreToolCall,
            Inputs::PostToolCall(..) => Self::PostToolCall,
            Inputs::ToolError(..) => Self::ToolError,
            Inputs::Finished(..) => Self::Finished,
            Inputs::MemoryStored(_) => Self::MemoryStored,
            Inputs::Error(..) => Self::Error,
            Inputs::Suspended(..) => Self::Suspended,
            Inputs::SessionEnd(_) => Self::SessionEnd,
            _ => return None,
        })
    }
}

impl fmt::Display for HandlerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Returns the name of the tool, at an event of a tool call.
pub(super) fn tool_name<'a>(inputs: &'a Inputs<'_>) -> Option<&'a str> {
    match inputs {
        Inputs::PreToolCall(call) => Some(&call.tool_name),
        Inputs::PostToolCall(call, _) | Inputs::ToolError(call, _) => Some(&call.tool_name),
        _ => None,
    }
}

/// Returns what a handler receives.
pub(super) fn to_json(event: HandlerEvent, inputs: &Inputs<'_>, ctx: &RailContext) -> Value {
    let mut fields = fields(inputs);
    fields.insert("session_id".to_owned(), json!(ctx.session_id()));
    fields.insert("run_id".to_owned(), json!(ctx.run_id()));
    fields.insert("agent".to_owned(), json!(ctx.agent()));
    fields.insert("step".to_owned(), json!(ctx.step()));
    fields.insert("hook_event".to_owned(), json!(event));
    let now = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    fields.insert("timestamp".to_owned(), Value::String(now));
    Value::Object(fields)
}

fn fields(inputs: &Inputs<'_>) -> Map<String, Value> {
    let fields = match inputs {
        Inputs::SessionStart(session) | Inputs::SessionEnd(session) => json!({ "session": session }),
        Inputs::Start(run) => json!({ "input": run.input.text() }),
        Inputs::MemoryRecalled(query, memory) => json!({ "query": query.text, "items": memory.items }),
        Inputs::ContextAssembled(context) | Inputs::ContextOverflow(context) => {
            json!({ "messages": context.messages, "tokens": context.tokens, "budget": context.budget })
        }
        Inputs::PreCompaction(history) => {
            json!({ "messages": history.messages, "tokens": history.tokens, "budget": history.budget })
        }
        Inputs::PostCompaction(_, output) => {
            json!({ "messages": output.messages, "removed": output.removed, "summary": output.summary })
        }
        Inputs::PreLlmCall(call) => {
            let tools: Vec<&str> = call.tools.iter().map(|tool| tool.function.name.as_str()).collect();
            json!({ "model": call.model, "messages": call.messages, "tools": tools })
        }
        Inputs::PostLlmCall(call, response) => json!({
            "model": call.model,
            "text": response.message.text(),
            "tool_calls": response.message.tool_calls,
            "finish_reason": response.finish_reason,
        }),
        Inputs::LlmError(call, error) => {
            json!({ "model": call.model, "error": error.message, "error_kind": error.kind })
        }
        Inputs::PreToolCall(call) => of_call(call),
        Inputs::PostToolCall(call, output) => {
            with(of_call(call), [("output", json!(output.content)), ("is_error", json!(output.is_error))])
        }
        Inputs::ToolError(call, error) => {
            with(of_call(call), [("error", json!(error.message)), ("error_kind", json!(error.kind))])
        }
        Inputs::Finished(run, output) => json!({ "input": run.input.text(), "text": output.text }),
        Inputs::MemoryStored(entry) => json!({ "messages": entry.messages }),
        Inputs::Error(run, error) => json!({ "input": run.input.text(), "error": error.to_string() }),
        Inputs::Suspended(run, question) => json!({ "input": run.input.text(), "question": question.question }),
        _ => Value::Null,
    };
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn of_call(call: &ToolCallInputs) -> Value {
    json!({ "tool_name": call.tool_name, "tool_call_id": call.id, "arguments": call.arguments })
}

fn with<const N: usize>(mut fields: Value, more: [(&str, Value); N]) -> Value {
    for (name, value) in more {
        fields[name] = value;
    }
    fields
}

/// Writes what a handler has updated into the payload. Returns whether the event can use it.
pub(super) fn update(inputs: &mut Inputs<'_>, updated: Value) -> bool {
    match (inputs, updated) {
        (Inputs::PreToolCall(call), Value::Object(arguments)) => call.arguments = Value::Object(arguments),
        (Inputs::PostToolCall(_, output), Value::String(text)) => output.content = text,
        (Inputs::Start(run), Value::String(text)) => run.input = text.into(),
        (Inputs::PostLlmCall(_, response), Value::String(text)) => response.message.content = Some(text.into()),
        (Inputs::Finished(_, output), Value::String(text)) => output.text = text,
        _ => return false,
    }
    true
}
