//! The message should say: write `Arc<Limit>`; once.

use std::rc::Rc;

use exo_rails::prelude::*;

struct Limit(u32);

#[rail]
impl Limit {
    #[on(PreToolCall)]
    fn check(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0, "too many steps")
    }
}

rail_chain! {
    struct Rails { limit: Rc<Limit> }
}

fn main() {
    let _ = Rails { limit: Rc::new(Limit(3)) };
}
