//! The message should say: the chain lacks `permission_check`, which `Company` requires on `PreToolCall`.

use exo_rails::prelude::*;
use exo_rails::chain_requirements;

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit_log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

chain_requirements! {
    struct Company {
        require(permission_check on PreToolCall),
        last(audit_log on PreToolCall),
    }
}

rail_chain! {
    #[chain(requirements = Company)]
    struct MyRails { audit_log }
}

fn main() {
    let _ = MyRails {};
}
