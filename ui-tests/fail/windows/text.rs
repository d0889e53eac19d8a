//! The message should say: a window is a number of characters: write `window = 64`, `"all"`, or a `usize`.

use exo_rails::prelude::*;

#[rail(on = [LlmChunk], window = "64")]
fn redact(window: &mut StreamWindow) {
    window.replace("key", "[key]");
}

fn main() {
    let _ = rail_chain![redact];
}
