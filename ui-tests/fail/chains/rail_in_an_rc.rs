//! The message should say: write `Arc<Tally>`; once.

use std::rc::Rc;

use exo_rails::prelude::*;

struct Tally(u32);

#[rail]
impl Tally {
    #[on(PreToolCall)]
    fn check(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0, "too many steps")
    }
}

rail_chain! {
    struct Rails { tally: Rc<Tally> }
}

fn main() {
    let _ = Rails { tally: Rc::new(Tally(3)) };
}
