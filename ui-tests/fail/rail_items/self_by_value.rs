//! The message should say: all runs share the rail: take `&self`.

use exo_rails::prelude::*;

struct Budget {
    calls: u32,
}

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(self) -> Verdict {
        Verdict::abort_if(self.calls > 3, "over budget")
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
