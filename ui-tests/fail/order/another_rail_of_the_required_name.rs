//! The message should say: the `permissions` that the chain lists is another rail, and where both are declared.

use exo_rails::prelude::*;

mod company {
    use exo_rails::prelude::*;

    #[rail(priority = 10, on = [PreToolCall])]
    pub fn permissions(call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
    }

    exo_rails::chain_requirements! {
        pub struct Company { require(permissions on PreToolCall) }
    }
}

#[rail(priority = 10, on = [PreToolCall])]
fn permissions() {}

rail_chain! {
    #[chain(requirements = company::Company)]
    struct MyRails { permissions }
}

fn main() {
    let _ = MyRails {};
}
