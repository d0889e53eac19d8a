//! The message should say: after its fault the values are not there, so the run cannot go on

use exo_rails::prelude::*;

#[derive(Provided)]
struct Left(u32);

#[rail(on = [PreToolCall], provides = [Left], on_fault = "continue")]
fn limit() -> Result<Left, String> {
    Ok(Left(1))
}

fn main() {}
