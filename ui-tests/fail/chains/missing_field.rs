//! The message should say: (the compiler's own words) missing field `budget` of `MyRails`.

use exo_rails::prelude::*;

struct Budget {
    calls: usize,
}

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.len() > self.calls, "over budget")
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {
    let _ = Budget { calls: 3 };
    let _ = MyRails {};
}
