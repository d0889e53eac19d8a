//! The message should say: a rail with `always` only observes: take `&Inputs<'_>`; not that it is to be taken by value.

use exo_rails::prelude::*;

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(inputs: &mut Inputs<'_>) {
    println!("{}", inputs.point());
}

rail_chain! {
    struct MyRails { audit }
}

fn main() {
    let _ = MyRails {};
}
