//! The message should say: `bool` is not a reply to a request: write `Reply::ApproveOnce`, or `Reply::deny("…")`. A question of
//! the model takes a `UserAnswer`.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::approval::Desk;
use exo_rails_guards::{Approval, config};

rail_chain! {
    struct ShopRails { approval: Approval }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let desk = Desk::new();
    let approval = Approval::new(config::from_toml("[[rules]]\ntool = 'order'")?)?.with_asker(Arc::new(desk.clone()));
    let rails = ShopRails { approval };

    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        while let Some(pending) = front_end.next().await {
            let is_cheap = pending.approval().is_some_and(|request| request.arguments["euros"].as_u64() < Some(20));
            if let Err(error) = pending.reply(is_cheap) { // <- here
                eprintln!("too late: {error}");
            }
        }
    });
    let order = |_| async { Ok::<_, OperationError>(ToolOutput::text("ordered")) };
    let output = rails.guard_tool_call(ToolCallInputs::new("order"), &mut RunContext::new("shop"), order).await?;
    println!("{}", output.content);
    Ok(())
}
