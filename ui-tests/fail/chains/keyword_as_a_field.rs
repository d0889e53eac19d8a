//! The message should say: `loop` is a keyword: write `r#loop`.

use exo_rails::prelude::*;

struct Loops;

#[rail]
impl Loops {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "again", "again and again")
    }
}

rail_chain! {
    struct Guards { loop: Loops }
}

fn main() {}
