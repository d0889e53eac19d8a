//! What it shows: a desk that the program and a guard share, without an `Arc`.
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::approval::{Desk, Reply};
use exo_rails_guards::risk::RiskScore;
use exo_rails_guards::config;

rail_chain! {
    struct ReleaseRails { risk: RiskScore }
}

const RISK: &str = "threshold = 40\n[tools.deploy]\ndangerous = true";

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let desk = Desk::new().with_timeout(Duration::from_secs(30));
    let risk = RiskScore::new(config::from_toml(RISK)?)?
        .with_asker(desk.clone());
    let rails = ReleaseRails { risk };

    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        while let Some(pending) = front_end.next().await {
            let _ = pending.reply(Reply::ApproveOnce);
        }
    });
    let deploy = |_| async { Ok::<_, OperationError>(ToolOutput::text("deployed")) };
    let output = rails.guard_tool_call(ToolCallInputs::new("deploy"), &mut RunContext::new("release"), deploy).await?;
    println!("{}", output.content);
    Ok(())
}
