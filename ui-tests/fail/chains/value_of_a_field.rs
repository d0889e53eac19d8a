//! The message should say: a field has a type, `limit: CallLimit`, and the value belongs to `Rails { limit: CallLimit { calls: 3 } }`.

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
    struct Rails { limit: CallLimit { calls: 3 } }
}

fn main() {
    let _ = Rails { limit: CallLimit { calls: 3 } };
}
