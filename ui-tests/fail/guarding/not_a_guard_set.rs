//! The message should say: `String` is not a guard set; guard sets are chains, `RailManager`, `HookManager` and `NoRails`.

use exo_rails::prelude::*;

async fn run_agent(rails: impl GuardSet) -> Result<InvokeOutput, RunError> {
    let work = |_| async { Ok::<_, RunError>(InvokeOutput::text("done")) };
    rails.guard_run("hello", &mut RunContext::new("demo"), work).await
}

fn main() {
    let _ = run_agent(String::from("none"));
}
