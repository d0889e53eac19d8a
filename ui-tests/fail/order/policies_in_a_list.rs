//! The message should say: write `policy = Company, policy = Team`.

use exo_rails::{chain_policy, prelude::*};

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

chain_policy! {
    struct Company {
        require(guard on PreToolCall),
    }
}

chain_policy! {
    struct Team {
        first(guard on PreToolCall),
    }
}

rail_chain! {
    #[chain(policy = [Company, Team])]
    struct Guards {
        guard,
    }
}

fn main() {
    let _ = Guards;
}
