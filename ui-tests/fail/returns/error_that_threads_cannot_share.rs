//! The message should say, at the error: write `Box<dyn Error + Send + Sync>`.

use std::error::Error;

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn guard(call: &ToolCallInputs) -> Result<Verdict, Box<dyn Error>> {
    let number: u32 = call.id.parse()?;
    Ok(Verdict::abort_if(number > 100, "too many calls"))
}

fn main() {
    let _ = rail_chain![guard];
}
