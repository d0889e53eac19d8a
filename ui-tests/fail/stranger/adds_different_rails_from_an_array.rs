//! A loop over the array `[depth_limit {}, buddy_check {}]` adds rails to a `RailManager`, but each rail has a type of its own. An
//! ideal message says that every rail is a type, and to call `add` once for each rail.

use exo_rails::prelude::*;

/// Recreational divers stay above 40 metres.
#[rail(priority = 10, on = [PreToolCall])]
fn depth_limit(call: &ToolCallInputs) -> RailAction {
    if call.arguments["metres"].as_u64() > Some(40) { RailAction::skip("that is too deep") } else { RailAction::Continue }
}

/// Nobody dives alone.
#[rail(priority = 20, on = [PreToolCall])]
fn buddy_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.str_argument("buddy").is_none(), "nobody dives alone")
}

fn dive_rails() -> Result<RailManager, exo_rails::DuplicateRail> {
    let mut manager = RailManager::new();
    for rail in [depth_limit {}, buddy_check {}] {
        manager.add(rail)?;
    }
    Ok(manager)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rails = dive_rails()?;
    let mut call = ToolCallInputs::new("plan_dive").with_arguments(serde_json::json!({ "metres": 18, "buddy": "Kim" }));
    assert!(rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("dives")).await?.is_continue());
    Ok(())
}
