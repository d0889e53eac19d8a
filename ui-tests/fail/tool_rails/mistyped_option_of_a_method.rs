//! The message should say: `#[on]` has no option `tol`; did you mean `tool`?

use exo_rails::prelude::*;

struct OnlyTmp;

#[rail]
impl OnlyTmp {
    #[on(PreToolCall, tol = "delete_file")]
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
