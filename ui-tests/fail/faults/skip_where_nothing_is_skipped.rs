//! The message should say: a rail on `Error` cannot skip

use exo_rails::prelude::*;

#[rail(on = [PreToolCall, events::Error], on_fault = "skip")]
fn observe() -> Result<(), String> {
    Ok(())
}

fn main() {}
