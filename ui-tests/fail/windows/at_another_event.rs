//! The message should say: a window is what a rail on `LlmChunk` sees: no other event has one.

use exo_rails::prelude::*;

#[rail(on = [PostLlmCall], window = 64)]
fn redact(response: &mut ModelResponse) {
    response.message.content = None;
}

fn main() {
    let _ = rail_chain![redact];
}
