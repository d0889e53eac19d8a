//! The message should say: a rail with `always` observes, so its faults stop nothing

use exo_rails::prelude::*;

#[rail(on = [PreToolCall], always, on_fault = "abort")]
fn audit() -> Result<(), String> {
    Ok(())
}

fn main() {}
