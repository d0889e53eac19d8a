//! The message should say: expected `Permit<ToolCallInputs>`, found `ToolCallInputs` (the compiler's own words).

use exo_rails::prelude::*;

struct Tools;

impl Tools {
    async fn run(&self, call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
        Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
    }
}

fn main() {
    let _ = Tools.run(ToolCallInputs::new("delete_file"));
}
