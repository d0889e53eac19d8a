//! The message should say: after the operation a skip brings no substitute: a skip accepts the output unchanged.

use exo_rails::prelude::*;

#[rail(on = [PostToolCall])]
async fn guard(output: &ToolOutput) -> RailAction<ToolOutput> {
    RailAction::skip_with(ToolOutput::text("hidden"), output.content.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
