//! A generic function spawns a task for each tool call. The rail counts in an `Arc` that the program keeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails::prelude::*;
use tokio::task::{JoinSet, yield_now};

#[derive(Default)]
struct Seen(AtomicUsize);

#[rail(priority = 90)]
impl Seen {
    #[on(PreToolCall, always)]
    fn count(&self, _: &ToolCallInputs) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[rail(priority = 10, on = [PreToolCall])]
async fn no_harbour(call: &ToolCallInputs) -> RailAction {
    yield_now().await;
    if call.tool_name == "harbour" { RailAction::skip("the harbour is closed") } else { RailAction::Continue }
}

rail_chain! { struct FerryRails { no_harbour, seen: Arc<Seen> } }

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<String, OperationError> {
    yield_now().await;
    Ok(format!("{} is free", call.tool_name))
}

async fn run_all<R: GuardSet + 'static>(rails: Arc<R>, names: &[&str]) -> Result<Vec<ToolOutput>, RunError> {
    let (ctx, mut tasks) = (RunContext::new("ferry"), JoinSet::new());
    for (&name, number) in names.iter().zip(0..) {
        let (rails, mut ctx) = (Arc::clone(&rails), ctx.child().with_call_number(number));
        let call = ToolCallInputs::new(name);
        tasks.spawn(async move { rails.guard_tool_call(call, &mut ctx, run_tool).await });
    }
    tasks.join_all().await.into_iter().collect()
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let seen = Arc::new(Seen::default());
    let outputs = run_all(Arc::new(FerryRails { seen: seen.clone() }), &["pier", "harbour", "dock"]).await?;
    assert_eq!(outputs.iter().filter(|output| output.content.ends_with("is free")).count(), 2);
    assert_eq!(seen.0.load(Ordering::Relaxed), 3);
    Ok(())
}
