//! The message should say: `u32` is not a pattern, and what patterns are.

use exo_rails::prelude::*;

#[rail(on = [LlmChunk])]
fn redact(window: &mut StreamWindow) {
    window.replace(&4711, "[key]");
}

fn main() {
    let _ = rail_chain![redact];
}
