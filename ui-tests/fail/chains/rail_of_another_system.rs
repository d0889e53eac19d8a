//! The message should say: `no_registry` does not exist here, because of its `#[cfg]`.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

#[cfg(windows)]
#[rail(on = [PreToolCall])]
fn no_registry() {}

rail_chain! {
    struct Guards { log, no_registry }
}

fn main() {}
