//! The message should say: after the operation there is nothing to stand in for: a skip accepts the output as it stands.

use exo_rails::prelude::*;

#[rail(on = [PostToolCall])]
async fn guard(output: &ToolOutput) -> RailAction<ToolOutput> {
    RailAction::skip_with(ToolOutput::text("hidden"), output.content.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
