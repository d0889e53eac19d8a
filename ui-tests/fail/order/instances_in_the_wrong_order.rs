//! The message should say that `late` must run after `Limit`: each rail of the type counts.

use exo_rails::prelude::*;

struct Limit(usize);

#[rail(priority = 30)]
impl Limit {
    #[on(PreToolCall)]
    fn length(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.len() > self.0, "too long")
    }
}

#[rail(priority = 20, on = [PreToolCall], after = [Limit])]
fn late() {}

rail_chain! {
    struct MyRails { short: Limit, late, long: Limit }
}

fn main() {
    let _ = MyRails { short: Limit(3), long: Limit(9) };
}
