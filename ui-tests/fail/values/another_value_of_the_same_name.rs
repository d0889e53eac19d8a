//! The message should say: `warn_when_low` needs `quota::Left`, but takes another `Left`.

use exo_rails::prelude::*;

mod quota {
    #[derive(exo_rails::Provided)]
    pub struct Left(pub u32);
}

mod rate {
    #[derive(exo_rails::Provided)]
    pub struct Left(pub u32);
}

use rate::Left;

#[rail(priority = 20, on = [PreLlmCall], provides = [quota::Left])]
fn spend_quota(ctx: &RailContext) -> quota::Left {
    quota::Left(ctx.step())
}

#[rail(priority = 30, on = [PreLlmCall], needs = [quota::Left])]
fn warn_when_low(left: &Left) {
    println!("{} calls left", left.0);
}

rail_chain! {
    struct MyRails { spend_quota, warn_when_low }
}

fn main() {
    let _ = MyRails {};
}
