//! The message should say: the function takes a permit with a proof, and `guard_tool_call` makes one without.

use exo_rails::chain_requirements;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

chain_requirements! { struct Company { require(permission_check on PreToolCall) } }

rail_chain! {
    #[chain(requirements = Company)]
    struct SupportRails { permission_check }
}

async fn change(call: Permit<ToolCallInputs, Company>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(&*call.tool_name))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    SupportRails.guard_tool_call(ToolCallInputs::new("add_row"), &mut RunContext::new("demo"), change).await?;
    Ok(())
}
