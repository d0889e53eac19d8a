//! The message should say: the future of this async closure borrows `attempts` by `&mut`, so the guard cannot call the closure
//! again for a retry. Read `call.attempt()`, or count with an atomic.

use exo_rails::prelude::*;

#[rail(on = [ToolError])]
fn again(error: &OperationError) -> RailAction {
    RailAction::retry(RetryRequest::new(error.message.clone()).with_max_retries(2))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let mut attempts = 0;
    let charge = async |call: Permit<ToolCallInputs>| { // <- here
        attempts += 1;
        if attempts < 3 {
            return Err(OperationError::new(OperationErrorKind::Unavailable, "the terminal is busy"));
        }
        Ok(format!("{} has worked", call.tool_name))
    };
    let mut ctx = RunContext::new("checkout");
    let output = rail_chain![again].guard_tool_call(ToolCallInputs::new("charge"), &mut ctx, charge).await?;
    assert_eq!(output.content, "charge has worked");
    Ok(())
}
