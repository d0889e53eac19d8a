//! The message should say: the priorities of `late` and `slow` are 50 and 60.

use exo_rails::prelude::*;

pub struct Limit(pub u32);

#[rail(priority = 10)]
impl Limit {
    #[on(PreToolCall)]
    fn call(&self) -> Verdict {
        Verdict::abort_if(self.0 == 0, "nothing is left")
    }
}

#[rail(on = [PreToolCall], after = [Limit])]
fn late() {}

rail_chain! {
    struct MyRails { #[rail(priority = 60)] slow: Limit, fast: Limit, late }
}

fn main() {}
