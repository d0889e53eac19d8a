//! Runs a scripted agent, and prints the run as a tree of spans with their fields.
//!
//! A small layer of `tracing-subscriber` draws the tree. Your program can use any other layer for spans instead, such as
//! `tracing-opentelemetry`.

mod rails;
mod tree;

use std::error::Error;

use exo_rails::RunError;
use exo_rails::prelude::*;
use exo_rails_agent::Session;
use exo_rails_agent::{Agent, ScriptedModel};
use serde_json::{Value, json};
use tracing_subscriber::prelude::*;

use rails::SupportRails;
use tree::Tree;

/// The script of the model. The model asks for two tools in one answer, fails once, gives an answer that a rail refuses,
/// and then a better one.
const SCRIPT: &str = r#"[
    { "call": [
        { "tool": "find_order", "arguments": { "order": 7 } },
        { "tool": "refund", "arguments": { "order": 7, "amount": 40 } }
    ], "usage": { "prompt_tokens": 120, "completion_tokens": 24 } },
    { "fail": { "kind": "rate_limited", "message": "slow down", "status": 429 } },
    { "say": "Order 7 is lost, sorry!!!", "usage": { "prompt_tokens": 170, "completion_tokens": 9 } },
    { "say": "Order 7 is late; a colleague looks into the refund.", "usage": { "prompt_tokens": 170, "completion_tokens": 14 } },
    { "call": [{ "tool": "delete_order", "arguments": { "order": 7 } }], "usage": { "prompt_tokens": 230, "completion_tokens": 11 } }
]"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let tree = Tree::default();
    tracing_subscriber::registry().with(tree.clone()).init();

    let model: ScriptedModel = SCRIPT.parse()?;
    let agent = Agent::builder("support", model)
        .tools([tool("find_order", "on its way since Monday"), tool("refund", "paid"), tool("delete_order", "gone")])
        .rails(SupportRails {})
        .build();
    let mut session = Session::start(&agent, "chat-1").await?;
    // Names that do not change, so that the tree is always the same. By default, they are random.
    let run = |name: &str| RunContext::new("support").with_run_id(name);
    session.run_in("Where is order 7?", &mut run("run-1")).await?;
    // A rail stops the second run.
    match session.run_in("Then delete it.", &mut run("run-2")).await {
        Err(failed) if matches!(failed.error, RunError::Abort(_)) => {}
        other => return Err(format!("the run was not stopped: {other:?}").into()),
    }
    session.end().await;

    print!("{}", tree.draw());
    Ok(())
}

fn tool(name: &str, result: &'static str) -> Tool {
    let run = move |_: Value| async move { Ok::<_, OperationError>(result) };
    Tool::new(name, "Works on an order.", json!({ "type": "object" }), run)
}
