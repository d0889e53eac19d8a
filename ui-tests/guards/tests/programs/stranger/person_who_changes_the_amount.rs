//! What it shows: runs of a shared agent in tasks wait at one desk with two front ends, and a person approves, changes or denies.
use std::sync::Arc;

use exo_rails::message::{Message, Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};
use exo_rails_guards::approval::{ChangedCalls, Desk, FrontEnd, Reply};
use exo_rails_guards::{Approval, config};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Pays an amount.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "pay", schema = json!({ "type": "object" }))]
struct Pay {
    cents: u64,
}

/// Pays what the user writes, and then repeats the output.
struct Clerk;

impl Model for Clerk {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let last = request.messages.last().ok_or("there is no message")?;
        if last.role == Role::Tool {
            return Ok(ModelResponse::text(last.text()));
        }
        let cents: u64 = last.text().parse().map_err(|_| "this is not an amount")?;
        let call = ToolCall::new("call-1", Pay::NAME, &json!({ "cents": cents }));
        let message = Message { tool_calls: vec![call], ..Message::assistant("") };
        Ok(ModelResponse { message, ..ModelResponse::default() })
    }
}

rail_chain! {
    struct BankRails { changed_calls: ChangedCalls, approval: Approval }
}

async fn person(mut front_end: FrontEnd) {
    while let Some(pending) = front_end.next().await {
        let Some(request) = pending.approval() else { continue };
        let reply = match serde_json::from_value(request.arguments.clone()) {
            Ok(Pay { cents: ..=100 }) => Reply::ApproveOnce,
            Ok(Pay { cents: ..=1_000 }) => Reply::Change { arguments: json!(Pay { cents: 100 }) },
            Ok(_) => Reply::deny("this is too much"),
            Err(error) => Reply::deny(error.to_string()),
        };
        pending.reply(reply).expect("the run waits");
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let desk = Desk::new();
    let people = [desk.front_end(), desk.front_end()].map(|front_end| tokio::spawn(person(front_end)));
    let approval = Approval::new(config::from_toml("[[rules]]\ntool = 'pay'")?)?.with_asker(Arc::new(desk));
    let pay = Pay::tool(|args| async move { Ok::<_, OperationError>(format!("paid {}", args.cents)) });
    let rails = BankRails { changed_calls: ChangedCalls, approval };
    let agent = Arc::new(Agent::builder("bank", Clerk).tool(pay).rails(rails).build());

    let runs = ["50", "500", "5000"].map(|amount| {
        let agent = Arc::clone(&agent);
        tokio::spawn(async move { agent.run(amount).await })
    });
    for (run, end) in runs.into_iter().zip(["paid 50", "paid 100", "this is too much"]) {
        let answer = run.await??;
        assert!(answer.text.ends_with(end), "{}", answer.text);
    }
    drop(agent);
    for person in people {
        person.await?;
    }
    Ok(())
}
