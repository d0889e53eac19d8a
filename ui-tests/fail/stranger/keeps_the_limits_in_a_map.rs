//! The chain has a field of the type `HashMap<String, CallLimit>`, but only `Vec`, `Option` and `Arc` of a rail are rails. An ideal
//! message says so, and proposes a `Vec<CallLimit>`, or one rail that has the map in a field.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;

/// How often one tool may run.
struct CallLimit {
    tool: String,
    most: u32,
    calls: AtomicU32,
}

#[rail(priority = 30)]
impl CallLimit {
    #[on(PreToolCall)]
    fn count(&self, call: &ToolCallInputs) -> RailAction {
        if call.tool_name == self.tool && self.calls.fetch_add(1, Ordering::Relaxed) >= self.most {
            return RailAction::skip(format!("`{}` may run {} times", self.tool, self.most));
        }
        RailAction::Continue
    }
}

rail_chain! {
    struct NewsroomRails { limits: HashMap<String, CallLimit> }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let limit = |tool: &str, most| (tool.to_owned(), CallLimit { tool: tool.to_owned(), most, calls: AtomicU32::new(0) });
    let rails = NewsroomRails { limits: HashMap::from([limit("search", 5), limit("publish", 1)]) };
    let publish = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("published");
    rails.guard_tool_call(ToolCallInputs::new("publish"), &mut RunContext::new("news"), publish).await?;
    Ok(())
}
