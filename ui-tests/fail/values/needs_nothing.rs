//! The message should say: `needs` lists at least one type: `needs = [RateLimitLeft]`.

use exo_rails::prelude::*;

#[rail(priority = 30, on = [PreLlmCall], needs = [])]
fn warn_when_low(call: &ModelCallInputs) {
    println!("{} messages", call.messages.len());
}

rail_chain! {
    struct MyRails { warn_when_low }
}

fn main() {
    let _ = MyRails {};
}
