//! The agent: a clerk who pays orders back after a person has approved it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use exo_rails::message::{Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, FileCheckpoints, Model};
use serde_json::{Value, json};

/// Asks a person before the tool pays money. The answer applies only to these arguments.
#[rail(priority = 20, on = [PreToolCall])]
fn approval(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    if call.tool_name != "refund" {
        return Ok(RailAction::Continue);
    }
    let question = ctx.question("approve the refund").with_data(&call.arguments);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("a person has refused the refund"),
    })
}

rail_chain! {
    pub(crate) struct ClerkRails { approval }
}

/// A model without a state: it reads everything from the conversation.
pub(crate) struct Clerk;

impl Model for Clerk {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let last = request.messages.last().ok_or("there is no message")?;
        if last.role == Role::Tool {
            return Ok(ModelResponse::text(format!("The money is on its way: {}.", last.text())));
        }
        let mut response = ModelResponse::default();
        response.message.role = Role::Assistant;
        response.message.tool_calls = vec![ToolCall::new("call-1", "refund", &json!({ "order": 7, "amount": 40 }))];
        Ok(response)
    }
}

/// Makes the agent, which saves its runs before and after each tool call.
pub(crate) fn agent(checkpoints: FileCheckpoints, directory: &Path) -> Agent<Clerk, ClerkRails> {
    let bank = bank(directory);
    let refund = Tool::new("refund", "Pays an order back.", json!({ "type": "object" }), move |call: Value| {
        let bank = bank.clone();
        async move {
            let mut bank = std::fs::OpenOptions::new().create(true).append(true).open(bank)?;
            writeln!(bank, "receipt for order {}", call["order"])?;
            println!("paid: order {}, and the bank takes its time to confirm it", call["order"]);
            tokio::time::sleep(Duration::from_mins(1)).await;
            Ok::<_, OperationError>(format!("receipt for order {}", call["order"]))
        }
    });
    Agent::builder("clerk", Clerk).tool(refund).rails(ClerkRails).checkpoints(checkpoints).build()
}

/// Returns the payments that have happened, even if the program was killed after them.
pub(crate) fn payments(directory: &Path) -> io::Result<Vec<String>> {
    Ok(std::fs::read_to_string(bank(directory))?.lines().map(str::to_owned).collect())
}

fn bank(directory: &Path) -> PathBuf {
    directory.join("payments")
}
