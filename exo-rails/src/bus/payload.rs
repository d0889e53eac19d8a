//! The payload of an event in a record.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::size::size_of;
use crate::context::{StopKind, StoppedBy};
use crate::event::Inputs;

/// The payload of an event in an [`EventRecord`](crate::EventRecord): a JSON object with the parts of the event. It is
/// `null` if a rail has stopped the event.
///
/// A record shares the messages of a conversation with the run. So the record of a model call needs memory only for the
/// rest of the request. The JSON is made when your code first reads it, and is then kept with the record. Serializing a
/// record does not keep the JSON.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::EventBus;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let bus = EventBus::new(64);
/// let mut records = bus.subscribe();
/// let rails = bus.wrap(exo_rails::NoRails);
/// rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut RunContext::new("demo")).await?;
///
/// let record = records.recv().await.unwrap().unwrap();
/// assert_eq!(record.payload["call"]["tool_name"], "search");
/// # Ok(()) }
/// ```
pub struct RecordPayload {
    parts: Vec<(&'static str, Arc<dyn Part>)>,
    json: OnceLock<Value>,
}

/// A part of a payload, without its type.
trait Part: Send + Sync {
    fn to_json(&self) -> Value;

    fn bytes(&self) -> usize;
}

// A part that cannot be written as JSON becomes a text that reports the error, so the record is not lost.
impl<T: Serialize + Send + Sync> Part for T {
    fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_else(|error| Value::String(format!("not JSON: {error}")))
    }

    fn bytes(&self) -> usize {
        size_of(self)
    }
}

fn part<T: Serialize + Clone + Send + Sync + 'static>(name: &'static str, part: &T) -> (&'static str, Arc<dyn Part>) {
    (name, Arc::new(part.clone()))
}

fn text(name: &'static str, text: String) -> (&'static str, Arc<dyn Part>) {
    (name, Arc::new(text))
}

impl RecordPayload {
    /// Makes an empty payload.
    const fn null() -> Self {
        Self { parts: Vec::new(), json: OnceLock::new() }
    }

    /// Makes the named parts of a payload, after the rails have decided. Leaves out the inputs of an operation unless
    /// the rails before the operation have allowed them.
    pub(super) fn of(inputs: &Inputs<'_>, stopped: Option<&StoppedBy>, may_have_inputs: bool) -> Self {
        let goes_on = match (inputs, stopped) {
            (_, None) => true,
            // A skip lets the window leave unchanged.
            (Inputs::LlmChunk(..), Some(stopped)) => stopped.how == StopKind::Skip,
            _ => false,
        };
        if !goes_on {
            return Self::null();
        }
        let mut parts = match inputs {
            Inputs::SessionStart(session) | Inputs::SessionEnd(session) => vec![part("session", *session)],
            Inputs::Start(run) => vec![part("run", &**run)],
            Inputs::MemoryRecalled(query, memory) => vec![part("query", *query), part("memory", &**memory)],
            Inputs::ContextAssembled(context) | Inputs::ContextOverflow(context) => vec![part("context", &**context)],
            Inputs::PreCompaction(history) => vec![part("history", &**history)],
            Inputs::PostCompaction(history, compacted) => {
                vec![part("history", *history), part("compacted", *compacted)]
            }
            Inputs::PreLlmCall(request) => vec![part("request", &**request)],
            Inputs::LlmChunk(_, window) => {
                let leaving = window.leaving(stopped.is_none()).to_owned();
                vec![text("text", leaving), part("is_last", &window.is_last)]
            }
            Inputs::PostLlmCall(request, response) => vec![part("request", *request), part("response", &**response)],
            Inputs::LlmError(request, error) => vec![part("request", *request), text("error", error.to_string())],
            Inputs::PreToolCall(call) => vec![part("call", &**call)],
            Inputs::PostToolCall(call, output) => vec![part("call", *call), part("output", &**output)],
            // The text of the error becomes an output, which the rails after the call may redact.
            Inputs::ToolError(call, error) => vec![part("call", *call), part("error_kind", &error.kind)],
            Inputs::Finished(run, output) => vec![part("run", *run), part("output", &**output)],
            Inputs::MemoryStored(entry) => vec![part("entry", &**entry)],
            Inputs::Error(run, error) => vec![part("run", *run), text("error", error.to_string())],
            Inputs::Suspended(run, question) => vec![part("run", *run), part("question", *question)],
            Inputs::Dropped(dropped) => vec![part("dropped", *dropped)],
            Inputs::Custom(inputs) => vec![text("debug", format!("{inputs:?}"))],
        };
        if !may_have_inputs {
            // The inputs are the first part. A custom operation has only one part, which contains its inputs.
            parts.remove(0);
        }
        Self { parts, json: OnceLock::new() }
    }

    /// Makes the payload of a record that a rail publishes itself.
    pub(super) fn emitted(data: &Value) -> Self {
        Self { parts: vec![part("data", data)], json: OnceLock::new() }
    }

    /// Returns about the memory that the payload needs as JSON, in bytes: the lengths of all texts, and 32 bytes for each value.
    ///
    /// The method does not make the JSON, and its time does not grow with the lengths of the texts. Messages that the record
    /// shares with the run count too, because the run may end before the record does.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::EventBus;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
    /// let bus = EventBus::new(64);
    /// let mut records = bus.subscribe();
    /// let rails = bus.wrap(exo_rails::NoRails);
    /// let mut call = ToolCallInputs::new("write").with_arguments(json!({ "text": "x".repeat(1 << 20) }));
    /// rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?;
    ///
    /// let record = records.recv().await.unwrap().unwrap();
    /// assert_eq!(record.payload.bytes() >> 20, 1);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|(name, part)| name.len().saturating_add(part.bytes())).fold(0, usize::saturating_add)
    }

    fn to_json(&self) -> Value {
        if self.parts.is_empty() {
            return Value::Null;
        }
        Value::Object(self.parts.iter().map(|(name, part)| ((*name).to_owned(), part.to_json())).collect::<Map<_, _>>())
    }
}

/// Returns the JSON object or `null`. The first call makes it.
impl Deref for RecordPayload {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.json.get_or_init(|| self.to_json())
    }
}

impl Clone for RecordPayload {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), json: OnceLock::new() }
    }
}

impl Serialize for RecordPayload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.parts.is_empty() {
            return serializer.serialize_unit();
        }
        let mut map = serializer.serialize_map(Some(self.parts.len()))?;
        for (name, part) in &self.parts {
            map.serialize_entry(name, &part.to_json())?;
        }
        map.end()
    }
}

impl PartialEq for RecordPayload {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<Value> for RecordPayload {
    fn eq(&self, other: &Value) -> bool {
        **self == *other
    }
}

impl fmt::Debug for RecordPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
