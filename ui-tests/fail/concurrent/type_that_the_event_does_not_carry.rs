//! The message should say: the event does not carry the type, as for every rail.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], concurrent)]
async fn judge(output: &ToolOutput) -> Verdict {
    Verdict::abort_if(output.is_error, "it failed")
}

rail_chain! {
    #[chain(concurrent)]
    struct Judges { judge }
}

fn main() {}
