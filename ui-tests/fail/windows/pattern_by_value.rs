//! The message should say: a `&` is missing. The compiler's own words.

use exo_rails::prelude::*;

#[rail(on = [LlmChunk])]
fn redact(window: &mut StreamWindow) {
    window.replace('\n', " ");
}

fn main() {
    let _ = rail_chain![redact];
}
