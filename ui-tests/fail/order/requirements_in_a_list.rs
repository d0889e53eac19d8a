//! The message should say: write `requirements = Company, requirements = Team`.

use exo_rails::{chain_requirements, prelude::*};

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

chain_requirements! {
    struct Company {
        require(guard on PreToolCall),
    }
}

chain_requirements! {
    struct Team {
        first(guard on PreToolCall),
    }
}

rail_chain! {
    #[chain(requirements = [Company, Team])]
    struct Guards {
        guard,
    }
}

fn main() {
    let _ = Guards;
}
