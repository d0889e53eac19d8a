//! What it shows: the requirements of a chain name a group (an inner chain) and rails inside the group, together with
//! `unique_priorities`.

use exo_rails::prelude::*;
use exo_rails::testing;

#[rail(priority = 20, on = [PostToolCall])]
fn hide_ibans(output: &mut ToolOutput) {
    output.content = output.content.replace("DE02 1203", "[iban]");
}

#[rail(priority = 10, on = [PostToolCall])]
fn hide_keys(output: &mut ToolOutput) {
    output.content = output.content.replace("sk-1", "[key]");
}

#[rail(priority = 90, on = [PostToolCall, ToolError])]
fn journal(call: &ToolCallInputs, ctx: &RailContext) {
    ctx.run.state().set("last", call.tool_name.clone());
}

rail_chain! {
    /// Everything that hides something.
    #[chain(priority = 40)]
    struct Redactions { hide_ibans, hide_keys }
}

rail_chain! {
    #[chain(
        first(Redactions on PostToolCall),
        require(hide_keys on PostToolCall),
        before(hide_ibans, journal),
        last(journal on ToolError),
        unique_priorities,
    )]
    struct BankRails { journal, Redactions }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    testing::assert_order(&BankRails, HookPoint::PostToolCall, ["hide_keys", "hide_ibans", "journal"]);
    let call = testing::tool_call(&BankRails, ToolCallInputs::new("statement")).returns("sk-1 pays DE02 1203").await;
    call.assert_output("[key] pays [iban]");
    assert_eq!(call.ctx.run.state().get("last"), Some("statement".into()));
}
