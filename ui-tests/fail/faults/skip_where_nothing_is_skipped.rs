//! The message should say: at `Error` there is nothing to skip

use exo_rails::prelude::*;

#[rail(on = [PreToolCall, events::Error], on_fault = "skip")]
fn observe() -> Result<(), String> {
    Ok(())
}

fn main() {}
