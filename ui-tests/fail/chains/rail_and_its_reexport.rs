//! The message should say: the rail is listed twice: a chain runs each rail once.

use exo_rails::prelude::*;

mod guards {
    use exo_rails::prelude::*;

    #[rail(on = [PreToolCall])]
    pub async fn guard(call: &ToolCallInputs) -> Verdict {
        Verdict::abort(call.tool_name.clone())
    }

    pub use guard as watch;
}

rail_chain! {
    struct MyRails {
        guards::guard,
        guards::watch,
    }
}

fn main() {
    let _ = MyRails {};
}
