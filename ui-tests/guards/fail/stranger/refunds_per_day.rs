//! The message should say: `day` is not a scope. For a time write `within 1d`; after `per` comes `run`, `session`, `user`, `agent`
//! or `global`.
use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::sequence::{Sequence, sequence_rules};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Pays money back.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "refund", schema = json!({ "type": "object" }))]
struct Refund {
    order: u64,
    cents: u64,
}

tools! {
    struct DeskTools { refund: Refund }
}

rail_chain! {
    struct DeskRails { sequence: Sequence }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = sequence_rules! {
        tools = DeskTools;
        at most 1 refund same order;
        at most 3 refund per day; // <- here
    };
    let rails = DeskRails { sequence: Sequence::builder().rules(rules).build()? };
    let refund = Refund::tool(|args| async move { Ok::<_, OperationError>(format!("{} cents", args.cents)) });
    let call = ToolCallInputs::of(&Refund { order: 7, cents: 500 })?;
    println!("{}", rails.guard_tool_call(call, &mut RunContext::new("desk"), |call| refund.call(call)).await?.content);
    Ok(())
}
