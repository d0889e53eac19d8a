//! The message should say: `String` is not an event; the events are in `exo_rails::prelude`

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn check(call: &mut ToolCallInputs) {
    let _ = NoRails.dispatch::<String>(call, &mut RunContext::new("demo")).await;
}

fn main() {
    let _ = check(&mut ToolCallInputs::new("search"));
}
