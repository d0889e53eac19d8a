//! The message should say, at the struct: write `#[rail]` above the block `impl Limit`; once.

use exo_rails::prelude::*;

#[rail(priority = 10)]
struct Limit(u32);

impl Limit {
    #[on(PreToolCall)]
    fn check(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0, "too many steps")
    }
}

rail_chain! {
    struct Rails { limit: Limit }
}

async fn act(rails: &Rails, ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
    rails.guard_tool_call(ToolCallInputs::new("search"), ctx, async |_| Ok::<_, OperationError>("found")).await
}

fn main() {
    let _ = act(&Rails { limit: Limit(3) }, &mut RunContext::new("desk"));
}
