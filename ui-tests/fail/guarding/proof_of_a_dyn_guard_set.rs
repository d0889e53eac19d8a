//! The message should say, once: a guard set that is built at run time cannot meet requirements.

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, NoRails, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

chain_requirements! { struct Company { require(permission_check on PreToolCall) } }

async fn change(call: Permit<ToolCallInputs, Company>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(&*call.tool_name))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let (rails, mut ctx) = (DynGuardSet::new(NoRails), RunContext::new("demo"));
    rails.proving::<Company>().guard_tool_call(ToolCallInputs::new("add_row"), &mut ctx, change).await?;
    Ok(())
}
