//! The message should say: `#[rail]` stands on the `impl` block, `#[on(PreToolCall)]` on the method.

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
