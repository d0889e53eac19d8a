//! The message should say: no argument `servity`; and nothing of the chain, whose requirements it would have met

use exo_rails::prelude::*;

#[derive(Provided)]
struct Left(u32);

#[rail(priority = 10, on = [PreToolCall], provides = [Left], servity = 3)]
fn limit() -> Left {
    Left(1)
}

#[rail(priority = 20, on = [PreToolCall], needs = [Left], after = [limit])]
fn guard(_left: &Left) {}

rail_chain! {
    #[chain(require(limit on PreToolCall), before(limit, guard))]
    struct MyRails { limit, guard }
}

fn main() {}
