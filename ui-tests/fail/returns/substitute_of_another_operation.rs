//! The message should say: a `ToolOutput` cannot be the substitute for the result of a model call: a skip at `PreLlmCall` brings a `ModelResponse`.

use exo_rails::prelude::*;

#[rail(on = [PreLlmCall])]
async fn guard(call: &ModelCallInputs) -> RailAction<ToolOutput> {
    RailAction::skip_with(ToolOutput::text("cached"), call.model.clone().unwrap_or_default())
}

fn main() {
    let _ = rail_chain![guard];
}
