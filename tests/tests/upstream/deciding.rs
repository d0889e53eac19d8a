//! Of several rails: who is called, who decides, who is named.

use exo_rails::prelude::*;
use tests::{note, notes, tool};

use crate::common::in_each_guard_set;

/// Rails that decide what the tool is called: `c aborts` is for the rail `c`.
macro_rules! deciders {
    ($($rail:ident $priority:literal),*) => {
        const NAMES: &[&str] = &[$(stringify!($rail)),*];

        $(
            #[rail(priority = $priority, on = [PreToolCall])]
            fn $rail(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, String> {
                note(ctx, stringify!($rail));
                decide(stringify!($rail), call, ctx.attempt())
            }
        )*
    };
}

deciders!(a 10, b 20, c 20, d 30, e 90);

/// What a rail decides about a call; `c, d retry` is for both.
fn decide(rail: &str, call: &ToolCallInputs, attempt: u32) -> Result<RailAction, String> {
    let reason = format!("{rail} says so");
    let Some((who, what)) = call.tool_name.rsplit_once(' ') else { return Ok(RailAction::Continue) };
    if !who.split(", ").any(|name| name == rail) {
        return Ok(RailAction::Continue);
    }
    match what {
        "aborts" => Ok(RailAction::abort(reason)),
        "skips" => Ok(RailAction::skip(reason)),
        "faults" => Err(reason),
        // Each asks at one attempt, and the later one at the second.
        "retry" if attempt < 2 => Ok(RailAction::retry(RetryRequest::new(reason))),
        _ => Ok(RailAction::Continue),
    }
}

async fn guarded(rails: &impl GuardSet, name: &str) -> (Result<String, String>, Vec<String>) {
    let mut ctx = RunContext::new("upstream");
    let result = rails.guard_tool_call(ToolCallInputs::new(name), &mut ctx, tool).await;
    (result.map(|output| output.content).map_err(|error| error.to_string()), notes(&ctx))
}

/// There, of a list of guards the last alone ran, and another was named.
#[tokio::test]
async fn rails_run_until_one_stops_and_the_error_names_it() {
    in_each_guard_set!([e, c, a, d, b], |set, rails| {
        // In the list `c` stands before `b`, and has the same priority.
        let order = ["a", "c", "b", "d", "e"];
        assert_eq!(order.len(), NAMES.len());
        for (i, rail) in order.iter().enumerate() {
            let told = format!("rail `{rail}` aborted at pre_tool_call: {rail} says so");
            let fault = format!("rail `{rail}` faulted at pre_tool_call: {rail} says so");
            let name = format!("{rail} skips");
            let skipped = format!("The call of `{name}` was skipped by the rail `{rail}`: {rail} says so");
            let called: Vec<_> = order[..=i].iter().map(ToString::to_string).collect();
            assert_eq!(guarded(&rails, &format!("{rail} aborts")).await, (Err(told), called.clone()), "{set}");
            assert_eq!(guarded(&rails, &format!("{rail} faults")).await, (Err(fault), called.clone()), "{set}");
            assert_eq!(guarded(&rails, &name).await, (Ok(skipped), called), "{set}");
        }
        let (result, called) = guarded(&rails, "nobody").await;
        assert_eq!(result.as_deref(), Ok("{}"), "{set}");
        assert_eq!(called[..5], order, "{set}");
    });
}

/// There, the last request wins and the others are lost. Here the first wins, and a rail whose turn has not come is
/// asked at the next attempt: it loses nothing, and each has its own count.
#[tokio::test]
async fn a_second_rail_can_request_a_retry_at_the_next_attempt() {
    in_each_guard_set!([a, d], |set, rails| {
        let (result, called) = guarded(&rails, "d retry").await;
        assert_eq!(result, Err(exhausted("d", 2)), "{set}");
        assert_eq!(called, ["a", "d", "a", "d"], "{set}");
    });
    in_each_guard_set!([first_attempt, second_attempt], |set, rails| {
        let (result, called) = guarded(&rails, "search").await;
        assert_eq!(result.as_deref(), Ok("{}"), "{set}");
        assert_eq!(called, ["first 0", "first 1", "second 1", "first 2", "second 2", "tool search {}"], "{set}");
    });
}

fn exhausted(rail: &str, attempts: u32) -> String {
    let counts = format!("{attempts} attempted, 1 retries allowed");
    format!("rail `{rail}` wants a retry at pre_tool_call but has none left ({counts}): {rail} says so")
}

#[rail(priority = 10, on = [PreToolCall])]
fn first_attempt(ctx: &RailContext) -> Option<RailAction> {
    note(ctx, format!("first {}", ctx.attempt()));
    (ctx.attempt() == 0).then(|| RailAction::retry(RetryRequest::new("not yet")))
}

#[rail(priority = 20, on = [PreToolCall])]
fn second_attempt(ctx: &RailContext) -> Option<RailAction> {
    note(ctx, format!("second {}", ctx.attempt()));
    (ctx.attempt() == 1).then(|| RailAction::retry(RetryRequest::new("nor now")))
}

/// There, a rail that has used up its retries is passed over, and the next one runs.
#[tokio::test]
async fn used_up_retries_do_not_fall_through_to_the_next_rail() {
    in_each_guard_set!([a, e], |set, rails| {
        let (result, called) = guarded(&rails, "a retry").await;
        assert_eq!(result, Err(exhausted("a", 2)), "{set}");
        assert_eq!(called, ["a", "a"], "{set}: neither the next rail nor the tool");
    });
}

/// Of two guards that cannot decide the first is named; none of them lets the call pass.
#[tokio::test]
async fn the_first_of_two_faults_ends_the_run() {
    in_each_guard_set!([a, d], |set, rails| {
        let (result, called) = guarded(&rails, "a, d faults").await;
        assert_eq!(result, Err("rail `a` faulted at pre_tool_call: a says so".into()), "{set}");
        assert_eq!(called, ["a"], "{set}");
    });
}
