//! The message should say: a window is how many characters the rail has to see together: `window = 64`, `"all"`, or a `usize`.

use exo_rails::prelude::*;

#[rail(on = [LlmChunk], window = 0)]
fn redact(window: &mut StreamWindow) {
    window.replace("key", "[key]");
}

fn main() {
    let _ = rail_chain![redact];
}
