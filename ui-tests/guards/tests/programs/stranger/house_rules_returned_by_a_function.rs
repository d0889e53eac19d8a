//! A function returns the checked rules of a ward, and the guard applies them to the calls of typed tools.

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::sequence::{Sequence, SequenceRule, sequence_rules};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "weigh", schema = json!({ "type": "object" }))]
struct Weigh { patient: u32 }

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "prescribe", schema = json!({ "type": "object" }))]
struct Prescribe { patient: u32, milligrams: u32 }

tools! { struct WardTools { weigh: Weigh, prescribe: Prescribe } }

rail_chain! { struct WardRails { sequence: Sequence } }

fn house_rules() -> [SequenceRule; 2] {
    sequence_rules! {
        tools = WardTools;
        prescribe only after weigh within 12h same patient;
        /// The pharmacy hands out no more.
        daily: sum of milligrams in prescribe at most 400 within 1d same patient;
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = &WardTools {
        weigh: Weigh::tool(|args| async move { Ok::<_, OperationError>(format!("{} weighs 70 kg", args.patient)) }),
        prescribe: Prescribe::tool(|args| async move { Ok::<_, OperationError>(format!("{} mg", args.milligrams)) }),
    };
    let rails = WardRails { sequence: Sequence::builder().rules(house_rules()).build()? };
    let mut ctx = RunContext::new("ward");
    let mut call = async |call: ToolCallInputs| {
        rails.guard_tool_call(call, &mut ctx, |call| tools.call(call)).await.map(|output| output.content)
    };
    let dose = |milligrams| ToolCallInputs::of(&Prescribe { patient: 7, milligrams });
    assert!(call(dose(300)?).await?.contains("Call `weigh` first"));
    assert_eq!(call(ToolCallInputs::of(&Weigh { patient: 7 })?).await?, "7 weighs 70 kg");
    assert_eq!(call(dose(300)?).await?, "300 mg");
    assert_ne!(call(dose(200)?).await?, "200 mg");
    Ok(())
}
