//! The message should say: a rail is a plain Rust function.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
extern "C" fn guard(call: &ToolCallInputs) {
    let _ = call;
}

fn main() {
    let _ = rail_chain![guard];
}
