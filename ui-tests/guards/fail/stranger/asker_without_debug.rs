//! The message should say: a type that asks people can be printed, because guards that hold it can be: write
//! `#[derive(Debug)]` above `NightWatch`.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, Reply};

/// Lets small jobs pass at night.
struct NightWatch {
    largest_job: u64,
}

impl Ask for NightWatch { // <- here
    async fn ask(&self, request: &ApprovalRequest, _ctx: &mut RailContext) -> Result<Answer, AskError> {
        let is_small = request.arguments["pages"].as_u64().is_some_and(|pages| pages <= self.largest_job);
        Ok(Answer::Now(if is_small { Reply::ApproveOnce } else { Reply::deny("print it in the morning") }))
    }
}

const POLICY: &str = "
[approval]
rules = [{ tool = 'print', because = 'paper is expensive' }]
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kit = Kit::builder().asker(Arc::new(NightWatch { largest_job: 10 })).from_toml(POLICY)?;
    let print = |_| async { Ok::<_, OperationError>(ToolOutput::text("printed")) };
    let output = kit.guard_tool_call(ToolCallInputs::new("print"), &mut RunContext::new("printer"), print).await?;
    println!("{}", output.content);
    Ok(())
}
