//! The message should say: `Cell<u32>` cannot be shared between threads: a rail is shared by all runs that it guards.

use exo_rails::prelude::*;

use std::cell::Cell;

struct Budget {
    calls: Cell<u32>,
}

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(&self) -> Verdict {
        self.calls.set(self.calls.get() + 1);
        Verdict::abort_if(self.calls.get() > 3, "over budget")
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {}
