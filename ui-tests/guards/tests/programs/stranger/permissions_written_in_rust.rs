//! The rules of the permissions are values, which a single guard and a kit share.

use exo_rails::prelude::*;
use exo_rails_guards::permissions::{ArgumentCondition, Permission, PermissionRule, Permissions, PermissionsBuilder, Source};
use exo_rails_guards::Kit;
use serde_json::json;

fn payroll() -> PermissionsBuilder {
    let large = PermissionRule::ask("transfer").argument("euros", ArgumentCondition::min(1_000.0)).named("large-transfers");
    Permissions::builder()
        .rule(Source::Global, PermissionRule::allow("read_*").named("reading"))
        .rule(Source::Global, PermissionRule::deny("read_salary").named("salaries").because("salaries are private"))
        .rule(Source::Session, large.because("the treasurer agrees"))
        .known_tools(["read_calendar", "read_salary", "transfer"])
}

fn transfer(euros: u32) -> ToolCallInputs {
    ToolCallInputs::new("transfer").with_arguments(json!({ "euros": euros }))
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let permissions = payroll().build()?;
    assert_eq!(permissions.judge(&ToolCallInputs::new("read_calendar")).permission, Permission::Allow);
    assert_eq!(permissions.judge(&ToolCallInputs::new("read_salary")).permission, Permission::Deny);
    assert_eq!(permissions.judge(&transfer(5_000)).permission, Permission::Ask);

    let kit = Kit::builder().permissions(payroll()).from_toml("[permissions]\ndefault = 'allow'")?;
    let (mut ctx, tool) = (RunContext::new("payroll"), |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) });
    assert_eq!(kit.guard_tool_call(transfer(20), &mut ctx, tool).await?.content, "done");
    let output = kit.guard_tool_call(ToolCallInputs::new("read_salary"), &mut ctx, tool).await?;
    assert!(output.content.ends_with("salaries are private"));
    let error = kit.guard_tool_call(transfer(5_000), &mut ctx, tool).await.unwrap_err();
    assert!(error.suspension().is_some());
    Ok(())
}
