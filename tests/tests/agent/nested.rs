//! Agents inside each other, and what a panic is to the calls beside it.

use std::error::Error;
use std::sync::{Arc, Weak};

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model, ScriptedModel};
use serde_json::{Value, json};
use tests::{AnyModel, asks_for, note, notes, rails, yields};

/// Asks for the tool `dive` whatever it reads.
struct Stubborn;

impl Model for Stubborn {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        Ok(asks_for(&["dive"]))
    }
}

/// An agent that is its own tool: in the run of the call, or in one that nothing connects with it.
fn diver(is_linked: bool) -> Arc<Agent<AnyModel>> {
    Arc::new_cyclic(|agent: &Weak<Agent<AnyModel>>| {
        let agent = agent.clone();
        let dive = Tool::with_permit("dive", "Runs the agent.", json!({ "type": "object" }), move |call| {
            let agent = agent.upgrade();
            async move {
                let agent = agent.ok_or("no agent")?;
                let run = async {
                    if is_linked { agent.run_in("go", &mut call.context()).await } else { agent.run("go").await }
                };
                Ok::<_, Box<dyn Error + Send + Sync>>(run.await?.text)
            }
        });
        tests::agent("diver", Stubborn).tool(dive).build()
    })
}

#[test]
fn an_agent_in_its_own_tool_ends_with_an_error() {
    for is_linked in [true, false] {
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async { diver(is_linked).run("go").await.unwrap_err() }).error
        };
        // As much as the threads of a runtime have.
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap();
        let RunError::TooDeep(limit) = thread.join().unwrap() else { panic!("another error") };
        assert_eq!(limit.to_string(), "at most 8 runs can be nested");
    }
}

#[rail(on = [PreToolCall])]
async fn panics(call: &ToolCallInputs) {
    yields(1).await;
    assert!(call.tool_name != "refused", "the rail");
}

#[tokio::test]
async fn the_panic_of_a_rail_waits_for_parallel_calls() {
    let script = r#"[{ "call": [{ "tool": "slow" }, { "tool": "refused" }] }, { "say": "done" }]"#;
    let tool = |name: &'static str| {
        Tool::with_permit(name, "Is slow.", json!({ "type": "object" }), move |call| async move {
            yields(5).await;
            note(call.scope(), format!("{name} has ended"));
            Ok::<_, OperationError>("done")
        })
    };
    let model: ScriptedModel = script.parse().unwrap();
    let agent = tests::agent("panics", model).tools(["slow", "refused"].map(tool)).rails(rails![panics]).build();
    let mut ctx = RunContext::new("panics");
    let panic = futures_util::FutureExt::catch_unwind(std::panic::AssertUnwindSafe(agent.run_in("go", &mut ctx))).await;
    assert!(panic.is_err());
    assert_eq!(notes(&ctx), ["slow has ended"]);
}

/// Waits for an approval that does not come.
#[rail(on = [PreToolCall])]
async fn approval(call: &ToolCallInputs) -> Verdict {
    match call.tool_name.as_str() {
        "refused" => Verdict::abort("refused"),
        _ => std::future::pending().await,
    }
}

#[tokio::test]
async fn an_abort_does_not_wait_for_the_rail_of_another_call() {
    let model: ScriptedModel = r#"[{ "call": [{ "tool": "asks" }, { "tool": "refused" }] }]"#.parse().unwrap();
    let tool = |name| Tool::new(name, "Does nothing.", json!({}), |_: Value| async { Ok::<_, OperationError>("done") });
    let agent = tests::agent("aborts", model).tools(["asks", "refused"].map(tool)).rails(rails![approval]).build();
    let error = agent.run("go").await.unwrap_err().error;
    assert!(matches!(error, RunError::Abort(_)), "{error}");
}
