//! The message should say: nothing, or that the event comes first.

use exo_rails::prelude::*;

struct OnlyTmp;

#[rail]
impl OnlyTmp {
    #[on(tool = "delete_file", PreLlmCall)]
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
