//! The rail has `window = "34"`, a number in quotes, because `timeout = "2s"` and `window = "all"` have quotes too. An ideal message
//! says that the number has no quotes: `window = 34`.

use exo_rails::prelude::*;

/// Hides account numbers in streamed answers. The longest one has 34 characters.
#[rail(priority = 40, on = [LlmChunk], window = "34")]
fn hide_accounts(window: &mut StreamWindow) {
    for account in ["DE89370400440532013000", "NO9386011117947"] {
        window.replace(account, "[account]");
    }
}

rail_chain! {
    struct TellerRails { hide_accounts }
}

async fn ask_model(_request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    Ok(ModelResponse::text("Please pay to NO9386011117947."))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("teller");
    let response = TellerRails.guard_llm_call(ModelCallInputs::default(), &mut ctx, ask_model).await?;
    assert_eq!(response.message.text(), "Please pay to [account].");
    Ok(())
}
