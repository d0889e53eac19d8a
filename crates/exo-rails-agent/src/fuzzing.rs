//! Reads answers of servers without a connection. For fuzz targets, and for tests of the mistakes that they found.

use exo_rails::{ModelDelta, ModelResponse, OperationError};

use crate::http::{Decoder, Limits, Pieces, Protocol, Secrets, memory_of_json, response};

/// A protocol. A fuzz target chooses one at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The chat-completions protocol.
    Chat,
    /// The messages protocol.
    Messages,
}

/// The limits on the length of an event and on the memory of an answer, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The limit for an event.
    pub event: usize,
    /// The limit for an answer.
    pub memory: usize,
}

impl From<Sizes> for Limits {
    fn from(Sizes { event, memory }: Sizes) -> Self {
        Self { event, memory, ..Self::default() }
    }
}

/// Returns the estimated memory of the JSON of an answer, in bytes.
#[must_use]
pub fn estimated_memory(json: &[u8]) -> usize {
    memory_of_json(json)
}

/// Reads an answer that comes as a whole.
///
/// # Errors
/// Returns an error if the JSON is not an answer.
pub fn whole(dialect: Dialect, json: &[u8], sizes: Sizes) -> Result<ModelResponse, OperationError> {
    match dialect {
        Dialect::Chat => response::<crate::openai::ChatCompletions>(json, &sizes.into()),
        Dialect::Messages => response::<crate::anthropic::Messages>(json, &sizes.into()),
    }
}

/// Reads the body of a streamed answer that arrives in these pieces. Returns all deltas, and the result at the end of the
/// stream.
pub fn streamed<'b>(
    dialect: Dialect,
    body: impl IntoIterator<Item = &'b [u8]>,
    sizes: Sizes,
) -> (Vec<ModelDelta>, Result<(), OperationError>) {
    match dialect {
        Dialect::Chat => deltas::<crate::openai::ChatCompletions>(body, sizes),
        Dialect::Messages => deltas::<crate::anthropic::Messages>(body, sizes),
    }
}

fn deltas<'b, P: Protocol>(
    body: impl IntoIterator<Item = &'b [u8]>,
    sizes: Sizes,
) -> (Vec<ModelDelta>, Result<(), OperationError>) {
    let (mut pieces, mut deltas) = (Pieces::<P::Decoder>::new(sizes.into()), Vec::new());
    let mut end = Ok(());
    for bytes in body {
        pieces.feed(bytes);
        end = read(&mut pieces, &mut deltas);
        if end.is_err() {
            break;
        }
    }
    let end = end.and_then(|()| pieces.end());
    deltas.extend(std::iter::from_fn(|| pieces.next()));
    (deltas, end)
}

/// Reads all events that are complete.
fn read<D: Decoder>(pieces: &mut Pieces<D>, deltas: &mut Vec<ModelDelta>) -> Result<(), OperationError> {
    while pieces.take_event()? {
        deltas.extend(std::iter::from_fn(|| pieces.next()));
    }
    Ok(())
}

/// Returns the message of an error from a server that has received these secrets.
#[must_use]
pub fn shown(secrets: &[&str], message: &str) -> String {
    let mut all = Secrets::default();
    for secret in secrets {
        all.add(secret);
    }
    all.hide(OperationError::from(message)).message
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Sizes, shown, streamed, whole};

    const SIZES: Sizes = Sizes { event: 64, memory: 1 << 20 };

    const CHAT: &str = "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

    /// The end of an answer does not depend on bytes that follow it, even if they arrive in the same piece.
    #[test]
    fn an_event_that_is_too_long_takes_back_nothing() {
        let long = format!("data: {}\n\n", "x".repeat(100));
        let cases = [
            (CHAT.to_owned() + &long, None),
            (long.clone() + CHAT, Some("an event of the answer is longer than 64 bytes")),
        ];
        for (body, expected) in cases {
            for size in [1, 7, 1_000] {
                let (deltas, end) = streamed(Dialect::Chat, body.as_bytes().chunks(size), SIZES);
                assert_eq!(deltas.is_empty(), expected.is_some(), "in pieces of {size}: {end:?}");
                let told = end.err().map(|error| error.message);
                let is_expected = match (&told, expected) {
                    (Some(told), Some(expected)) => told.starts_with(expected),
                    (told, expected) => told.is_none() && expected.is_none(),
                };
                assert!(is_expected, "in pieces of {size}: {told:?}");
            }
        }
    }

    #[test]
    fn the_functions_for_fuzz_targets_read_answers_and_hide_keys() {
        let json = r#"{"type":"message","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn"}"#;
        let answer = whole(Dialect::Messages, json.as_bytes(), SIZES);
        assert!(answer.is_ok_and(|answer| answer.message.text() == "Hello"));
        assert_eq!(shown(&["sk-4711-secret"], "no: sk-4711-secret"), "no: [key]");
    }
}
