//! A `DynGuardSet` without a trait has forgotten which requirements its chain meets, so it cannot prove them. An ideal message says
//! to write the type `DynGuardSet<dyn Meets<DrugLaw>>`, and to make it with `DynGuardSet::of(Arc::new(DayRails))`.

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn prescription(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.str_argument("prescription").is_none(), "there is no prescription")
}

#[rail(priority = 30, on = [PreToolCall])]
fn only_emergencies(call: &ToolCallInputs) -> RailAction {
    if call.arguments["emergency"] == true { RailAction::Continue } else { RailAction::skip("come back tomorrow") }
}

chain_requirements! {
    pub struct DrugLaw { first(prescription on PreToolCall) }
}

rail_chain! {
    #[chain(requirements = DrugLaw)]
    struct DayRails { prescription }
}

rail_chain! {
    #[chain(requirements = DrugLaw)]
    struct NightRails { prescription, only_emergencies }
}

/// Only rails that meet the law may hand out drugs.
async fn dispense(call: Permit<ToolCallInputs, DrugLaw>) -> Result<String, OperationError> {
    Ok(format!("handed out for {}", call.arguments["prescription"]))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let is_night = std::env::args().any(|arg| arg == "--night");
    let rails = if is_night { DynGuardSet::new(NightRails) } else { DynGuardSet::new(DayRails) };
    let call = ToolCallInputs::new("dispense").with_arguments(serde_json::json!({ "prescription": "R-12" }));
    let output = rails.proving::<DrugLaw>().guard_tool_call(call, &mut RunContext::new("pharmacy"), dispense).await?;
    println!("{}", output.content);
    Ok(())
}
