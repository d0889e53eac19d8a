//! The message should say: expected `,` between two arguments.

use exo_rails::prelude::*;

struct OnlyTmp;

#[rail]
impl OnlyTmp {
    #[on(PreToolCall tool = "delete_file")]
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
