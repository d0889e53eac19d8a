//! The message should say: nothing runs before it is awaited (the compiler's own words).

#![deny(unused_must_use)]

use exo_rails::prelude::*;
use exo_rails::NoRails;

async fn check(call: &mut ToolCallInputs, ctx: &mut RunContext) {
    NoRails.dispatch::<PreToolCall>(call, ctx);
}

fn main() {
    let _ = check(&mut ToolCallInputs::new("search"), &mut RunContext::new("demo"));
}
