//! The message should say: `#[on]` has no option `severity`; expected `tool`, `provides`, `needs`, `always`.

use exo_rails::prelude::*;

struct OnlyTmp;

#[rail]
impl OnlyTmp {
    #[on(PreToolCall, severity = 3)]
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
