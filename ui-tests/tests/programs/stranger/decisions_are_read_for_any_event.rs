//! What it shows: decisions read by a function that is generic over the event, and by `matches!`, `let else` and `==`.

use std::time::Duration;

use exo_rails::SessionInfo;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn cached(call: &ToolCallInputs) -> RailAction<ToolOutput> {
    match call.tool_name.as_str() {
        "answer" => RailAction::skip_with("42".into(), "everybody knows it"),
        "wait" => RailAction::retry(RetryRequest::new("not yet").with_delay(Duration::from_millis(3)).with_max_retries(9)),
        _ => RailAction::Continue,
    }
}

#[rail(priority = 10, on = [SessionStart])]
fn named(session: &SessionInfo) -> Verdict {
    Verdict::abort_if(session.id.is_empty(), "nobody is here")
}

fn line<E: Event>(decision: &Decision<E>) -> String {
    match (decision.rail_name(), decision.reason()) {
        (Some(rail), Some(reason)) => format!("{} at {}: {reason}", rail, E::POINT),
        _ => format!("{} goes on", E::POINT),
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RailFault> {
    let (rails, mut ctx) = (rail_chain![cached, named], RunContext::new("decisions"));
    let mut decisions = Vec::new();
    for tool in ["answer", "wait", "walk", "walk"] {
        decisions.push(rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new(tool), &mut ctx).await?);
    }
    let lines: Vec<_> = decisions.iter().map(line).collect();
    assert_eq!(lines[0], "cached at pre_tool_call: everybody knows it");
    assert_eq!(lines[1], "cached at pre_tool_call: not yet");
    assert_eq!(lines[2], "pre_tool_call goes on");
    assert!(matches!(&decisions[1], Decision::Retry(retry) if retry.request.max_retries == 9));
    assert_eq!(decisions[2], decisions[3]);
    assert_ne!(decisions[0], Decision::Continue);
    let Decision::Skip(skip) = decisions.swap_remove(0) else { panic!("the answer is known") };
    assert_eq!(skip.substitute.map(|output| output.content).as_deref(), Some("42"));

    let started = rails.dispatch::<SessionStart>(&SessionInfo::default(), &mut ctx).await?;
    assert_eq!(line(&started), "named at session_start: nobody is here");
    let (Decision::Continue | Decision::Abort(_)) = started;
    Ok(())
}
