//! The message should say: `redact` cannot run together with others, because it does not say that it only looks.

use exo_rails::prelude::*;

#[rail(on = [PostToolCall])]
fn redact(output: &mut ToolOutput) {
    output.content.clear();
}

#[rail(on = [PostToolCall], together)]
async fn judge(output: &ToolOutput) -> Verdict {
    Verdict::abort_if(output.is_error, "it failed")
}

rail_chain! {
    struct Inner { judge }
}

rail_chain! {
    #[chain(together)]
    struct Judges { judge, redact, Inner }
}

fn main() {}
