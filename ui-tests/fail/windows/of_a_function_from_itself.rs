//! The message should say: a function has no `self`: write a constant, `window = LONGEST`, or make the rail a type with a field.

use exo_rails::prelude::*;

#[rail(on = [LlmChunk], window = self.longest)]
fn redact(window: &mut StreamWindow) {
    window.replace("key", "[key]");
}

fn main() {
    let _ = rail_chain![redact];
}
