//! The counts of runs that have ended.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use exo_rails_guards::store::MemoryStore;

const POLICY: &str = "[[budgets]]\nlimits = [{ name = 'calls', of = 'tool_calls', most = 2 }]";

/// Calls a tool so many times in a run. Returns how many calls have run.
async fn run(rails: &impl GuardSet, calls: u32) -> Result<u32, RunError> {
    let ran = std::sync::atomic::AtomicU32::new(0);
    let body = async |permit: Permit<InvokeInputs>| {
        let mut ctx = permit.context();
        for _ in 0..calls {
            let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
            let output = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
            if output.content == "done" {
                ran.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        }
        Ok::<_, RunError>(InvokeOutput::text("done"))
    };
    rails.guard_run("Search.", &mut RunContext::new("desk"), body).await?;
    Ok(ran.into_inner())
}

#[tokio::test]
async fn runs_that_have_ended_do_not_fill_the_store() {
    let store = Arc::new(MemoryStore::new().max_items(20));
    let kit = Kit::builder().store(store).from_toml(POLICY).unwrap();
    for _ in 0..200 {
        assert_eq!(run(&kit, 3).await.unwrap(), 2);
    }
}

#[rail(priority = 90, on = [Finished])]
fn once_more(ctx: &RailContext) -> RailAction {
    if ctx.attempt() == 0 { RailAction::retry("again") } else { RailAction::Continue }
}

rail_chain! { struct Again { kit: Kit, once_more } }

#[tokio::test]
async fn a_run_that_is_tried_again_keeps_its_counts() {
    let kit = Kit::builder().store(MemoryStore::new()).from_toml(POLICY).unwrap();
    assert_eq!(run(&Again { kit }, 2).await.unwrap(), 2);
}
