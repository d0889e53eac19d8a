//! The test calls `testing::at(&rails, call)` without the event, because only one event carries this payload. An ideal message says
//! to name the event: `testing::at::<PreToolCall>(&rails, call)`.

use exo_rails::prelude::*;
use exo_rails::testing;

/// The level of the lake may change by 20 centimetres at once.
#[rail(priority = 10, on = [PreToolCall])]
fn small_steps(call: &ToolCallInputs) -> RailAction {
    match call.arguments["centimetres"].as_i64() {
        Some(-20..=20) => RailAction::Continue,
        _ => RailAction::skip("change the level in small steps"),
    }
}

/// The lock is operated by hand.
#[rail(priority = 20, on = [PreToolCall, PostToolCall])]
fn log(call: &ToolCallInputs, ctx: &RailContext) {
    println!("{} {}", ctx.event(), call.tool_name);
}

rail_chain! {
    struct DamRails { small_steps, log }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let call = |centimetres: i64| {
        ToolCallInputs::new("set_level").with_arguments(serde_json::json!({ "centimetres": centimetres }))
    };
    let small = testing::at(&DamRails, call(5)).await;
    small.assert_continued();
    let large = testing::at(&DamRails, call(-90)).await;
    large.assert_skipped("small steps").assert_by("small_steps");
}
