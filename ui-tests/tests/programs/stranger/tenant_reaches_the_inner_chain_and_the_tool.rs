//! What it shows: a rail that provides two values behind `Result<Provide<(A, B), ToolOutput>, E>`, an inner chain that needs
//! both, and a tool that reads one from its permit.

use std::num::ParseIntError;

use exo_rails::prelude::*;
use serde_json::json;

#[derive(Debug, Provided)]
struct Tenant(String);

#[derive(Debug, Provided)]
struct Quota {
    rows: u64,
}

#[rail(priority = 5, on = [PreToolCall], provides = [Tenant, Quota])]
fn identify(call: &ToolCallInputs) -> Result<Provide<(Tenant, Quota), ToolOutput>, ParseIntError> {
    let Some(tenant) = call.str_argument("tenant") else {
        return Ok(Provide::skip_with("say for whom it is".into(), "the call has no tenant"));
    };
    let rows = call.str_argument("rows").unwrap_or("10").parse()?;
    Ok(Provide::value((Tenant(tenant.to_owned()), Quota { rows })))
}

#[rail(priority = 20, on = [PreToolCall], needs = [Quota, Tenant])]
async fn row_limit(tenant: &Tenant, call: &ToolCallInputs, quota: &Quota) -> RailAction {
    if quota.rows > 100 {
        return RailAction::skip(format!("{} asks `{}` for too many rows", tenant.0, call.tool_name));
    }
    RailAction::Continue
}

rail_chain! {
    #[chain(priority = 30, needs = [Tenant, Quota])]
    struct Limits { row_limit }
}

rail_chain! {
    struct ReportRails { Limits, identify }
}

async fn export(call: Permit<ToolCallInputs>) -> Result<String, &'static str> {
    let Tenant(name) = call.provided::<Tenant>().ok_or("nobody has said for whom")?;
    Ok(format!("the report of {name}"))
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("reports");
    let cases = [
        (json!({ "tenant": "acme" }), "the report of acme"),
        (json!({ "rows": "5" }), "say for whom it is"),
        (json!({ "tenant": "acme", "rows": "500" }), "acme asks `export` for too many rows"),
    ];
    for (arguments, expected) in cases {
        let call = ToolCallInputs::new("export").with_arguments(arguments);
        let output = ReportRails.guard_tool_call(call, &mut ctx, export).await?;
        assert!(output.content.ends_with(expected), "{}", output.content);
    }
    let call = ToolCallInputs::new("export").with_arguments(json!({ "tenant": "acme", "rows": "many" }));
    let error = ReportRails.guard_tool_call(call, &mut ctx, export).await.unwrap_err();
    assert!(matches!(error, RunError::Fault(fault) if fault.rail_name == "identify"));
    Ok(())
}
