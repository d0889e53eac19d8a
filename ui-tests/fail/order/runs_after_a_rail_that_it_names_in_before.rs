//! The message should say: `normalize` must run before `audit_log`, but runs after it: the priorities are 95 and 90.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(priority = 95, on = [PreToolCall], before = [audit_log])]
fn normalize(call: &mut ToolCallInputs) {
    call.tool_name.make_ascii_lowercase();
}

rail_chain! {
    struct MyRails { normalize, audit_log }
}

fn main() {
    let _ = MyRails {};
}
