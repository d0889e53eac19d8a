//! The message should say: write the events of a method without `on =`: `#[on(PreToolCall)]`; once.

use exo_rails::prelude::*;

struct OnlyTmp;

#[rail]
impl OnlyTmp {
    #[on(on = [PreToolCall])]
    fn before(&self, call: &ToolCallInputs) {
        println!("{}", call.tool_name);
    }
}

rail_chain! {
    struct MyRails { only_tmp: OnlyTmp }
}

fn main() {
    let _ = MyRails { only_tmp: OnlyTmp };
}
