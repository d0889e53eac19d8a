//! The message should say: write `,` between the two fields.

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

rail_chain! {
    struct Rails {
        first: CallLimit
        second: CallLimit
    }
}

fn main() {}
