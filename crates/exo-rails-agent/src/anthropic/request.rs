//! Requests of the messages protocol, made from types of the library.

use exo_rails::message::{Content, ContentPart, Message, Messages, Role, ToolCall, ToolSpec};
use exo_rails::{ModelCallInputs, OperationError, OperationErrorKind};
use serde_json::{Map, Value, json};

use super::BLOCKS;
use crate::http;

/// Returns the body of a request, without the fields that all requests to a model have in common.
pub(super) fn body(request: &ModelCallInputs) -> Result<Map<String, Value>, OperationError> {
    let mut body = options(request);
    let (system, messages) = conversation(&request.messages)?;
    // All instructions are messages, so rails see them. An option must not add others.
    body.remove("system");
    if !system.is_empty() {
        body.insert("system".to_owned(), system.into());
    }
    body.insert("messages".to_owned(), messages.into());
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    if let Some(model) = &request.model {
        body.insert("model".to_owned(), model.as_str().into());
    }
    Ok(body)
}

/// Returns the options. Rails and agents set options without knowing the model, so options of chat completions get their
/// names in this protocol.
fn options(request: &ModelCallInputs) -> Map<String, Value> {
    let mut options = http::options(request);
    options.remove("stream_options");
    if let Some(tokens) = options.remove("max_completion_tokens") {
        options.entry("max_tokens").or_insert(tokens);
    }
    if let Some(stop) = options.remove("stop") {
        let stop = if stop.is_string() { json!([stop]) } else { stop };
        options.entry("stop_sequences").or_insert(stop);
    }
    if let Some(choice) = options.remove("tool_choice") {
        options.insert("tool_choice".to_owned(), tool_choice(choice));
    }
    if options.remove("parallel_tool_calls") == Some(Value::Bool(false)) && !request.tools.is_empty() {
        let choice = options.entry("tool_choice").or_insert_with(|| json!({ "type": "auto" }));
        if let Value::Object(choice) = choice
            && choice.get("type").is_some_and(|kind| kind != "none")
        {
            choice.insert("disable_parallel_tool_use".to_owned(), true.into());
        }
    }
    options
}

fn tool_choice(choice: Value) -> Value {
    match choice.as_str() {
        Some("required") => json!({ "type": "any" }),
        Some(kind) => json!({ "type": kind }),
        None => match choice.pointer("/function/name") {
            Some(name) => json!({ "type": "tool", "name": name }),
            None => choice,
        },
    }
}

/// Splits a conversation into the instructions and the other messages.
fn conversation(messages: &Messages) -> Result<(Vec<Value>, Vec<Value>), OperationError> {
    let mut system = Vec::new();
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message.role {
            Role::System | Role::Developer => {
                system.extend(content(message.content.as_ref())?);
                continue;
            }
            Role::Assistant => ("assistant", assistant(message)?),
            Role::Tool => ("user", vec![tool_result(message)?]),
            _ => ("user", content(message.content.as_ref())?),
        };
        match turns.last_mut() {
            Some((last, turn)) if *last == role => turn.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    let messages = turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content }));
    Ok((system, messages.collect()))
}

/// Returns the blocks of a content. An empty text has no block, because servers reject it.
fn content(content: Option<&Content>) -> Result<Vec<Value>, OperationError> {
    match content {
        None => Ok(Vec::new()),
        Some(Content::Text(text)) if text.is_empty() => Ok(Vec::new()),
        Some(Content::Text(text)) => Ok(vec![json!({ "type": "text", "text": text })]),
        Some(Content::Parts(parts)) => {
            parts.iter().filter(|part| part.text.as_deref() != Some("")).map(block).collect()
        }
    }
}

/// Returns the block of a part.
fn block(part: &ContentPart) -> Result<Value, OperationError> {
    let field = |pointer: &str| part.extra.get(&part.kind).and_then(|fields| fields.pointer(pointer)?.as_str());
    let source = match part.kind.as_str() {
        "image_url" => field("/url").map(|url| ("image", source(url))),
        "file" => match (field("/file_id"), field("/file_data")) {
            (Some(id), _) => Some(("document", json!({ "type": "file", "file_id": id }))),
            (None, Some(data)) => Some(("document", source(data))),
            (None, None) => None,
        },
        "input_audio" => None,
        // Any other part has no form in chat completions, so it is already a block of this protocol.
        _ => return Ok(serde_json::to_value(part)?),
    };
    let Some((kind, source)) = source else {
        let message =
            format!("a message has a part of the type `{}` that the messages protocol cannot send", part.kind);
        return Err(OperationError::new(OperationErrorKind::InvalidRequest, message));
    };
    let mut block = json!({ "type": kind, "source": source });
    if let Some(name) = field("/filename") {
        block["title"] = name.into();
    }
    for (name, value) in part.extra.iter().filter(|(name, _)| **name != part.kind) {
        if block.get(name).is_none() {
            block[name] = value.clone();
        }
    }
    Ok(block)
}

/// Returns the source of an image or a document: the data of a `data:` URL, or the URL.
fn source(url: &str) -> Value {
    let data = url.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
    match data {
        Some((media_type, data)) => json!({ "type": "base64", "media_type": media_type, "data": data }),
        None => json!({ "type": "url", "url": url }),
    }
}

/// Returns the blocks of a message of the model. Blocks with its thinking come first, unchanged.
fn assistant(message: &Message) -> Result<Vec<Value>, OperationError> {
    let mut blocks = message.extra.get(BLOCKS).and_then(Value::as_array).cloned().unwrap_or_default();
    blocks.extend(content(message.content.as_ref())?);
    blocks.extend(message.tool_calls.iter().map(tool_use));
    Ok(blocks)
}

fn tool_use(call: &ToolCall) -> Value {
    let text = call.function.arguments.as_str();
    let input = match serde_json::from_str(text) {
        Ok(input @ Value::Object(_)) => input,
        _ if text.trim().is_empty() => json!({}),
        // The model reads here the text that it wrote instead of arguments.
        _ => json!({ "unreadable_arguments": text }),
    };
    json!({ "type": "tool_use", "id": call.id, "name": call.function.name, "input": input })
}

fn tool_result(message: &Message) -> Result<Value, OperationError> {
    let content = content(message.content.as_ref())?;
    Ok(json!({ "type": "tool_result", "tool_use_id": message.tool_call_id, "content": content }))
}

fn tool(spec: &ToolSpec) -> Value {
    let function = &spec.function;
    let mut tool = spec.extra.clone();
    tool.extend(function.extra.clone());
    tool.remove("description");
    tool.insert("name".to_owned(), function.name.as_str().into());
    if !function.description.is_empty() {
        tool.insert("description".to_owned(), function.description.as_str().into());
    }
    let schema = if function.parameters.is_null() { json!({ "type": "object" }) } else { function.parameters.clone() };
    tool.insert("input_schema".to_owned(), schema);
    tool.into()
}
