//! The message should say: `ContextAssembled` does not allow a skip, a `Verdict` is what it returns.

use exo_rails::ContextInputs;
use exo_rails::prelude::*;

#[rail(on = [ContextAssembled])]
fn short(context: &ContextInputs) -> RailAction {
    if context.tokens > 1_000 { RailAction::skip("too long") } else { RailAction::Continue }
}

fn main() {
    let _ = rail_chain![short];
}
