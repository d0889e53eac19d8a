//! An unnamed chain lists an expression, `has_garden.then_some(no_dogs {})`, for a rail that a setting switches on. An ideal message
//! says that a chain lists names, and to declare a named chain with a field: `dogs: Option<no_dogs>`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn free_rooms_only(call: &ToolCallInputs) -> RailAction {
    match call.arguments["room"].as_u64() {
        Some(1..=40) => RailAction::Continue,
        _ => RailAction::skip("the hotel has the rooms 1 to 40"),
    }
}

#[rail(priority = 20, on = [PreToolCall])]
fn no_dogs(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.arguments["dog"] == true, "dogs need a hotel with a garden")
}

async fn book(call: Permit<ToolCallInputs>) -> Result<String, OperationError> {
    Ok(format!("room {} is booked", call.arguments["room"]))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let has_garden = std::env::var("HOTEL_GARDEN").is_ok();
    let rails = rail_chain![free_rooms_only, (!has_garden).then_some(no_dogs {})];
    let call = ToolCallInputs::new("book").with_arguments(serde_json::json!({ "room": 12 }));
    let output = rails.guard_tool_call(call, &mut RunContext::new("hotel"), book).await?;
    println!("{}", output.content);
    Ok(())
}
