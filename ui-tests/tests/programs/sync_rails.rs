//! Rails without `async`: functions, methods, associated functions, `const fn`.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard(call: &mut ToolCallInputs, ctx: &RailContext) -> Result<RailAction<ToolOutput>, std::io::Error> {
    call.tool_name.push_str(&ctx.step().to_string());
    Ok(RailAction::skip_with(ToolOutput::text("cached"), "cached"))
}

#[rail(on = [PreToolCall])]
const fn nothing(_: &ToolCallInputs) -> Verdict {
    Verdict::Continue
}

struct Budget;

#[rail]
impl Budget {
    #[on(PreToolCall)]
    fn before(&self, _: &ToolCallInputs) -> Verdict {
        Self::check()
    }

    #[on(Start)]
    fn start(_: &InvokeInputs) -> Verdict {
        Self::check()
    }

    fn check() -> Verdict {
        Verdict::Continue
    }
}

rail_chain! {
    struct Guards { guard, nothing, budget: Budget }
}

#[tokio::test]
async fn compiles_and_runs() -> Result<(), RailFault> {
    // The functions are still functions.
    let call = &mut ToolCallInputs::new("search");
    assert!(guard(call, &RunContext::new("demo")).is_ok());
    assert_eq!(nothing(call), Verdict::Continue);

    let decision = Guards { budget: Budget }.dispatch::<PreToolCall>(call, &mut RunContext::new("demo")).await?;
    assert!(!decision.is_continue());
    Ok(())
}
