//! The message should say: `testing::tool_call` only prepares the call. Make it with `.await`, and then call
//! `assert_output`.

use exo_rails::prelude::*;
use exo_rails::testing;

#[rail(on = [ToolError])]
fn apologize(call: &ToolCallInputs, error: &OperationError) -> RailAction<ToolOutput> {
    let text = format!("`{}` does not work today: {}", call.tool_name, error.message);
    RailAction::skip_with(ToolOutput::error(text), "the tool is down")
}

rail_chain! {
    struct WeatherRails { apologize }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let call = testing::tool_call(&WeatherRails, ToolCallInputs::new("forecast")).fails("no satellite");
    call.assert_output("`forecast` does not work today: no satellite"); // <- here
}
