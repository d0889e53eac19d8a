//! `tools` of a `BudgetLimit` gets texts, and it takes `ToolPattern`s. An ideal message would say that a text becomes a pattern
//! with `"send_*".parse()?` or `ToolPattern::new("send_*")?`.

use exo_rails::prelude::*;
use exo_rails_guards::budgets::{BudgetLimit, Measure, Window};
use exo_rails_guards::{Budgets, ConfigError};

rail_chain! {
    struct OfficeRails { budgets: Budgets }
}

/// The office sends at most three letters an hour.
fn office_rails() -> Result<OfficeRails, ConfigError> {
    let letters = BudgetLimit::new("letters", Measure::ToolCalls, 3)
        .window(Window::Hour)
        .tools(["send_*", "print_letter"]);
    Ok(OfficeRails { budgets: Budgets::builder().limits([letters]).build()? })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (rails, mut ctx) = (office_rails()?, RunContext::new("town-hall"));
    let send = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("sent");
    let output = rails.guard_tool_call(ToolCallInputs::new("send_reminder"), &mut ctx, send).await?;
    println!("{}", output.content);
    Ok(())
}
