//! What it shows: an own `Ask`, written as an `async fn`.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, Reply};

const POLICY: &str = "[approval]\nrules = [{ tool = 'blast', because = 'the foreman clears the pit first' }]";

/// The foreman of a quarry.
#[derive(Debug)]
struct Foreman;

impl Ask for Foreman {
    async fn ask(&self, request: &ApprovalRequest, _ctx: &mut RailContext) -> Result<Answer, AskError> {
        println!("{request}");
        Ok(Answer::Now(Reply::deny("people are in the pit")))
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kit = Kit::builder().asker(Arc::new(Foreman)).from_toml(POLICY)?;
    let blast = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("boom");
    let output = kit.guard_tool_call(ToolCallInputs::new("blast"), &mut RunContext::new("quarry"), blast).await?;
    println!("{}", output.content);
    Ok(())
}
