//! The message should say: `log_risk` needs a `RiskAssessment` at `PreToolCall`, but `RiskScore`, which provides it, runs later:
//! their priorities are 15 and 20. Give `log_risk` a priority above 20.
use exo_rails::prelude::*;
use exo_rails_guards::risk::{RiskAssessment, RiskScore};
use exo_rails_guards::config;

#[rail(priority = 15, on = [PreToolCall], needs = [RiskAssessment])]
fn log_risk(call: &ToolCallInputs, risk: &RiskAssessment) {
    println!("{} has the risk {}", call.tool_name, risk.points);
}

rail_chain! {
    struct DroneRails {
        log_risk, // <- here
        risk: RiskScore,
    }
}

const RISK: &str = "
threshold = 90
tools.land = { category = 'workflow' }
tools.fly_home = { dangerous = true }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rails = DroneRails { risk: RiskScore::new(config::from_toml(RISK)?)? };
    let land = |_| async { Ok::<_, OperationError>(ToolOutput::text("on the ground")) };
    println!("{}", rails.guard_tool_call(ToolCallInputs::new("land"), &mut RunContext::new("drone"), land).await?.content);
    Ok(())
}
