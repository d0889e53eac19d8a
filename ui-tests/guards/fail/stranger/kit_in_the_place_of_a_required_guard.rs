//! The message should say: `BankPolicy` requires `Permissions` on `PreToolCall`, and in a `Kit` it may be absent, because the file
//! decides: list it in a field of its own, `permissions: Permissions`.
use exo_rails::prelude::*;
use exo_rails::{Meets, chain_requirements};
use exo_rails_guards::{Kit, Permissions};

chain_requirements! {
    /// Every agent of the bank has permissions.
    struct BankPolicy { require(Permissions on PreToolCall) }
}

rail_chain! {
    #[chain(requirements = BankPolicy)] // <- here
    struct TellerRails { kit: Kit }
}

const POLICY: &str = "
[permissions]
default = 'deny'
rules = [{ tool = 'balance', decision = 'allow' }]
";

async fn balance(rails: impl Meets<BankPolicy>) -> Result<String, RunError> {
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("12 euros")) };
    let output = rails.guard_tool_call(ToolCallInputs::new("balance"), &mut RunContext::new("teller"), tool).await?;
    Ok(output.content)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", balance(TellerRails { kit: Kit::from_toml(POLICY)? }).await?);
    Ok(())
}
