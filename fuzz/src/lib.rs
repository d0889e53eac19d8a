//! What the targets have in common.

use exo_rails::ModelResponse;
use exo_rails_agent::fuzzing::Dialect;

/// The protocol that this byte draws.
#[must_use]
pub fn dialect(byte: u8) -> Dialect {
    if byte.is_multiple_of(2) { Dialect::Chat } else { Dialect::Messages }
}

/// Cuts bytes in pieces of the lengths that a seed draws: 1 to 32.
#[must_use]
pub fn cut(mut bytes: &[u8], seed: u8) -> Vec<&[u8]> {
    let (mut pieces, mut state) = (Vec::new(), u32::from(seed) | 1);
    while !bytes.is_empty() {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let (piece, rest) = bytes.split_at(((state >> 27) as usize + 1).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// Checks what holds for every answer that was read, whatever the server has written.
pub fn check_response(response: &ModelResponse) {
    let printed = serde_json::to_string(response).expect("an answer is JSON");
    let read: ModelResponse = serde_json::from_str(&printed).expect("an answer that was printed is read");
    assert_eq!(&read, response, "printed as {printed}");
    let mut settled = response.clone();
    settled.settle_tool_calls();
    settled.retain_fields_of_server();
    assert_eq!(&settled, response, "the answer is settled when it is read");
    for call in &response.message.tool_calls {
        let is_empty = call.function.arguments.trim().is_empty();
        assert!(!is_empty || response.is_cut(), "a complete answer has arguments: {call:?}");
    }
    if let Some(last) = response.message.tool_calls.last().filter(|_| response.is_cut()) {
        let call = exo_rails::ToolCallInputs::asked_for(last);
        let is_empty_object = call.arguments.as_object().is_some_and(serde_json::Map::is_empty);
        assert!(!is_empty_object, "what was cut is not a call without arguments: {call:?}");
    }
}

/// Runs a piece of work that may use so many bytes of memory at once.
pub fn within<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let mut result = None;
    let used = allocation_counter::measure(|| result = Some(work())).bytes_max;
    assert!(used <= bytes as u64, "{used} bytes of memory are used, and the bound is {bytes}");
    result.expect("the work has run")
}
