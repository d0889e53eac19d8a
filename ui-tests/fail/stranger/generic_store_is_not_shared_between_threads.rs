//! The message should say: threads share a rail, and `S` may not be `Sync`. Write `impl<S: Store + Send + Sync> Budget<S>`, or
//! `trait Store: Send + Sync`.

use exo_rails::prelude::*;

trait Store {
    fn spent(&self, agent: &str) -> u64;
}

struct Budget<S> {
    store: S,
    most: u64,
}

#[rail(priority = 20)]
impl<S: Store> Budget<S> { // <- here
    #[on(PreLlmCall)]
    async fn within_budget(&self, ctx: &RailContext) -> Verdict {
        // Other agents report their costs first.
        tokio::task::yield_now().await;
        Verdict::abort_if(self.store.spent(ctx.agent()) > self.most, "the budget of the month is used up")
    }
}

struct Fixed(u64);

impl Store for Fixed {
    fn spent(&self, _: &str) -> u64 {
        self.0
    }
}

rail_chain! {
    struct ResearchRails { budget: Budget<Fixed> }
}

fn main() {
    let _ = ResearchRails { budget: Budget { store: Fixed(3), most: 10 } };
}
