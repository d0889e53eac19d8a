//! The order in which rails run, and who decides.

use exo_rails::prelude::*;
use exo_rails::{Chain, DEFAULT_PRIORITY, NoRails, RailSkip, RetryRequest};
use tests::{note, notes};

fn context() -> RunContext {
    RunContext::new("order")
}

fn call() -> ToolCallInputs {
    ToolCallInputs::new("search")
}

#[rail(priority = 10, on = [PreToolCall])]
fn high(ctx: &RailContext) {
    note(ctx, "high");
}

#[rail(on = [PreToolCall])]
fn mid(ctx: &RailContext) -> RailAction {
    note(ctx, "mid");
    RailAction::Continue
}

#[rail(priority = 100, on = [PreToolCall])]
async fn low(ctx: &RailContext) -> Option<RailAction> {
    note(ctx, "low");
    None
}

#[rail(priority = -5, on = [PreToolCall])]
fn negative(ctx: &RailContext) {
    note(ctx, "negative");
}

#[rail(priority = i32::MIN, on = [PreToolCall])]
fn first_of_all(ctx: &RailContext) {
    note(ctx, "first");
}

#[rail(priority = i32::MAX, on = [PreToolCall])]
fn last_of_all(ctx: &RailContext) {
    note(ctx, "last");
}

#[rail(priority = 50, on = [PreToolCall])]
fn tie_one(ctx: &RailContext) {
    note(ctx, "tie one");
}

#[rail(priority = 50, on = [PreToolCall])]
fn tie_two(ctx: &RailContext) {
    note(ctx, "tie two");
}

#[rail(priority = 20, on = [PreToolCall])]
fn skips(ctx: &RailContext) -> RailAction {
    note(ctx, "skips");
    RailAction::skip("not needed")
}

#[rail(priority = 30, on = [PreToolCall])]
fn aborts(ctx: &RailContext) -> Verdict {
    note(ctx, "aborts");
    Verdict::abort("not allowed")
}

#[rail(priority = 40, on = [PreToolCall])]
fn retries(ctx: &RailContext) -> RailAction {
    note(ctx, "retries");
    RailAction::retry(RetryRequest::new("not yet"))
}

/// What the rails of the set note when a tool is about to be called, and what they decide.
async fn before_a_tool(rails: &impl GuardSet) -> (Vec<String>, Decision<PreToolCall>) {
    let mut ctx = context();
    let decision = rails.dispatch::<PreToolCall>(&mut call(), &mut ctx).await.unwrap();
    (notes(&ctx), decision)
}

async fn order_of(rails: &impl GuardSet) -> Vec<String> {
    before_a_tool(rails).await.0
}

#[tokio::test]
async fn lower_priorities_run_first() {
    assert_eq!(order_of(&rail_chain![low, high, mid]).await, ["high", "mid", "low"]);
    let mut manager = RailManager::new();
    manager.add(low {}).unwrap();
    manager.add(high {}).unwrap();
    manager.add(mid {}).unwrap();
    assert_eq!(order_of(&manager).await, ["high", "mid", "low"]);
}

#[tokio::test]
async fn every_integer_is_a_priority() {
    let rails = rail_chain![last_of_all, mid, first_of_all, negative];
    assert_eq!(order_of(&rails).await, ["first", "negative", "mid", "last"]);
}

#[tokio::test]
async fn equal_priorities_keep_the_order_of_the_list() {
    assert_eq!(order_of(&rail_chain![tie_one, low, mid, tie_two]).await, ["tie one", "mid", "tie two", "low"]);
    assert_eq!(order_of(&rail_chain![tie_two, mid, low, tie_one]).await, ["tie two", "mid", "tie one", "low"]);
}

#[test]
fn the_default_priority_is_50() {
    assert_eq!(DEFAULT_PRIORITY, 50);
    assert_eq!(<mid as Rail>::PRIORITY, 50);
    assert_eq!(<mid as Rail>::INFO.name, "mid");
}

#[tokio::test]
async fn no_rails_continue() {
    let (notes, decision) = before_a_tool(&NoRails).await;
    assert!(notes.is_empty() && decision.is_continue());
    assert!(before_a_tool(&RailManager::new()).await.1.is_continue());
    assert!(before_a_tool(&HookManager::new()).await.1.is_continue());
    assert!(before_a_tool(&rail_chain![]).await.1.is_continue());
}

#[tokio::test]
async fn a_rail_that_returns_nothing_none_or_continue_continues() {
    let (notes, decision) = before_a_tool(&rail_chain![high, mid, low]).await;
    assert_eq!(notes.len(), 3);
    assert!(decision.is_continue());
}

#[tokio::test]
async fn the_first_decision_that_is_not_continue_counts() {
    let (notes, decision) = before_a_tool(&rail_chain![retries, aborts, skips, high]).await;
    assert_eq!(notes, ["high", "skips"]);
    let Decision::Skip(RailSkip { rail_name, reason, substitute: None }) = decision else { panic!("{decision:?}") };
    assert_eq!((rail_name.as_str(), reason.as_str()), ("skips", "not needed"));
}

#[tokio::test]
async fn an_abort_stops_later_rails() {
    let (notes, decision) = before_a_tool(&rail_chain![low, aborts]).await;
    assert_eq!(notes, ["aborts"]);
    assert!(matches!(decision, Decision::Abort(abort) if abort.rail_name == "aborts"));
}

#[tokio::test]
async fn a_retry_stops_later_rails_and_brings_its_request() {
    let (notes, decision) = before_a_tool(&rail_chain![low, retries]).await;
    assert_eq!(notes, ["retries"]);
    let Decision::Retry(retry) = decision else { panic!("{decision:?}") };
    assert_eq!((retry.rail_name.as_str(), retry.request), ("retries", RetryRequest::new("not yet")));
}

#[tokio::test]
async fn rails_of_other_events_are_not_called() {
    let mut ctx = context();
    let mut output = ToolOutput::text("found");
    let decision = rail_chain![high, aborts].dispatch::<PostToolCall>((&call(), &mut output), &mut ctx).await.unwrap();
    assert!(decision.is_continue() && notes(&ctx).is_empty());
}

#[rail(priority = 60, on = [PreToolCall])]
fn after_the_inner_chain(ctx: &RailContext) {
    note(ctx, "after");
}

rail_chain! {
    #[chain(priority = 55)]
    struct Inner { low, high }
}

rail_chain! {
    struct Outer { after_the_inner_chain, Inner, mid }
}

#[tokio::test]
async fn a_chain_in_a_chain_runs_as_one_rail_at_its_own_priority() {
    assert_eq!(order_of(&Outer {}).await, ["mid", "high", "low", "after"]);
    let planned: Vec<_> = Outer::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
    assert_eq!(planned, ["mid", "Inner", "after_the_inner_chain"]);
}
