//! The message should say: `greet` and `audit_log` have no event in common.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(on = [Start])]
fn greet(run: &InvokeInputs) {
    println!("{}", run.input.text());
}

rail_chain! {
    #[chain(before(greet, audit_log))]
    struct MyRails { greet, audit_log }
}

fn main() {
    let _ = MyRails {};
}
