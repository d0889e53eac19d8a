//! What it shows: a rail that skips under a condition, in one line.

use exo_rails::prelude::*;

/// Old orders are in another system.
#[rail(priority = 20, on = [PreToolCall])]
fn recent_orders(call: &ToolCallInputs) -> RailAction {
    let year = call.arguments["year"].as_u64().unwrap_or(0);
    RailAction::skip_if(year < 2020, "orders before 2020 are in the archive")
}

rail_chain! {
    struct OrderRails { recent_orders }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let call = ToolCallInputs::new("find_order").with_arguments(serde_json::json!({ "year": 2024 }));
    let find = |_| async { Ok::<_, OperationError>("order 7") };
    let output = OrderRails.guard_tool_call(call, &mut RunContext::new("orders"), find).await?;
    assert_eq!(output.content, "order 7");
    Ok(())
}
