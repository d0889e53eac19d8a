//! The message should say, on two lines: the chain lacks `permission_check`, and `audit_log` does not run last.

use exo_rails::prelude::*;
use exo_rails::chain_requirements;

#[rail(priority = 10, on = [PreToolCall, PostToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 80, on = [PreToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[rail(priority = 90, on = [PreToolCall])]
fn count(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

chain_requirements! {
    struct Company {
        require(permission_check on PreToolCall),
        require(permission_check on PostToolCall),
        last(audit_log on PreToolCall),
    }
}

rail_chain! {
    #[chain(requirements = Company)]
    struct MyRails { audit_log, count }
}

fn main() {
    let _ = MyRails {};
}
