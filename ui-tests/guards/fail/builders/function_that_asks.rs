//! The message should say: a function cannot ask; write `.asker(Desk::new())`, or implement `Ask`.

use exo_rails::prelude::*;
use exo_rails_guards::Kit;

async fn ask(call: &ToolCallInputs) -> bool {
    call.tool_name == "read_file"
}

fn main() {
    let _ = Kit::builder().asker(ask).from_toml("");
}
