//! The message should say: `Cheap` does not meet the bounds of the `impl` block.

use exo_rails::prelude::*;

trait Price: Send + Sync + 'static {
    fn limit(&self) -> u32;
}

struct Cheap;

struct Limit<P>(P);

#[rail]
impl<P: Price> Limit<P> {
    #[on(PreToolCall)]
    fn check(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0.limit(), "too many calls")
    }
}

rail_chain! {
    struct Rails { limit: Limit<Cheap> }
}

fn main() {
    let _ = Rails { limit: Limit(Cheap) };
}
