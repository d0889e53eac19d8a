//! The message should say: a dispatch returns a `Decision`, which also has the name of the rail, and not the `RailAction` of a
//! rail. Write `decision.is_continue()`, or compare with `Decision::Continue`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn quiet_hours(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "play_alarm" { RailAction::skip("people are asleep") } else { RailAction::Continue }
}

rail_chain! {
    struct HotelRails { quiet_hours }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RailFault> {
    let mut ctx = RunContext::new("hotel");
    let mut call = ToolCallInputs::new("dim_lights");
    let decision = HotelRails.dispatch::<PreToolCall>(&mut call, &mut ctx).await?;
    if decision == RailAction::Continue { // <- here
        println!("{} may run", call.tool_name);
    }
    Ok(())
}
