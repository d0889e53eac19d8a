//! Limits on the size and the time of an answer.

use std::time::Duration;

use exo_rails::{ModelDelta, OperationError, OperationErrorKind, ToolCallDelta};
use serde_json::{Map, Value};

use super::transport;

/// Limits on the size and the time of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The time until the answer begins.
    pub(crate) response: Duration,
    /// The time until the next piece of the answer.
    pub(crate) chunk: Duration,
    /// The time until the whole answer has arrived.
    pub(crate) answer: Duration,
    /// The number of bytes of the answer.
    pub(crate) bytes: usize,
    /// The number of bytes of one event of a stream.
    pub(crate) event: usize,
    /// The number of bytes of memory for the JSON of the answer.
    pub(crate) memory: usize,
}

const MIB: usize = 1024 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Self {
            // A server that does not stream begins its answer when the model has finished.
            response: Duration::from_mins(10),
            // A model that thinks may be silent for a long time.
            chunk: Duration::from_mins(5),
            answer: Duration::from_hours(1),
            bytes: 64 * MIB,
            event: 16 * MIB,
            memory: 256 * MIB,
        }
    }
}

impl Limits {
    pub(crate) fn not_begun(&self) -> OperationError {
        if self.answer < self.response {
            return self.too_slow();
        }
        transport::timed_out("no answer has begun", self.response)
    }

    pub(crate) fn too_slow(&self) -> OperationError {
        transport::timed_out("the answer is not complete", self.answer).naming("answer_timeout")
    }

    pub(crate) fn too_many_bytes(&self) -> OperationError {
        exceeded(format!("the answer is longer than {} bytes", self.bytes), "max_answer_bytes")
    }

    pub(crate) fn event_too_long(&self) -> OperationError {
        exceeded(format!("an event of the answer is longer than {} bytes", self.event), "max_event_bytes")
    }

    /// Returns an error if the answer would take more memory than the limit.
    pub(crate) fn check_memory(&self, memory: usize) -> Result<(), OperationError> {
        if memory <= self.memory {
            return Ok(());
        }
        Err(exceeded(
            format!("the JSON of the answer would take more than {} bytes of memory", self.memory),
            "max_answer_memory",
        ))
    }
}

fn exceeded(what: String, method: &str) -> OperationError {
    OperationError::new(OperationErrorKind::InvalidResponse, what).naming(method)
}

/// Adds the name of the method that sets a limit.
trait Naming {
    fn naming(self, method: &str) -> Self;
}

impl Naming for OperationError {
    fn naming(mut self, method: &str) -> Self {
        self.message = format!("{}: the method `{method}` of the model's builder sets this limit", self.message);
        self
    }
}

/// The memory of an object: a node of a tree with room for eleven fields, and a second copy while the object is read.
const OBJECT: usize = 900;
/// The memory of a field: its name, and its part of further nodes.
const FIELD: usize = 120;
/// The memory of a value in a growing list.
const VALUE: usize = 64;
/// The memory of a tool call.
const CALL: usize = 256;

/// Estimates the bytes of memory that the values of this JSON take, without reading them. For example, `{"a":0},` has 8
/// bytes, and takes a hundred times that memory.
pub(crate) fn memory_of_json(json: &[u8]) -> usize {
    let (mut memory, mut bytes) = (json.len(), json.iter());
    while let Some(byte) = bytes.next() {
        memory += match byte {
            b'{' => OBJECT,
            b':' => FIELD,
            b'[' | b',' => VALUE,
            b'"' => {
                skip_string(&mut bytes);
                0
            }
            _ => 0,
        };
    }
    memory
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

/// Returns the memory that this piece adds to an answer.
pub(crate) fn memory_of_piece(piece: &ModelDelta) -> usize {
    match piece {
        ModelDelta::Text(text) | ModelDelta::Finish(text) => text.len(),
        ModelDelta::Fields(fields) | ModelDelta::ResponseFields(fields) => memory_of_fields(fields),
        ModelDelta::ToolCall(ToolCallDelta { id, name, arguments, extra, .. }) => {
            let begins = id.is_some() || name.is_some();
            let texts = [id.as_deref(), name.as_deref()].into_iter().flatten().map(str::len).sum::<usize>();
            arguments.len() + texts + if begins { CALL } else { 0 } + memory_of_fields(extra)
        }
        // A usage replaces the usage before it. A whole answer was counted when it was read.
        _ => 0,
    }
}

pub(crate) fn memory_of_fields(fields: &Map<String, Value>) -> usize {
    fields.iter().map(|(name, value)| FIELD + name.len() + memory_of(value)).sum()
}

/// Returns the memory of a value.
fn memory_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(|value| VALUE + memory_of(value)).sum(),
        Value::Object(fields) => OBJECT + memory_of_fields(fields),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Limits, OBJECT, memory_of, memory_of_json};

    #[test]
    fn braces_in_texts_are_not_objects() {
        assert_eq!(memory_of_json(br#""{[,:\\\"{""#), br#""{[,:\\\"{""#.len());
        assert!(memory_of_json(br#"[{"a":0},{"a":0}]"#) > 2 * OBJECT);
    }

    #[test]
    fn the_count_of_a_json_text_is_at_least_the_memory_of_its_value() {
        for value in [json!([{ "a": 0 }, [1, 2], "text", { "b": { "c": null } }]), json!({}), Value::Null] {
            assert!(memory_of_json(value.to_string().as_bytes()) >= memory_of(&value), "{value}");
        }
    }

    #[test]
    fn an_error_names_the_limit_and_its_method() {
        let limits = Limits { memory: 10, ..Limits::default() };
        let error = limits.check_memory(11).map_err(|error| error.message);
        let expected = "the JSON of the answer would take more than 10 bytes of memory: \
                        the method `max_answer_memory` of the model's builder sets this limit";
        assert_eq!(error, Err(expected.to_owned()));
    }
}
