//! The message should say: `audit_log` must run last at `PostToolCall`, but `redact` does: the priorities are 90 and 95.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(priority = 95, on = [PostToolCall])]
fn redact(output: &mut ToolOutput) {
    output.content.clear();
}

rail_chain! {
    #[chain(last(audit_log on PostToolCall))]
    struct MyRails { audit_log, redact }
}

fn main() {
    let _ = MyRails {};
}
