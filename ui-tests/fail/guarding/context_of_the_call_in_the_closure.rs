//! The message should say: take the context from the permit.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

async fn answer(ctx: &mut RunContext) -> Result<InvokeOutput, RunError> {
    let rails = rail_chain![log];
    rails
        .guard_run("hi", ctx, async |_run| {
            let call = ToolCallInputs::new("search");
            let output = rails.guard_tool_call(call, ctx, async |_| Ok::<_, OperationError>("x")).await?;
            Ok::<_, RunError>(output.content)
        })
        .await
}

fn main() {
    let _ = answer(&mut RunContext::new("demo"));
}
