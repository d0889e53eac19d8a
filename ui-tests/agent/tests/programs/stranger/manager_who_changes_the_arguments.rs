//! What it shows: an own rail suspends a run, reads a typed answer from an enum, and changes the arguments in another agent.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize)]
#[serde(tag = "says", rename_all = "snake_case")]
enum Manager {
    Yes,
    AtMost { percent: u8 },
    No { reason: String },
}

#[rail(priority = 20, on = [PreToolCall], tool = "discount")]
fn ask_the_manager(call: &mut ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("grant the discount").with_data(&call.arguments);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(Manager::Yes) => RailAction::Continue,
        Some(Manager::AtMost { percent }) => {
            let granted = call.arguments["percent"].as_u64().unwrap_or(0).min(percent.into());
            let _ = call.set_argument("percent", granted);
            RailAction::Continue
        }
        Some(Manager::No { reason }) => RailAction::skip(reason),
    })
}

rail_chain! {
    struct ShopRails { ask_the_manager }
}

fn agent(script: &str) -> Result<Agent<ScriptedModel, ShopRails>, exo_rails_agent::ScriptError> {
    let discount = Tool::new("discount", "Grants a discount.", json!({ "type": "object" }), |args: Value| async move {
        Ok::<_, OperationError>(format!("{} percent", args["percent"]))
    });
    Ok(Agent::builder("shop", script.parse::<ScriptedModel>()?).tool(discount).rails(ShopRails).build())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let script = r#"[{ "call": [{ "tool": "discount", "arguments": { "percent": 40 } }] }]"#;
    for (reply, output) in [
        (Manager::AtMost { percent: 5 }, "5 percent"),
        (Manager::Yes, "40 percent"),
        (Manager::No { reason: "not on Sundays".to_owned() }, "not on Sundays"),
    ] {
        let mut run = agent(script)?.run("Make it cheaper!").await.unwrap_err().suspended.ok_or("nobody asks")?;
        let id = run.questions().next().ok_or("there is no question")?.question.id();
        run.answer(&id, serde_json::to_value(&reply)?)?;
        let answer = agent(r#"[{ "say": "Done." }]"#)?.run(run).await?;
        assert!(answer.messages[2].text().ends_with(output), "{}", answer.messages[2].text());
    }
    Ok(())
}
