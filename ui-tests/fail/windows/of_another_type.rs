//! The message should say: mismatched types at `self.longest`: a `usize` is expected. The compiler's own words.

use exo_rails::prelude::*;

struct Redact {
    longest: u32,
}

#[rail]
impl Redact {
    #[on(LlmChunk, window = self.longest)]
    fn redact(&self, window: &mut StreamWindow) {
        window.replace("key", "[key]");
    }
}

rail_chain! { struct Guards { redact: Redact } }

fn main() {
    let _ = Guards { redact: Redact { longest: 64 } };
}
