//! The agent of the library, with a scripted model.

use exo_rails::message::Role;
use exo_rails::prelude::*;
use exo_rails_agent::ScriptedModel;
use tests::rails;

async fn run(script: &str) -> InvokeOutput {
    let model: ScriptedModel = script.parse().unwrap();
    tests::agent("scripted", model).build().run("hello").await.unwrap()
}

#[tokio::test]
async fn an_agent_without_tools_says_that_it_has_none() {
    let output = run(r#"[{ "call": [{ "tool": "search" }] }, { "say": "done" }]"#).await;
    let told = "The call of `search` failed: there is no tool `search`; there are none at all (not found)";
    assert_eq!(output.messages[2].text(), told);
}

#[tokio::test]
async fn each_call_of_a_script_has_a_different_id() {
    let script =
        r#"[{ "call": [{ "tool": "a", "id": "call_2" }, { "tool": "b" }, { "tool": "c" }] }, { "say": "done" }]"#;
    let output = run(script).await;
    let answers = output.messages.iter().filter(|message| message.role == Role::Tool);
    let ids: Vec<_> = answers.filter_map(|message| message.tool_call_id.as_deref()).collect();
    assert_eq!(ids, ["call_2", "call_2_2", "call_3"]);
}

#[rail(on = [Finished])]
fn once_more(ctx: &RailContext) -> RailAction {
    if ctx.attempt() == 0 { RailAction::retry(RetryRequest::new("too short")) } else { RailAction::Continue }
}

#[tokio::test]
async fn the_usage_of_a_run_counts_the_attempts_that_a_rail_refused() {
    let script = r#"[
        { "say": "a", "usage": { "total_tokens": 10 } },
        { "say": "the answer", "usage": { "total_tokens": 5 } }
    ]"#;
    let model: ScriptedModel = script.parse().unwrap();
    let agent = tests::agent("scripted", model).rails(rails![once_more]).build();
    let output = agent.run("hello").await.unwrap();
    assert_eq!((output.text.as_str(), output.usage.total_tokens), ("the answer", 15));
}
