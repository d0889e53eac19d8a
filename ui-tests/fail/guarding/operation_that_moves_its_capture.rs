//! The message should say: a retry calls the closure again, so clone what it captures.

use exo_rails::NoRails;
use exo_rails::prelude::*;

fn main() {
    let prefix = String::from("done: ");
    let tool = move |call: Permit<ToolCallInputs>| async move {
        Ok::<_, OperationError>(ToolOutput::text(prefix + &call.tool_name))
    };
    let _ = NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), tool);
}
