//! A generic function moves an `Arc<R>` into `tokio::spawn`, and its bound is only `R: GuardSet`. An ideal message says that `R` may
//! borrow, and to write `R: GuardSet + 'static`.

use std::sync::Arc;

use exo_rails::prelude::*;

/// Forklifts carry at most two tons.
#[rail(priority = 10, on = [PreToolCall])]
fn not_too_heavy(call: &ToolCallInputs) -> RailAction {
    match call.arguments["kilos"].as_u64() {
        Some(kilos) if kilos <= 2_000 => RailAction::Continue,
        _ => RailAction::skip("a forklift carries at most two tons"),
    }
}

async fn move_pallet(call: Permit<ToolCallInputs>) -> Result<String, OperationError> {
    Ok(format!("moved {} kilos", call.arguments["kilos"]))
}

async fn move_all<R: GuardSet>(rails: Arc<R>, calls: Vec<ToolCallInputs>) -> Vec<String> {
    let mut tasks = Vec::new();
    for call in calls {
        let rails = Arc::clone(&rails);
        let mut ctx = RunContext::new("warehouse");
        tasks.push(tokio::spawn(async move { rails.guard_tool_call(call, &mut ctx, move_pallet).await }));
    }
    let mut outputs = Vec::new();
    for task in tasks {
        if let Ok(Ok(output)) = task.await {
            outputs.push(output.content);
        }
    }
    outputs
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let call = ToolCallInputs::new("move_pallet").with_arguments(serde_json::json!({ "kilos": 800 }));
    println!("{:?}", move_all(Arc::new(rail_chain![not_too_heavy]), vec![call]).await);
}
