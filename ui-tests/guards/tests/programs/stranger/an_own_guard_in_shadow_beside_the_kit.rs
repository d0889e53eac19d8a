//! A chain has a kit and an own guard, whose mode the program chooses at run time.

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode};
use exo_rails_guards::Kit;
use serde_json::json;

const POLICY: &str = r#"
    [permissions]
    default = "allow"
    rules = [{ name = "door", tool = "unlock_door", decision = "deny", because = "people open the door" }]
"#;

/// The neighbours sleep from this hour on.
struct NightRest {
    from: u64,
}

#[rail(priority = 60)]
impl NightRest {
    #[on(PreToolCall, tool = "vacuum")]
    fn quiet(&self, call: &ToolCallInputs) -> RailAction {
        match call.arguments["hour"].as_u64() {
            Some(hour) if hour < self.from => RailAction::Continue,
            _ => RailAction::skip("the neighbours sleep"),
        }
    }
}

rail_chain! {
    struct HomeRails { kit: Kit, night_rest: InMode<NightRest> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for mode in [Mode::Shadow, Mode::Enforce] {
        let rails = HomeRails { kit: Kit::from_toml(POLICY)?, night_rest: InMode::new(mode, NightRest { from: 22 }) };
        let (mut ctx, tool) = (RunContext::new("home"), |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) });
        let vacuum = ToolCallInputs::new("vacuum").with_arguments(json!({ "hour": 23 }));
        let output = rails.guard_tool_call(vacuum, &mut ctx, tool).await?;
        assert_eq!(output.content == "done", mode == Mode::Shadow);
        let output = rails.guard_tool_call(ToolCallInputs::new("unlock_door"), &mut ctx, tool).await?;
        assert!(output.content.contains("permissions/door"));
    }
    Ok(())
}
