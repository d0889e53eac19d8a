//! What it shows: a generic test helper over any guard set, a table of cases, a context with a session, and `Traced` around a
//! borrowed chain.

use exo_rails::prelude::*;
use exo_rails::testing::{self, Traced};
use exo_rails::{SharedExtensions, StopKind};
use serde_json::json;

#[derive(Clone, Default)]
struct Refunds(u32);

#[rail(priority = 10, on = [PreToolCall], tool = "refund")]
fn one_refund(ctx: &RailContext) -> RailAction {
    let refunds = ctx.session.update(|refunds: &mut Refunds| {
        refunds.0 += 1;
        refunds.0
    });
    if refunds > 1 { RailAction::skip("one refund for each customer") } else { RailAction::Continue }
}

#[rail(priority = 20, on = [PreToolCall])]
fn limit(call: &mut ToolCallInputs) -> Verdict {
    Verdict::abort_if(!call.set_argument("limit", 5), "the arguments have no names")
}

rail_chain! {
    struct ShopRails { limit, one_refund }
}

async fn check<R: GuardSet>(rails: &R, ctx: &mut RunContext, tool: &str, stopped: Option<&str>) {
    let decided = testing::at_in::<PreToolCall>(rails, ToolCallInputs::new(tool), ctx).await;
    match stopped {
        Some(reason) => decided.assert_skipped(reason).assert_by("one_refund"),
        None => decided.assert_continued(),
    };
    if stopped.is_none() {
        assert_eq!(decided.payload.arguments, json!({ "limit": 5 }));
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let session = SharedExtensions::default();
    let mut ctx = RunContext::new("shop").with_session("s-1", session.clone(), 0);
    for (tool, stopped) in [("search", None), ("refund", None), ("refund", Some("one refund")), ("search", None)] {
        check(&ShopRails, &mut ctx, tool, stopped).await;
    }
    assert_eq!(session.get::<Refunds>().map(|refunds| refunds.0), Some(2));

    let chain = ShopRails;
    let traced = Traced::new(&chain);
    let trace = traced.trace().clone();
    trace.watch_tool("refund");
    let refund = async |call: Permit<ToolCallInputs>| {
        trace.tool_ran(&call);
        Ok::<_, OperationError>("paid back")
    };
    for turn in 0..2 {
        let mut ctx = RunContext::new("shop").with_session("s-2", SharedExtensions::default(), turn);
        traced.guard_tool_call(ToolCallInputs::new("refund"), &mut ctx, &refund).await?;
        traced.guard_tool_call(ToolCallInputs::new("refund"), &mut ctx, &refund).await?;
    }
    trace.assert_calls("refund", 2).assert_called_with("refund", &json!({ "limit": 5 }));
    let skip = (HookPoint::PreToolCall, StopKind::Skip, "one_refund");
    trace.assert_decisions([skip, skip]).assert_fired(HookPoint::PostToolCall, 4);
    Ok(())
}
