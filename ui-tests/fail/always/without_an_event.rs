//! The message should say: a rail guards at least one event: `#[on(PreToolCall, always)]`.

use exo_rails::prelude::*;

struct Audit;

#[rail]
impl Audit {
    #[on(always)]
    fn call(&self, ctx: &RailContext) {
        println!("{}", ctx.event());
    }
}

rail_chain! {
    struct MyRails { audit: Audit }
}

fn main() {
    let _ = MyRails { audit: Audit };
}
