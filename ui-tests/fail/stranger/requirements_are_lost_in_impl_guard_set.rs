//! The message should say: the return type `impl GuardSet` hides that the chain meets `Clinic`. Write
//! `fn clinic_rails() -> impl Meets<Clinic>`.

use exo_rails::prelude::*;
use exo_rails::{Meets, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn no_prescriptions(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "prescribe", "only a doctor prescribes")
}

chain_requirements! {
    struct Clinic { first(no_prescriptions on PreToolCall) }
}

rail_chain! {
    #[chain(requirements = Clinic)]
    struct WardRails { no_prescriptions }
}

fn clinic_rails() -> impl GuardSet {
    WardRails
}

async fn admit(rails: impl Meets<Clinic>) -> Result<ToolOutput, RunError> {
    let file = |_| async { Ok::<_, OperationError>("the file of the patient") };
    rails.guard_tool_call(ToolCallInputs::new("read_file"), &mut RunContext::new("ward"), file).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let output = admit(clinic_rails()).await?; // <- here
    assert_eq!(output.content, "the file of the patient");
    Ok(())
}
