//! The message should say: write `Tally`, or `Arc<Tally>`.

use exo_rails::prelude::*;

struct Tally(u32);

#[rail]
impl Tally {
    #[on(PreToolCall)]
    fn check(&self) -> Verdict {
        Verdict::abort_if(self.0 == 0, "nothing is left")
    }
}

rail_chain! {
    struct Guards { limit: Box<Tally> }
}

fn main() {}
