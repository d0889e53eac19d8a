//! What it shows: an own `Ask` in an `Arc`, written as an `async fn`.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, Reply};
use exo_rails_guards::{Approval, config};

/// Calls the person who is on duty.
#[derive(Debug)]
struct Pager {
    on_duty: String,
}

impl Ask for Pager {
    async fn ask(&self, request: &ApprovalRequest, _ctx: &mut RailContext) -> Result<Answer, AskError> {
        println!("{}, please look at {request}", self.on_duty);
        Ok(Answer::Now(Reply::deny("nobody is awake")))
    }
}

rail_chain! {
    struct OpsRails { approval: Approval }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pager = Arc::new(Pager { on_duty: "Grace".to_owned() });
    let rails = OpsRails { approval: Approval::new(config::from_toml("[[rules]]\ntool = 'restart_*'")?)?.with_asker(pager) };
    let restart = |_| async { Ok::<_, OperationError>(ToolOutput::text("restarted")) };
    let call = ToolCallInputs::new("restart_database");
    println!("{}", rails.guard_tool_call(call, &mut RunContext::new("ops"), restart).await?.content);
    Ok(())
}
