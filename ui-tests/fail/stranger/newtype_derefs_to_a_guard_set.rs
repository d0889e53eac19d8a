//! A newtype around a chain implements `Deref`, and is passed to a function that takes `&impl GuardSet`, which does not follow a
//! `Deref`. An ideal message says to pass the chain inside, `&rails.chain`, or to implement `Serves<E>` for the wrapper.

use std::ops::Deref;

use exo_rails::prelude::*;

/// Bees may only be moved in the evening.
#[rail(priority = 10, on = [PreToolCall])]
fn only_in_the_evening(call: &ToolCallInputs) -> RailAction {
    match call.arguments["hour"].as_u64() {
        Some(18..) => RailAction::Continue,
        _ => RailAction::skip("the bees are still out"),
    }
}

rail_chain! {
    struct BeeRails { only_in_the_evening }
}

/// The rails together with the name of the bee yard.
struct Yard {
    name: &'static str,
    chain: BeeRails,
}

impl Deref for Yard {
    type Target = BeeRails;

    fn deref(&self) -> &BeeRails {
        &self.chain
    }
}

async fn move_hive(rails: &impl GuardSet, hour: u32, ctx: &mut RunContext) -> Result<String, RunError> {
    let call = ToolCallInputs::new("move_hive").with_arguments(serde_json::json!({ "hour": hour }));
    let tool = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("the hive stands in the clover");
    Ok(rails.guard_tool_call(call, ctx, tool).await?.content)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let yard = Yard { name: "north", chain: BeeRails };
    println!("{}: {}", yard.name, move_hive(&yard, 20, &mut RunContext::new("bees")).await?);
    Ok(())
}
