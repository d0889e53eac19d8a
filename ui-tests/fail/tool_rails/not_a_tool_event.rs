//! The message should say: `PreLlmCall` is not an event of a tool call, so a rail on it cannot be for a tool.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreLlmCall], tool = "delete_file")]
fn only_tmp(ctx: &RailContext) {
    println!("{}", ctx.step());
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
