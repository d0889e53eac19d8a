//! The message should say: the value of a field belongs to the place where the chain is made.

use exo_rails::prelude::*;

struct CallLimit {
    calls: u32,
}

#[rail]
impl CallLimit {
    #[on(PreToolCall)]
    fn check(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.calls, "too many calls")
    }
}

impl CallLimit {
    fn new(calls: u32) -> Self {
        Self { calls }
    }
}

rail_chain! {
    struct Rails { limit: CallLimit = CallLimit::new(3) }
}

fn main() {
    let _ = Rails { limit: CallLimit::new(3) };
}
