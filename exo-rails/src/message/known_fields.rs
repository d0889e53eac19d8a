//! The known fields of each type that has an `extra`.

use super::extra::KnownFields;
use super::{
    CompactionInputs, CompactionOutput, ContentPart, ContextInputs, FunctionCall, FunctionSpec, InvokeInputs,
    InvokeOutput, MemoryEntry, MemoryItem, MemoryQuery, Message, ModelCallInputs, ModelResponse, RecalledMemory,
    SessionInfo, ToolCall, ToolCallInputs, ToolOutput, ToolSpec, Usage,
};

macro_rules! known_fields {
    ($($payload:ident { $($field:literal),* })*) => {$(
        impl KnownFields for $payload {
            const FIELDS: &'static [&'static str] = &[$($field),*];
        }
    )*};
}

// `tests/tests/source/extra_fields.rs` compares this list with the types.
known_fields! {
    Message { "role", "content", "tool_calls", "tool_call_id" }
    ContentPart { "type", "text" }
    ToolCall { "id", "type", "function" }
    FunctionCall { "name", "arguments" }
    ToolSpec { "type", "function" }
    FunctionSpec { "name", "description", "parameters" }
    Usage { "prompt_tokens", "completion_tokens", "total_tokens" }
    InvokeInputs { "input", "messages" }
    InvokeOutput { "text", "messages", "usage", "steps" }
    ModelCallInputs { "model", "messages", "tools" }
    ModelResponse { "message", "finish_reason", "usage" }
    ToolCallInputs { "id", "tool_name", "arguments" }
    ToolOutput { "content", "is_error", "error_kind" }
    ContextInputs { "messages", "tokens", "budget" }
    MemoryQuery { "text", "limit" }
    MemoryItem { "text" }
    RecalledMemory { "items" }
    MemoryEntry { "messages" }
    SessionInfo { "id", "turns" }
    CompactionInputs { "messages", "tokens", "budget", "hint" }
    CompactionOutput { "messages", "removed", "summary" }
}
