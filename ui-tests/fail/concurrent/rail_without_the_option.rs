//! The message should say: `redact` cannot run concurrently with others, because it does not say that it only reads.

use exo_rails::prelude::*;

#[rail(on = [PostToolCall])]
fn redact(output: &mut ToolOutput) {
    output.content.clear();
}

#[rail(on = [PostToolCall], concurrent)]
async fn judge(output: &ToolOutput) -> Verdict {
    Verdict::abort_if(output.is_error, "it failed")
}

rail_chain! {
    struct Inner { judge }
}

rail_chain! {
    #[chain(concurrent)]
    struct Judges { judge, redact, Inner }
}

fn main() {}
