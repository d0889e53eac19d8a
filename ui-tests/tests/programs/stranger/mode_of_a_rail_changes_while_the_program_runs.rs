//! A configuration sets the mode and the limit of a rail, and the program replaces both while it runs. The chain names the type of
//! the field by an alias.

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode, Reloadable};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct WithdrawalLimit {
    most: u64,
}

#[rail(priority = 20)]
impl WithdrawalLimit {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Option<RailAction> {
        let euros = call.arguments.get("euros")?.as_u64()?;
        (euros > self.most).then(|| RailAction::skip(format!("at most {} euros", self.most)))
    }
}

type Limit = Reloadable<InMode<WithdrawalLimit>>;

rail_chain! {
    struct BankRails { limit: Limit }
}

fn configured(json: &str) -> serde_json::Result<InMode<WithdrawalLimit>> {
    let (mode, limit): (Mode, WithdrawalLimit) = serde_json::from_str(json)?;
    Ok(InMode::new(mode, limit))
}

async fn withdraw(_: Permit<ToolCallInputs>) -> Result<&'static str, OperationError> {
    Ok("here is your money")
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limit = Limit::new(configured(r#"["shadow", { "most": 500 }]"#)?);
    let (rails, mut ctx) = (BankRails { limit: limit.clone() }, RunContext::new("bank"));
    let call = ToolCallInputs::new("withdraw").with_arguments(json!({ "euros": 900 }));
    let output = rails.guard_tool_call(call.clone(), &mut ctx, withdraw).await?;
    assert_eq!(output.content, "here is your money");

    limit.replace(configured(r#"["enforce", { "most": 800 }]"#)?);
    let output = rails.guard_tool_call(call, &mut ctx, withdraw).await?;
    assert!(output.content.ends_with("at most 800 euros"));
    Ok(())
}
