//! Each method of a rail sets a `priority` in its `#[on(…)]`, but a rail has one priority. An ideal message says that the priority
//! belongs into the `#[rail(…)]` above the block, and that two priorities need two rails.

use std::sync::Mutex;

use exo_rails::prelude::*;

/// Watches the temperature of a greenhouse.
#[derive(Default)]
struct Greenhouse {
    log: Mutex<Vec<String>>,
}

#[rail(name = "greenhouse")]
impl Greenhouse {
    #[on(PreToolCall, priority = 10)]
    fn not_too_hot(&self, call: &ToolCallInputs) -> RailAction {
        match call.arguments["celsius"].as_i64() {
            Some(5..=32) => RailAction::Continue,
            _ => RailAction::skip("the tomatoes would die"),
        }
    }

    #[on(PostToolCall, priority = 90)]
    fn write_down(&self, call: &ToolCallInputs, output: &ToolOutput) {
        let mut log = self.log.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        log.push(format!("{}: {}", call.tool_name, output.content));
    }
}

rail_chain! {
    struct GardenRails { greenhouse: Greenhouse }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let rails = GardenRails { greenhouse: Greenhouse::default() };
    let call = ToolCallInputs::new("heat").with_arguments(serde_json::json!({ "celsius": 21 }));
    let heat = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("heating");
    rails.guard_tool_call(call, &mut RunContext::new("garden"), heat).await?;
    assert_eq!(rails.greenhouse.log.lock().map_or(0, |log| log.len()), 1);
    Ok(())
}
