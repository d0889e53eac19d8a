//! Several rails of one type in one guard set: each has its own state, its own retries and its own name.

#![allow(clippy::unused_self, reason = "a method is of one of the rails")]

use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails::{Allowed, Chain, RetriesExhausted, SessionInfo};
use tests::{note, notes};

/// Lets so many calls of one tool pass.
struct CallLimit {
    tool: &'static str,
    limit: u32,
    seen: AtomicU32,
}

impl CallLimit {
    fn of(tool: &'static str, limit: u32) -> Self {
        Self { tool, limit, seen: AtomicU32::new(0) }
    }
}

#[rail(priority = 30)]
impl CallLimit {
    #[on(PreToolCall)]
    fn count(&self, call: &ToolCallInputs) -> Verdict {
        let counts = self.tool == "*" || call.tool_name == self.tool;
        let seen = if counts { self.seen.fetch_add(1, Ordering::Relaxed) + 1 } else { 0 };
        Verdict::abort_if(seen > self.limit, format!("{seen} calls of {}", self.tool))
    }
}

#[rail(priority = 31, on = [PreToolCall], after = [CallLimit])]
fn counted(ctx: &RailContext) {
    note(ctx, "counted");
}

rail_chain! {
    struct Limits {
        counted,
        searches: CallLimit,
        all_tools: CallLimit,
    }
}

fn limits() -> Limits {
    Limits { searches: CallLimit::of("search", 1), all_tools: CallLimit::of("*", 3) }
}

/// Who stops which of these calls.
async fn stops<R: GuardSet>(rails: &R, tools: &[&str]) -> Vec<Option<String>> {
    let mut ctx = RunContext::new("instances");
    let mut stops = Vec::new();
    for tool in tools {
        let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new(*tool), &mut ctx).await.unwrap();
        stops.push(decision.rail_name().map(str::to_owned));
    }
    stops
}

// The second search is stopped before `all_tools` has counted it.
#[tokio::test]
async fn two_fields_of_one_type_are_two_rails() {
    let tools = ["search", "search", "read", "read", "read"];
    let expected = [None, Some("searches"), None, None, Some("all_tools")];
    assert_eq!(stops(&limits(), &tools).await, expected.map(|name| name.map(str::to_owned)));
}

#[test]
fn the_plan_and_its_order_have_the_names_of_the_fields() {
    let names: Vec<_> = Limits::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
    assert_eq!(names, ["searches", "all_tools", "counted"], "`after` means each of them");
    let plan = Limits::PLAN.to_string();
    assert!(plan.contains(" searches ") && plan.contains(" all_tools "), "{plan}");
}

#[test]
fn one_field_of_a_type_has_the_name_of_the_rail() {
    rail_chain! { struct One { searches: CallLimit } }
    assert_eq!(One::PLAN.rails(HookPoint::PreToolCall)[0].info.name, "CallLimit");
}

rail_chain! {
    struct Twice {
        first: Limits,
        second: Limits,
    }
}

#[tokio::test]
async fn a_chain_in_two_fields_is_named_by_its_path() {
    let rails = Twice { first: limits(), second: limits() };
    let tools = ["search", "search", "read", "read", "read"];
    let expected = [None, Some("first.searches"), None, None, Some("first.all_tools")];
    assert_eq!(stops(&rails, &tools).await, expected.map(|name| name.map(str::to_owned)));
    let names: Vec<_> = Twice::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
    assert_eq!(names, ["first", "second"]);
}

/// Asks for a retry at each attempt, and may do so twice.
struct Greedy;

#[rail(priority = 40)]
impl Greedy {
    #[on(PreToolCall)]
    fn again(&self) -> RailAction {
        RailAction::retry(RetryRequest::new("for ever").with_max_retries(2))
    }
}

#[tokio::test]
async fn each_instance_has_its_own_retries() {
    rail_chain! { struct Both { one: Greedy, two: Greedy } }
    let mut ctx = RunContext::new("instances");
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let error = Both { one: Greedy, two: Greedy }.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await;
    let Err(RunError::RetriesExhausted(RetriesExhausted { rail_name, attempts, .. })) = error else { panic!() };
    assert_eq!((rail_name.as_str(), attempts), ("one", 3));

    rail_chain! { struct Alternating { even: Turn, odd: Turn } }
    let rails = Alternating { even: Turn(0), odd: Turn(1) };
    let mut ctx = RunContext::new("instances");
    let output = rails.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, "done", "each has used its one retry: together they would have had one too few");
    let mut manager = RailManager::new();
    manager.add_named("even", Turn(0)).unwrap();
    manager.add_named("odd", Turn(1)).unwrap();
    let mut ctx = RunContext::new("instances");
    assert_eq!(manager.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await.unwrap().content, "done");
}

/// Asks for a retry at one attempt, and may do so once.
struct Turn(u32);

#[rail(priority = 40)]
impl Turn {
    #[on(PreToolCall)]
    fn turn(&self, ctx: &RailContext) -> RailAction {
        if ctx.attempt() == self.0 { RailAction::retry("not yet") } else { RailAction::Continue }
    }
}

struct Faulty;

#[rail(priority = 40)]
impl Faulty {
    #[on(PreToolCall)]
    fn fails(&self) -> Result<Verdict, String> {
        Err("down".to_owned())
    }

    #[on(PostToolCall, timeout = "1ms")]
    async fn hangs(&self) -> Verdict {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_has_the_name_of_the_instance() {
    rail_chain! { struct Both { one: Faulty, two: Faulty } }
    let mut managed = RailManager::new();
    managed.add_named("one", Faulty).unwrap();
    let mut hooks = HookManager::new();
    Both { one: Faulty, two: Faulty }.register(&mut hooks);
    let (mut call, mut output) = (ToolCallInputs::new("t"), ToolOutput::text(""));
    let mut ctx = RunContext::new("instances");
    let rails = Both { one: Faulty, two: Faulty };
    let before = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap_err();
    let after = rails.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await.unwrap_err();
    let from_manager = managed.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await.unwrap_err();
    let from_hooks = hooks.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap_err();
    for fault in [before, after, from_manager, from_hooks] {
        assert_eq!(fault.rail_name, "one", "{fault}");
    }
}

#[tokio::test]
async fn a_manager_can_have_several_rails_of_one_type_with_different_names() {
    let mut manager = RailManager::new();
    let searches = manager.add_named("searches", CallLimit::of("search", 1)).unwrap();
    manager.add_named(format!("{}_tools", "all"), CallLimit::of("*", 2)).unwrap();
    let twice = manager.add_named("searches", CallLimit::of("read", 1)).unwrap_err();
    assert_eq!(twice.to_string(), "the rail `searches` is already in the manager");
    manager.add(CallLimit::of("unused", 9)).unwrap();
    assert_eq!(manager.add(CallLimit::of("unused", 9)).unwrap_err().rail_name, "CallLimit");
    let names: Vec<_> = manager.rails().map(|rail| rail.name.to_string()).collect();
    assert_eq!(names, ["searches", "all_tools", "CallLimit"]);

    let mut calls = ["search", "search", "read", "read"].into_iter();
    let by = stops(&manager, &calls.by_ref().collect::<Vec<_>>()).await;
    assert_eq!(by, [None, Some("searches".to_owned()), None, Some("all_tools".to_owned())]);
    assert!(manager.remove(searches));
    manager.add_named("searches", CallLimit::of("search", 0)).unwrap();

    let mut around = RailManager::new();
    around.add_named("tenant", Limits { searches: CallLimit::of("t", 0), all_tools: CallLimit::of("*", 9) }).unwrap();
    assert_eq!(stops(&around, &["t"]).await, [Some("tenant.searches".to_owned())]);
}

/// Rails that have a name of a generic type in common.
struct Limit<const MOST: usize>;

#[rail]
impl<const MOST: usize> Limit<MOST> {
    #[on(PreToolCall)]
    fn length(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.len() > MOST, "too long")
    }
}

#[tokio::test]
async fn rails_of_one_generic_type_are_named_by_their_fields() {
    rail_chain! { struct Both { short: Limit<2>, long: Limit<4> } }
    let rails = Both { short: Limit, long: Limit };
    assert_eq!(stops(&rails, &["a", "abc"]).await, [None, Some("short".to_owned())]);
}

#[tokio::test]
async fn generic_code_can_read_the_decision_of_any_event() {
    async fn who<E: Event>(decision: &Decision<E>) -> (String, bool) {
        match decision {
            Decision::Continue => (String::new(), false),
            Decision::Skip(skip) => (skip.get().rail_name.to_string(), false),
            Decision::Retry(retry) => (retry.get().rail_name.to_string(), false),
            Decision::Abort(abort) => (abort.get().rail_name.to_string(), true),
        }
    }
    let rails = Limits { searches: CallLimit::of("search", 0), all_tools: CallLimit::of("*", 9) };
    let mut ctx = RunContext::new("instances");
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await.unwrap();
    assert_eq!(who(&decision).await, ("searches".to_owned(), true));
    assert_eq!(decision.reason().unwrap().as_str(), "1 calls of search");
    // What the event does not allow has no arm.
    match rails.dispatch::<SessionEnd>(&SessionInfo::default(), &mut ctx).await.unwrap() {
        Decision::Continue => {}
    }
    assert!(notes(&ctx).is_empty());
}

#[rail(priority = 80, on = [PreToolCall])]
fn late(ctx: &RailContext) {
    note(ctx, "late");
}

#[rail(priority = 10, on = [PreToolCall])]
fn early(ctx: &RailContext) {
    note(ctx, "early");
}

const PRIORITY: i32 = -3;

rail_chain! { struct Inner { early } }

rail_chain! {
    struct Listed {
        early,
        /// Sees what the others have left.
        #[rail(priority = 5)]
        late,
        #[rail(priority = PRIORITY + 1)]
        Inner,
        #[rail(priority = 90)]
        first: CallLimit,
        #[rail(priority = 1)]
        second: CallLimit,
    }
}

#[tokio::test]
async fn a_priority_in_the_list_overrides_the_priority_of_the_rail() {
    let plan = Listed::PLAN.rails(HookPoint::PreToolCall);
    let order: Vec<_> = plan.iter().map(|rail| (rail.info.name, rail.info.priority)).collect();
    assert_eq!(order, [("Inner", -2), ("second", 1), ("late", 5), ("early", 10), ("first", 90)]);
    let mut ctx = RunContext::new("instances");
    let rails = Listed { first: CallLimit::of("t", 0), second: CallLimit::of("other", 0) };
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("t"), &mut ctx).await.unwrap();
    assert_eq!(decision.rail_name(), Some("first"));
    assert_eq!(notes(&ctx), ["early", "late", "early"]);
}
