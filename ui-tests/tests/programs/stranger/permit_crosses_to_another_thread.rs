//! What it shows: a tool that moves its permit into `spawn_blocking`, checks it there, and fails with a boxed error through two
//! `?`.

use std::error::Error;

use exo_rails::prelude::*;
use serde_json::json;

#[rail(priority = 10, on = [PreToolCall])]
fn small_pictures(call: &mut ToolCallInputs) -> Verdict {
    let width = call.arguments["width"].as_u64().map(|width| width.min(800));
    match width {
        Some(width) => Verdict::abort_if(!call.set_argument("width", width), "the arguments have no names"),
        None => Verdict::Continue,
    }
}

async fn resize(call: Permit<ToolCallInputs>) -> Result<ToolOutput, Box<dyn Error + Send + Sync>> {
    let output = tokio::task::spawn_blocking(move || {
        call.ensure_open()?;
        let width = call.arguments["width"].as_u64().ok_or("the picture has no width")?;
        Ok::<_, OperationError>(format!("{width} pixels for {}", call.scope().agent()))
    });
    Ok(output.await??.into())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let (rails, mut ctx) = (rail_chain![small_pictures], RunContext::new("gallery"));
    let call = ToolCallInputs::new("resize").with_arguments(json!({ "width": 4_000 }));
    let output = rails.guard_tool_call(call, &mut ctx, resize).await?;
    assert_eq!(output.content, "800 pixels for gallery");
    let output = rails.guard_tool_call(ToolCallInputs::new("resize"), &mut ctx, resize).await?;
    assert!(output.is_error && output.content.contains("the picture has no width"));
    Ok(())
}
