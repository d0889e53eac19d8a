//! The message should say: an operation cannot fail with `Box<dyn Error>`, because the error moves between threads. Write
//! `Box<dyn Error + Send + Sync>`.

use std::error::Error;

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn only_settings(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "read_setting" { RailAction::Continue } else { RailAction::skip("settings only") }
}

async fn read_setting(call: Permit<ToolCallInputs>) -> Result<String, Box<dyn Error>> {
    let text = call.str_argument("line").ok_or("there is no line")?;
    let (_, value) = text.split_once('=').ok_or("the line has no value")?;
    let seconds: u32 = value.trim().parse()?;
    Ok(format!("{seconds} seconds"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let (rails, mut ctx) = (rail_chain![only_settings], RunContext::new("installer"));
    let call = ToolCallInputs::new("read_setting").with_arguments(serde_json::json!({ "line": "delay = 5" }));
    let output = rails.guard_tool_call(call, &mut ctx, read_setting).await?; // <- here
    assert_eq!(output.content, "5 seconds");
    Ok(())
}
