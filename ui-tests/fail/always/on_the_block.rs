//! The message should say: `always` is an option of one method: write it in its `#[on(PreToolCall, …)]`.

use exo_rails::prelude::*;

struct Audit;

#[rail(always)]
impl Audit {
    #[on(PreToolCall)]
    fn call(&self, call: &ToolCallInputs) {
        println!("{}", call.tool_name);
    }
}

rail_chain! {
    struct MyRails { audit: Audit }
}

fn main() {
    let _ = MyRails { audit: Audit };
}
