//! What it shows: methods of one rail with options of their own for two typed tools of a set, and the set running the call.

use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Moves money.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "transfer", schema = json!({ "type": "object" }))]
struct Transfer {
    to: String,
    cents: u64,
}

/// Lists the last bookings.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "statement", schema = json!({ "type": "object" }))]
struct Statement {
    days: u32,
}

tools! {
    struct BankTools { transfer: Transfer, statement: Statement }
}

struct Customer {
    name: String,
    most: u64,
}

#[rail(priority = 20, tools = BankTools)]
impl Customer {
    #[on(PreToolCall, on_fault = "skip")]
    fn limit(&self, args: &mut Args<Transfer>, ctx: &RailContext) -> RailAction {
        args.cents = args.cents.min(self.most);
        if args.to == self.name {
            return RailAction::skip(format!("{} sends money to itself in run {}", self.name, ctx.run_id()));
        }
        RailAction::Continue
    }

    #[on(PostToolCall)]
    fn greet(&self, output: &mut ToolOutput, args: &Args<Statement>) {
        output.content = format!("{}, {} days: {}", self.name, args.days, output.content);
    }

    #[on(ToolError, tool = Transfer::NAME)]
    fn sorry(&self, error: &OperationError) -> RailAction<ToolOutput> {
        RailAction::skip_with(ToolOutput::error(format!("sorry, {}", error.message)), "the bank is closed")
    }
}

rail_chain! {
    #[chain(tools = BankTools)]
    struct BankRails { customer: Customer }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = BankTools {
        transfer: Transfer::tool(|args| async move {
            if args.to == "Cy" { Err("Cy is on holiday") } else { Ok(format!("{} gets {}", args.to, args.cents)) }
        }),
        statement: Statement::tool(|_| async { Ok::<_, OperationError>("nothing") }),
    };
    let rails = BankRails { customer: Customer { name: "Ada".to_owned(), most: 500 } };
    let mut ctx = RunContext::new("bank").with_run_id("r-9");
    let transfer = |to: &str| ToolCallInputs::of(&Transfer { to: to.to_owned(), cents: 900 });
    let calls = [
        (transfer("Bo")?, "Bo gets 500"),
        (transfer("Ada")?, "Ada sends money to itself in run r-9"),
        (transfer("Cy")?, "sorry, Cy is on holiday"),
        (ToolCallInputs::of(&Statement { days: 3 })?, "Ada, 3 days: nothing"),
    ];
    for (call, expected) in calls {
        let output = rails.guard_tool_call(call, &mut ctx, |call| tools.call(call)).await?;
        assert!(output.content.ends_with(expected), "{}", output.content);
    }
    Ok(())
}
