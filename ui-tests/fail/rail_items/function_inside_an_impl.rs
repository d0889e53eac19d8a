//! The message should say: write `#[rail]` above the `impl` block, and `#[on(PreToolCall)]` above the method.

use exo_rails::prelude::*;

struct Budget {
    calls: u32,
}

impl Budget {
    #[rail(on = [PreToolCall])]
    async fn before(&self) -> Verdict {
        Verdict::abort_if(self.calls > 3, "over budget")
    }
}

fn main() {
    let _ = Budget { calls: 3 }.before();
}
