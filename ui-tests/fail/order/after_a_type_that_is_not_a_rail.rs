//! The message should say: `String` is not a rail.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(priority = 20, on = [PreToolCall], after = [String])]
fn spend(ctx: &RailContext) {
    println!("{}", ctx.step());
}

rail_chain! {
    struct MyRails { spend }
}

fn main() {
    let _ = MyRails {};
}
