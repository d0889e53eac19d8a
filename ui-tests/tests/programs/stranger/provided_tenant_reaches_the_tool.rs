//! A rail provides two values or fails with an error type of its own, a second rail needs one value, and the tool reads the other.

use exo_rails::prelude::*;
use exo_rails::testing;

#[derive(Debug, thiserror::Error)]
#[error("the tenant `{0}` is not a number")]
struct NotANumber(String);

#[derive(Provided)]
struct Tenant(u32);

#[derive(PartialEq, Provided)]
enum Plan {
    Trial,
    Paid,
}

#[rail(priority = 10, on = [PreToolCall], provides = [Tenant, Plan])]
async fn identify(call: &ToolCallInputs) -> Result<Provide<(Tenant, Plan)>, NotANumber> {
    let Some(id) = call.str_argument("tenant") else { return Ok(Provide::skip("the call names no tenant")) };
    let id: u32 = id.parse().map_err(|_| NotANumber(id.to_owned()))?;
    let plan = if id < 100 { Plan::Paid } else { Plan::Trial };
    Ok(Provide::value((Tenant(id), plan)))
}

#[rail(priority = 20, on = [PreToolCall], needs = [Plan])]
fn no_exports_on_trial(plan: &Plan) -> RailAction {
    if *plan == Plan::Trial { RailAction::skip("exports need a paid plan") } else { RailAction::Continue }
}

rail_chain! {
    struct ReportRails { no_exports_on_trial, identify }
}

async fn export(call: Permit<ToolCallInputs>) -> Result<String, OperationError> {
    let Tenant(id) = call.provided::<Tenant>().ok_or("no rail has named the tenant")?;
    Ok(format!("exported the schema tenant_{id}"))
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let of = |tenant: &str| ToolCallInputs::new("export").with_arguments(serde_json::json!({ "tenant": tenant }));
    let output = ReportRails.guard_tool_call(of("42"), &mut RunContext::new("reports"), export).await?;
    assert_eq!(output.content, "exported the schema tenant_42");
    testing::at::<PreToolCall>(&ReportRails, of("700")).await.assert_skipped("paid plan");
    testing::at::<PreToolCall>(&ReportRails, of("ada")).await.assert_faulted("`ada` is not a number");
    testing::at::<PreToolCall>(&ReportRails, ToolCallInputs::new("export")).await.assert_by("identify");
    Ok(())
}
