//! The message should say: `spend` must run after `permission_check`, but runs before it: the priorities are 5 and 10.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(priority = 5, on = [PreToolCall], after = [permission_check])]
fn spend(ctx: &RailContext) {
    println!("{}", ctx.step());
}

rail_chain! {
    struct MyRails { permission_check, spend }
}

fn main() {
    let _ = MyRails {};
}
