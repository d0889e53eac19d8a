//! The message should say: `guard` is not a guard set: list it in `rail_chain![guard]`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort(call.tool_name.clone())
}

async fn run_agent(rails: impl GuardSet) -> Result<InvokeOutput, RunError> {
    let work = |_| async { Ok::<_, RunError>(InvokeOutput::text("done")) };
    rails.guard_run("hello", &mut RunContext::new("demo"), work).await
}

fn main() {
    let _ = run_agent(guard {});
}
