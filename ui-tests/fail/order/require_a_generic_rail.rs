//! The message should say: `Limit` is generic: its instances cannot be told apart; require a chain with the one that is meant.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

struct Limit<T>(T);

#[rail(priority = 20)]
impl<T: Into<u32> + Copy + Send + Sync> Limit<T> {
    #[on(PreToolCall)]
    fn limit(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0.into(), "too many steps")
    }
}

rail_chain! {
    #[chain(require(Limit<u8> on PreToolCall))]
    struct MyRails { permission_check, limit: Limit<u8> }
}

fn main() {
    let _ = MyRails { limit: Limit(3) };
}
