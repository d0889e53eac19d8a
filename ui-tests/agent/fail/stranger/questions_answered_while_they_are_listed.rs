//! The loop answers the questions of a suspended run while it iterates over them, so the run is borrowed twice. An ideal message
//! would say that `questions()` borrows the run, and to collect the ids of the questions first.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde_json::{Value, json};

#[rail(priority = 20, on = [PreToolCall], tool = "sell_animal")]
fn farmer_agrees(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("may the animal go?").with_data(&call.arguments);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("the farmer keeps the animal"),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[
        { "call": [
            { "tool": "sell_animal", "arguments": { "ear_tag": 12 } },
            { "tool": "sell_animal", "arguments": { "ear_tag": 13 } }
        ] },
        { "say": "Both are on the list." }
    ]"#
    .parse()?;
    let sell = Tool::new("sell_animal", "Sells an animal.", json!({ "type": "object" }), |_: Value| async {
        Ok::<_, OperationError>("sold")
    });
    let agent = Agent::builder("farm", model).tool(sell).rails(rail_chain![farmer_agrees]).build();

    let failed = agent.run("Which cows do we sell in May?").await.unwrap_err();
    let mut suspended = failed.suspended.ok_or("nobody was asked")?;
    for open in suspended.questions() {
        println!("{}: {}", open.question.text, open.question.data);
        suspended.answer(&open.question.id(), true)?;
    }
    println!("{}", agent.run(suspended).await?.text);
    Ok(())
}
