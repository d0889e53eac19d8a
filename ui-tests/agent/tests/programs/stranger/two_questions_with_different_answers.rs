//! A rail asks about two calls of one answer. The program collects the ids, answers each question, and resumes the run.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde_json::{Value, json};

/// An engineer must agree before a valve opens.
#[rail(priority = 20, on = [PreToolCall], tool = "open_valve")]
fn engineer_agrees(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("may the valve open?").with_data(&call.arguments);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("the engineer has refused"),
    })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[
        { "call": [
            { "tool": "open_valve", "arguments": { "valve": 1 } },
            { "tool": "open_valve", "arguments": { "valve": 2 } }
        ] },
        { "say": "One valve is open." }
    ]"#
    .parse()?;
    let open_valve = Tool::new("open_valve", "Opens a valve.", json!({ "type": "object" }), |args: Value| async move {
        Ok::<_, OperationError>(format!("valve {} is open", args["valve"]))
    });
    let agent = Agent::builder("waterworks", model).tool(open_valve).rails(rail_chain![engineer_agrees]).build();

    let failed = agent.run("Fill the basin.").await.unwrap_err();
    let mut suspended = failed.suspended.ok_or("nobody was asked")?;
    let asked: Vec<_> = suspended.questions().map(|open| (open.question.id(), open.question.data["valve"] == 1)).collect();
    assert_eq!(asked.len(), 2);
    for (id, agrees) in &asked {
        suspended.answer(id, *agrees)?;
    }
    let answer = agent.run(suspended).await?;
    assert_eq!(answer.messages[2].text(), "valve 1 is open");
    assert!(answer.messages[3].text().ends_with("the engineer has refused"));
    Ok(())
}
