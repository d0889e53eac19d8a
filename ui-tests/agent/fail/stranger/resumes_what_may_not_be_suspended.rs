//! The message should say: an agent cannot run an `Option<Box<SuspendedRun>>`, because the run may have failed for another reason:
//! take the run out first, `failed.suspended.ok_or("no rail has suspended the run")?`.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde_json::{Value, json};

#[rail(priority = 20, on = [PreToolCall], tool = "publish")]
fn editor(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("publish the article").with_data(&call.arguments);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("the editor refuses the article"),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "call": [{ "tool": "publish" }] }, { "say": "It is online." }]"#.parse()?;
    let publish = Tool::new("publish", "Publishes.", json!({}), |_: Value| async { Ok::<_, OperationError>("online") });
    let agent = Agent::builder("newsroom", model).tool(publish).rails(rail_chain![editor]).build();

    let mut failed = agent.run("Publish the article.").await.unwrap_err();
    if let Some(run) = &mut failed.suspended {
        let id = run.questions().next().ok_or("nobody asks")?.question.id();
        run.answer(&id, true)?;
    }
    let answer = agent.run(failed.suspended).await?; // <- here
    println!("{}", answer.text);
    Ok(())
}
