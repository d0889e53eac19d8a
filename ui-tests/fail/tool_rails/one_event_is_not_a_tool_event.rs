//! The message should say: `Start` is not an event of a tool call, so a rail on it cannot be for a tool; nothing about `PreToolCall`.

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall, Start], tool = "delete_file")]
fn only_tmp(ctx: &RailContext) {
    println!("{}", ctx.step());
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
