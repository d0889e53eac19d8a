//! The message should say: an unnamed chain has no fields.

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

fn main() {
    let _ = rail_chain![limit: CallLimit::new(3)];
}
