//! The message should say: `provides` lists at least one type: `provides = [RateLimitLeft]`.

use exo_rails::prelude::*;

#[rail(priority = 30, on = [PreLlmCall], provides = [])]
fn warn_when_low(call: &ModelCallInputs) {
    println!("{} messages", call.messages.len());
}

rail_chain! {
    struct MyRails { warn_when_low }
}

fn main() {
    let _ = MyRails {};
}
