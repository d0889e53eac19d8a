//! Unknown fields of a type, which never replace its known fields.

use serde::Serializer;
use serde_json::{Map, Value};

use super::{
    CompactionInputs, CompactionOutput, ContentPart, ContextInputs, FunctionCall, FunctionSpec, InvokeInputs,
    InvokeOutput, MemoryEntry, MemoryItem, MemoryQuery, Message, ModelCallInputs, ModelResponse, RecalledMemory,
    SessionInfo, ToolCall, ToolCallInputs, ToolOutput, ToolSpec, Usage,
};

/// A type whose unknown fields are in its `extra`.
pub(crate) trait KnownFields {
    /// The names of the known fields in JSON.
    const FIELDS: &'static [&'static str];

    /// Removes the entries that have the name of a known field.
    fn retain_unknown(extra: &mut Map<String, Value>) {
        extra.retain(|name, _| !Self::FIELDS.contains(&name.as_str()));
    }
}

/// Serializes the unknown fields of `T`. Skips an entry with the name of a known field, because a reader of the JSON
/// would read the entry instead of the field.
pub(crate) fn unknown_fields<T: KnownFields, S: Serializer>(
    extra: &Map<String, Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(extra.iter().filter(|(name, _)| !T::FIELDS.contains(&name.as_str())))
}

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
