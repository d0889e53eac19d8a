//! The message should say: the rail takes `&StreamWindow`, and `find` needs `&mut StreamWindow`. The compiler's own words.

use exo_rails::prelude::*;

#[rail(on = [LlmChunk])]
fn forbid(window: &StreamWindow) -> Verdict {
    Verdict::abort_if(window.find("secret").is_some(), "a secret")
}

fn main() {
    let _ = rail_chain![forbid];
}
