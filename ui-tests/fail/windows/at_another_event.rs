//! The message should say: only a rail on `LlmChunk` has a window: leave this out.

use exo_rails::prelude::*;

#[rail(on = [PostLlmCall], window = 64)]
fn redact(response: &mut ModelResponse) {
    response.message.content = None;
}

fn main() {
    let _ = rail_chain![redact];
}
