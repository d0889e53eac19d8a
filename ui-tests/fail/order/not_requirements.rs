//! The message should say: `audit_log` is not a set of requirements.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    #[chain(requirements = audit_log)]
    struct MyRails { permission_check, audit_log }
}

fn main() {
    let _ = MyRails {};
}
