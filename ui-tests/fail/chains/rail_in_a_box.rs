//! The message should say: write `Limit`, or `Arc<Limit>`.

use exo_rails::prelude::*;

struct Limit(u32);

#[rail]
impl Limit {
    #[on(PreToolCall)]
    fn check(&self) -> Verdict {
        Verdict::abort_if(self.0 == 0, "nothing is left")
    }
}

rail_chain! {
    struct Guards { limit: Box<Limit> }
}

fn main() {}
