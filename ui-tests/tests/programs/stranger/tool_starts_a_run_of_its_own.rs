//! A tool starts a run of another agent in the context of its permit, and both share the values of the run.

use exo_rails::prelude::*;
use serde_json::json;

/// The names of all tools that have worked in a run.
#[derive(Clone, Default)]
struct Trail(Vec<String>);

#[rail(priority = 90, on = [PreToolCall])]
fn remember(call: &ToolCallInputs, ctx: &RailContext) {
    ctx.run.update(|trail: &mut Trail| trail.0.push(call.tool_name.clone()));
}

#[rail(priority = 10, on = [Start])]
fn short_topics(run: &InvokeInputs) -> Verdict {
    Verdict::abort_if(run.input.text().len() > 40, "the topic is too long")
}

rail_chain! { struct EditorRails { remember } }

rail_chain! { struct ResearcherRails { short_topics, remember } }

async fn find(call: Permit<ToolCallInputs>) -> Result<String, OperationError> {
    Ok(format!("{} sources", call.str_argument("topic").map_or(0, str::len)))
}

/// The other agent.
async fn researcher(run: Permit<InvokeInputs>) -> Result<String, RunError> {
    let call = ToolCallInputs::new("find").with_arguments(json!({ "topic": run.input.text() }));
    Ok(ResearcherRails.guard_tool_call(call, &mut run.context(), find).await?.content)
}

async fn research(call: Permit<ToolCallInputs>) -> Result<String, RunError> {
    let topic = call.str_argument("topic").unwrap_or("nothing");
    let answer = ResearcherRails.guard_run(topic, &mut call.context(), researcher).await?;
    Ok(format!("the researcher says: {}", answer.text))
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("editor");
    let of = |topic: &str| ToolCallInputs::new("research").with_arguments(json!({ "topic": topic }));
    let output = EditorRails.guard_tool_call(of("tides"), &mut ctx, research).await?;
    assert_eq!(output.content, "the researcher says: 5 sources");
    let output = EditorRails.guard_tool_call(of(&"long ".repeat(20)), &mut ctx, research).await?;
    assert!(output.content.contains("the topic is too long"));
    assert_eq!(ctx.run.get::<Trail>().unwrap_or_default().0, ["research", "find", "research"]);
    Ok(())
}
