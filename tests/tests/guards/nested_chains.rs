//! Chains in chains: what a chain of another crate or of a function is in one.

use std::ptr;

use exo_rails::prelude::*;
use exo_rails::{Chain, Plan, PlannedRail};
use tests::{Listed, listed_first, listed_last, note, notes, plan_of_listed};

#[rail(priority = 90, on = [PreToolCall], after = [listed_last, Listed])]
fn own(ctx: &RailContext) {
    note(ctx, "own");
}

rail_chain! {
    #[chain(require(listed_last on PostToolCall), first(listed_first on PreToolCall), before(listed_first, own))]
    struct Outer { own, Listed }
}

rail_chain! { struct Outermost { Outer } }

/// The plan of the only chain, or the first, that a plan has in it at an event.
fn inner(plan: &Plan, event: HookPoint) -> Option<&'static Plan> {
    plan.rails(event).first().and_then(|PlannedRail { inner, .. }| *inner)
}

/// The plan of a chain is a static, which has one address; a constant has one in each crate. That the compiler does not
/// look behind a static is what keeps a chain in chains from taking as many times longer for each that is around it.
#[test]
fn the_plan_of_a_chain_has_one_address() {
    for event in [HookPoint::PreToolCall, HookPoint::PostToolCall] {
        let outer = inner(&Outermost::PLAN, event).unwrap();
        assert!(ptr::eq(outer, Outer::INNER.unwrap()));
        let listed = inner(outer, event).unwrap();
        assert!(ptr::eq(listed, Listed::INNER.unwrap()));
        assert!(ptr::eq(listed, plan_of_listed().unwrap()));
    }
}

async fn called(rails: &impl GuardSet) -> Vec<String> {
    let mut ctx = RunContext::new("nested");
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await;
    assert!(decision.is_ok_and(|decision| decision.is_continue()));
    notes(&ctx)
}

#[tokio::test]
async fn a_chain_of_another_crate_runs_in_a_chain() {
    assert_eq!(called(&Outermost {}).await, ["listed first", "listed last", "own"]);
}

#[tokio::test]
async fn a_chain_in_a_function_can_list_a_chain_and_be_listed() {
    rail_chain! {
        #[chain(require(Listed on PreToolCall))]
        struct Local { Listed }
    }
    rail_chain! { struct Around { own, Local } }
    assert_eq!(called(&Around {}).await, ["listed first", "listed last", "own"]);
    assert_eq!(called(&rail_chain![Around]).await, ["listed first", "listed last", "own"]);
    let listed = inner(inner(&Around::PLAN, HookPoint::PreToolCall).unwrap(), HookPoint::PreToolCall).unwrap();
    assert!(ptr::eq(listed, plan_of_listed().unwrap()));
}
