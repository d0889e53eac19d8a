//! The decoder of streamed answers: any bytes, in any pieces.

#![no_main]

use exo_rails::ResponseBuilder;
use exo_rails_agent::fuzzing::{Sizes, streamed};
use exo_rails_fuzz::{check_response, cut, dialect, within};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [kind, seed, event, memory, body @ ..] = data else { return };
    let dialect = dialect(*kind);
    let sizes = Sizes { event: usize::from(*event) * 16 + 16, memory: usize::from(*memory) * 256 + 256 };
    // What is kept is at most what the limits say, and what is on its way.
    let bound = 2 * (sizes.memory + sizes.event) + 64 * body.len() + 64 * 1024;

    let (deltas, end) = within(bound, || streamed(dialect, [body], sizes));
    for pieces in [cut(body, *seed), body.chunks(1).collect()] {
        let (in_pieces, end_in_pieces) = streamed(dialect, pieces, sizes);
        assert_eq!(in_pieces, deltas);
        let told = |end: &Result<(), exo_rails::OperationError>| end.as_ref().err().map(ToString::to_string);
        assert_eq!(told(&end_in_pieces), told(&end));
    }
    let mut answer = ResponseBuilder::new();
    answer.extend(deltas);
    let mut response = answer.finish();
    if end.is_ok() {
        response.retain_fields_of_server();
        check_response(&response);
    }
});
