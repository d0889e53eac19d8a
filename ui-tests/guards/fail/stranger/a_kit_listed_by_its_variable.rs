//! `rail_chain!` gets the local variable `kit`, and a chain lists names of rails. An ideal message would say that a rail with
//! state is a field of a named chain: `rail_chain! { struct MuseumRails { kit: Kit, closing_time } }`.

use exo_rails::prelude::*;
use exo_rails_guards::Kit;

const POLICY: &str = r#"
    [permissions]
    default = "allow"
    rules = [{ name = "alarm", tool = "disarm_alarm", decision = "deny", because = "a guard disarms the alarm" }]
"#;

/// The museum closes at six.
#[rail(priority = 20, on = [PreToolCall])]
fn closing_time(call: &ToolCallInputs) -> RailAction {
    match call.arguments["hour"].as_u64() {
        Some(hour) if hour >= 18 => RailAction::skip("the museum is closed"),
        _ => RailAction::Continue,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kit = Kit::from_toml(POLICY)?;
    let rails = rail_chain![kit, closing_time];
    let tour = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("the tour begins");
    let call = ToolCallInputs::new("book_tour").with_arguments(serde_json::json!({ "hour": 11 }));
    let output = rails.guard_tool_call(call, &mut RunContext::new("museum"), tour).await?;
    println!("{}", output.content);
    Ok(())
}
