//! The events of hook handlers, and what handlers receive.

use std::time::SystemTime;

use exo_rails::prelude::*;
use exo_rails_policy::hook_handlers::HandlerEvent;
use serde_json::{Map, Value, json};

pub(super) const fn event_of(inputs: &Inputs<'_>) -> Option<HandlerEvent> {
    Some(match inputs {
        Inputs::SessionStart(_) => HandlerEvent::SessionStart,
        Inputs::Start(_) => HandlerEvent::Start,
        Inputs::MemoryRecalled(..) => HandlerEvent::MemoryRecalled,
        Inputs::ContextAssembled(_) => HandlerEvent::ContextAssembled,
        Inputs::PreCompaction(_) => HandlerEvent::PreCompaction,
        Inputs::PostCompaction(..) => HandlerEvent::PostCompaction,
        Inputs::ContextOverflow(_) => HandlerEvent::ContextOverflow,
        Inputs::PreLlmCall(_) => HandlerEvent::PreLlmCall,
        Inputs::PostLlmCall(..) => HandlerEvent::PostLlmCall,
        Inputs::LlmError(..) => HandlerEvent::LlmError,
        Inputs::PreToolCall(_) => HandlerEvent::PreToolCall,
        Inputs::PostToolCall(..) => HandlerEvent::PostToolCall,
        Inputs::ToolError(..) => HandlerEvent::ToolError,
        Inputs::Finished(..) => HandlerEvent::Finished,
        Inputs::MemoryStored(_) => HandlerEvent::MemoryStored,
        Inputs::Error(..) => HandlerEvent::Error,
        Inputs::Suspended(..) => HandlerEvent::Suspended,
        Inputs::SessionEnd(_) => HandlerEvent::SessionEnd,
        _ => return None,
    })
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
