//! The record of an event, as a log has it.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::SystemTime;

use exo_rails::{EventRecord, StopKind};
use exo_rails_policy::audit::Level;
use exo_rails_text::json::canonical;
use serde_json::{Map, Value, json};

use crate::hash::Hash;

/// The records whose data contains no payload: those of findings, of approvals and of rails in shadow.
const WITHOUT_PAYLOAD: [&str; 3] = ["finding", "approval", "shadow"];

/// The parts of payloads that are inputs of an operation.
const INPUTS: [&str; 4] = ["run", "history", "request", "call"];

/// Returns the record as JSON.
pub(crate) fn of(record: &EventRecord, level: Level, data_of: &[String]) -> Value {
    let mut entry = json!({
        "agent": &*record.agent,
        "run": &*record.run_id,
        "turn": record.turn,
        "step": record.step,
        "attempt": record.attempt,
        "event": record.event,
        "took_us": u64::try_from(record.took.as_micros()).unwrap_or(u64::MAX),
    });
    if let Some(session) = &record.session_id {
        entry["session"] = (**session).into();
    }
    if let Some(rail) = &record.substituted_by {
        entry["substituted_by"] = rail.as_str().into();
    }
    if let Some(stopped) = &record.stopped {
        let mut decision = json!({ "rail": stopped.rail_name.as_str(), "how": stopped.how });
        // The text of a fault comes from an error, which may quote a payload.
        if level == Level::Full || stopped.how != StopKind::Fault {
            decision["reason"] = stopped.reason.as_str().into();
        }
        entry["stopped"] = decision;
    }
    match &record.emitted {
        Some(name) => emitted(&mut entry, name, &record.payload["data"], level, data_of),
        None => {
            if let Value::Object(parts) = &*record.payload {
                let is_after = record.event.is_after();
                let parts = parts.iter().map(|(name, part)| (name.clone(), of_part(name, part, level, is_after)));
                entry["payload"] = Value::Object(parts.collect());
            }
        }
    }
    entry
}

/// Adds a record that a rail has published.
fn emitted(entry: &mut Value, name: &str, data: &Value, level: Level, data_of: &[String]) {
    let unmarked = name.strip_prefix("shadow.");
    if unmarked.is_some() || name == "shadow" {
        entry["shadow"] = true.into();
    }
    let name = unmarked.unwrap_or(name);
    entry["name"] = name.into();
    let is_open = WITHOUT_PAYLOAD.contains(&name) || data_of.iter().any(|open| open == name);
    entry["data"] = if level == Level::Full || is_open { data.clone() } else { size_of(data) };
}

fn of_part(name: &str, part: &Value, level: Level, is_after: bool) -> Value {
    if level == Level::Full && !(is_after && INPUTS.contains(&name)) {
        return part.clone();
    }
    match part {
        Value::Bool(_) | Value::Number(_) | Value::Null => return part.clone(),
        _ if matches!(name, "error_kind" | "dropped") => return part.clone(),
        _ => {}
    }
    let mut entry = size_of(part);
    let names: &[&str] = match name {
        "call" => &["id", "tool_name"],
        "request" => &["model"],
        "response" | "output" => &["usage", "steps", "is_error", "error_kind"],
        "compacted" => &["removed"],
        _ => &[],
    };
    for name in names {
        if let Some(value) = part.get(name).filter(|value| !value.is_null()) {
            entry[name] = value.clone();
        }
    }
    match name {
        "call" => entry["arguments"] = size_of(&part["arguments"]),
        "request" => entry["messages"] = part["messages"].as_array().map_or(0, Vec::len).into(),
        "response" => entry["calls"] = calls(part),
        _ => {}
    }
    entry
}

/// Returns the names of the tools that an answer calls.
fn calls(response: &Value) -> Value {
    let calls = response["message"]["tool_calls"].as_array().into_iter().flatten();
    calls.map(|call| call["function"]["name"].clone()).collect()
}

/// Returns the size and the hash of a value. Those of a text are about its bytes, and those of another value are about its JSON
/// with sorted keys and without spaces.
fn size_of(value: &Value) -> Value {
    let json;
    let text = match value {
        Value::String(text) => text,
        other => {
            json = canonical(other);
            &json
        }
    };
    let mut size = Map::new();
    size.insert("bytes".to_owned(), text.len().into());
    size.insert("sha256".to_owned(), Hash::of(text.as_bytes()).to_string().into());
    Value::Object(size)
}

/// Returns milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a name that no other log has.
pub(crate) fn random_name() -> String {
    // The standard library seeds each `RandomState` with random bytes of the operating system.
    let random = || RandomState::new().hash_one((SystemTime::now(), std::process::id()));
    format!("{:016x}{:016x}", random(), random())
}
