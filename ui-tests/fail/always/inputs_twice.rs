//! The message should say: the rail takes `Inputs<'_>` twice: leave one out.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(inputs: &Inputs<'_>, same: &Inputs<'_>) {
    println!("{} {}", inputs.point(), same.point());
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
