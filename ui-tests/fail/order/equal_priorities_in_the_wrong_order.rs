//! The message should say: `spend` must run after `permission_check`: both have priority 10, so list it behind.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(priority = 10, on = [PreToolCall], after = [permission_check])]
fn spend(ctx: &RailContext) {
    println!("{}", ctx.step());
}

rail_chain! {
    struct MyRails { spend, permission_check }
}

fn main() {
    let _ = MyRails {};
}
