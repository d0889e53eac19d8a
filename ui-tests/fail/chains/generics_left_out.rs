//! The message should say: the compiler's own words: one generic argument is missing.

use exo_rails::prelude::*;

trait Price: Send + Sync + 'static {
    fn limit(&self) -> u32;
}

struct Limit<P>(P);

#[rail]
impl<P: Price> Limit<P> {
    #[on(PreToolCall)]
    fn check(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0.limit(), "too many calls")
    }
}

rail_chain! {
    struct Rails { limit: Limit }
}

fn main() {}
