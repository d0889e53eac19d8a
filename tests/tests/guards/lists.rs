//! Lists of rails: `Vec<R>` in a chain and in a manager, and fields that the requirements of a chain name.

#![allow(clippy::unused_self, reason = "a method is of one of the rails")]

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use exo_rails::Chain;
use exo_rails::facts::{MayRewrite, WindowSize};
use exo_rails::prelude::*;
use exo_rails::{NoSubstitute, RetriesExhausted, RetryOrContinue, Serves};
use tests::{Warnings, note, notes};

/// Lets so many calls of one tool pass.
struct CallLimit {
    tool: String,
    most: u32,
    seen: AtomicU32,
}

impl CallLimit {
    fn of(tool: &str, most: u32) -> Self {
        Self { tool: tool.to_owned(), most, seen: AtomicU32::new(0) }
    }
}

#[rail(priority = 30)]
impl CallLimit {
    #[on(PreToolCall)]
    fn count(&self, call: &ToolCallInputs) -> Verdict {
        let seen = if call.tool_name == self.tool { self.seen.fetch_add(1, Ordering::Relaxed) + 1 } else { 0 };
        Verdict::abort_if(seen > self.most, "too many calls")
    }
}

rail_chain! { struct Limits { limits: Vec<CallLimit> } }

/// As a configuration gives them.
fn limits(tools: &[(&str, u32)]) -> Vec<CallLimit> {
    tools.iter().map(|(tool, most)| CallLimit::of(tool, *most)).collect()
}

/// Who stops which of these calls.
async fn stops<R: GuardSet>(rails: &R, tools: &[&str]) -> Vec<Option<String>> {
    let mut ctx = RunContext::new("lists");
    let mut stops = Vec::new();
    for tool in tools {
        let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new(*tool), &mut ctx).await.unwrap();
        stops.push(decision.rail_name().map(str::to_owned));
    }
    stops
}

fn names(names: &[Option<&str>]) -> Vec<Option<String>> {
    names.iter().map(|name| name.map(str::to_owned)).collect()
}

#[tokio::test]
async fn each_rail_of_a_list_has_its_name_and_its_state() {
    let rails = Limits { limits: limits(&[("search", 1), ("mail", 0)]) };
    let by = stops(&rails, &["search", "mail", "search", "read"]).await;
    assert_eq!(by, names(&[None, Some("limits[1]"), Some("limits[0]"), None]));
    assert_eq!(stops(&Limits { limits: vec![] }, &["search", "mail"]).await, names(&[None, None]));
    assert_eq!(Limits::PLAN.rails(HookPoint::PreToolCall)[0].info.name, "limits");
}

rail_chain! {
    struct Nested {
        pairs: Vec<Limits>,
        #[rail(priority = 60)]
        matrix: Vec<Vec<CallLimit>>,
        #[rail(priority = 70)]
        maybe: Option<Vec<CallLimit>>,
        #[rail(priority = 80)]
        each_maybe: Vec<Option<CallLimit>>,
    }
}

#[tokio::test]
async fn rails_in_nested_lists_are_named_by_their_paths() {
    let rails = Nested {
        pairs: vec![Limits { limits: vec![] }, Limits { limits: limits(&[("a", 9), ("b", 0)]) }],
        matrix: vec![vec![], limits(&[("c", 0)])],
        maybe: Some(limits(&[("d", 0)])),
        each_maybe: vec![None, Some(CallLimit::of("e", 0))],
    };
    let expected = [Some("pairs[1].limits[1]"), Some("matrix[1][0]"), Some("maybe[0]"), Some("each_maybe[1]"), None];
    assert_eq!(stops(&rails, &["b", "c", "d", "e", "a"]).await, names(&expected));
}

#[tokio::test]
async fn managers_and_hooks_accept_lists_of_rails() {
    let mut manager = RailManager::new();
    manager.add_named("configured", limits(&[("search", 0)])).unwrap();
    manager.add(limits(&[("read", 1), ("mail", 0)])).unwrap();
    let expected = names(&[Some("configured[0]"), Some("CallLimit[1]"), None]);
    assert_eq!(stops(&manager, &["search", "mail", "read"]).await, expected);

    let mut hooks = HookManager::new();
    Limits { limits: limits(&[("search", 1), ("mail", 0)]) }.register(&mut hooks);
    assert_eq!(stops(&hooks, &["search", "mail"]).await, names(&[None, Some("limits[1]")]));
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

/// Asks for a retry at each attempt.
struct Greedy;

#[rail(priority = 40)]
impl Greedy {
    #[on(PreToolCall)]
    fn again(&self) -> RailAction {
        RailAction::retry("for ever")
    }
}

rail_chain! { struct OneTurn { turn: Turn } }

// Each asks once, and may ask once: three of them with one count would have two too few.
#[tokio::test]
async fn each_rail_of_a_list_has_its_own_retries() {
    rail_chain! { struct Turns { turns: Vec<Turn> } }
    rail_chain! { struct Chains { chains: Vec<OneTurn> } }
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let turns = || (0..3).map(Turn).collect::<Vec<_>>();
    let chains = || (0..3).map(|turn| OneTurn { turn: Turn(turn) }).collect::<Vec<_>>();
    let mut ctx = RunContext::new("lists");
    let call = || ToolCallInputs::new("t");
    assert_eq!(Turns { turns: turns() }.guard_tool_call(call(), &mut ctx, tool).await.unwrap().content, "done");
    let mut ctx = RunContext::new("lists");
    assert_eq!(Chains { chains: chains() }.guard_tool_call(call(), &mut ctx, tool).await.unwrap().content, "done");
    let mut manager = RailManager::new();
    manager.add(turns()).unwrap();
    let mut ctx = RunContext::new("lists");
    assert_eq!(manager.guard_tool_call(call(), &mut ctx, tool).await.unwrap().content, "done");

    rail_chain! { struct Asks { greedy: Vec<Greedy> } }
    let mut ctx = RunContext::new("lists");
    let error = Asks { greedy: vec![Greedy, Greedy] }.guard_tool_call(call(), &mut ctx, tool).await;
    let Err(RunError::RetriesExhausted(RetriesExhausted { rail_name, attempts, .. })) = error else { panic!() };
    assert_eq!((rail_name.as_str(), attempts), ("greedy[0]", 2));
}

struct Faulty {
    faults: bool,
}

#[rail(priority = 40)]
impl Faulty {
    #[on(PreToolCall, on_fault = "continue")]
    fn before(&self) -> Result<Verdict, String> {
        if self.faults { Err("down".to_owned()) } else { Ok(Verdict::abort("up")) }
    }

    #[on(PostToolCall)]
    fn after(&self) -> Result<Verdict, String> {
        if self.faults { Err("down".to_owned()) } else { Ok(Verdict::Continue) }
    }
}

#[tokio::test]
async fn a_fault_has_the_index_of_its_rail() {
    rail_chain! { struct Rails { faulty: Vec<Faulty> } }
    let rails = Rails { faulty: [true, false, true].map(|faults| Faulty { faults }).into() };
    let (warned, _collecting) = Warnings::collect();
    let (mut call, mut output) = (ToolCallInputs::new("t"), ToolOutput::text(""));
    let mut ctx = RunContext::new("lists");
    let decision = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
    assert_eq!(decision.rail_name(), Some("faulty[1]"), "a fault that does not stop the event leaves it to the next");
    let warned: Vec<_> = warned.seen().into_iter().filter(|warning| warning.contains("down")).collect();
    assert!(matches!(&*warned, [warning] if warning.contains("faulty[0]")), "{warned:?}");
    let fault = rails.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await.unwrap_err();
    assert_eq!(fault.rail_name, "faulty[0]");
}

/// Refuses the call of its name, and records what came after.
struct Recorder(&'static str);

#[rail(priority = 40)]
impl Recorder {
    #[on(PostToolCall, always)]
    fn record(&self, ctx: &RailContext) {
        note(ctx, format!("{} {}", self.0, ctx.stopped().map_or("-", |stopped| &stopped.rail_name)));
    }
}

struct Refuses(&'static str);

#[rail(priority = 10)]
impl Refuses {
    #[on(PostToolCall)]
    fn refuse(&self, output: &ToolOutput) -> Verdict {
        Verdict::abort_if(output.content == self.0, "refused")
    }
}

rail_chain! { struct Pair { refuses: Refuses, recorder: Recorder } }

rail_chain! { struct Recorded { first: Refuses, recorders: Vec<Recorder>, pairs: Vec<Pair> } }

#[tokio::test]
async fn always_rails_in_a_list_are_called_after_a_stop() {
    let pair = |name| Pair { refuses: Refuses(name), recorder: Recorder(name) };
    let rails = Recorded {
        first: Refuses("stop"),
        recorders: vec![Recorder("x"), Recorder("y")],
        pairs: vec![pair("a"), pair("b")],
    };
    let expected = [
        ("go", vec!["x -", "y -", "a -", "b -"]),
        ("stop", vec!["x Refuses", "y Refuses", "a Refuses", "b Refuses"]),
        ("a", vec!["x -", "y -", "a Refuses", "b pairs[0].Refuses"]),
    ];
    for (output, expected) in expected {
        let mut ctx = RunContext::new("lists");
        let (call, mut output) = (ToolCallInputs::new("t"), ToolOutput::text(output));
        let decision = rails.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await.unwrap();
        assert_eq!(decision.is_continue(), output.content == "go");
        assert_eq!(notes(&ctx), expected);
    }
}

struct Slow {
    millis: u64,
    refuses: bool,
}

#[rail(priority = 40)]
impl Slow {
    #[on(PreToolCall, concurrent)]
    async fn ask(&self, _call: &ToolCallInputs) -> Verdict {
        tokio::time::sleep(Duration::from_millis(self.millis)).await;
        Verdict::abort_if(self.refuses, "refused")
    }
}

#[tokio::test(start_paused = true)]
async fn the_rails_of_a_list_in_a_concurrent_chain_run_at_once() {
    rail_chain! { #[chain(concurrent)] struct Judges { judges: Vec<Slow> } }
    let judge = |(millis, refuses)| Slow { millis, refuses };
    for (judges, by, took) in [
        (vec![(30, false), (40, false), (10, false)], None, 40),
        (vec![(30, true), (10, true), (90, false)], Some("judges[0]"), 30),
        (vec![(10, false), (30, true), (90, true)], Some("judges[1]"), 30),
        (vec![], None, 0),
    ] {
        let (rails, began) = (Judges { judges: judges.into_iter().map(judge).collect() }, tokio::time::Instant::now());
        let mut call = ToolCallInputs::new("t");
        let decision = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("lists")).await.unwrap();
        assert_eq!((decision.rail_name(), began.elapsed().as_millis()), (by, took));
    }
}

struct Redacts(&'static str);

#[rail]
impl Redacts {
    #[on(LlmChunk, window = 8)]
    fn chunk(&self, window: &mut StreamWindow) {
        window.text = window.text.replace(self.0, "[..]");
    }
}

#[test]
fn the_rewrites_and_the_window_of_a_list_depend_on_its_rails() {
    rail_chain! { struct Rails { redacts: Vec<Redacts> } }
    for (redacts, expected) in [(vec![], (false, 0)), (vec![Redacts("a"), Redacts("b")], (true, 8))] {
        let mut manager = RailManager::new();
        let there = !redacts.is_empty();
        manager.add(if there { vec![Redacts("a")] } else { vec![] }).unwrap();
        let rails = Rails { redacts };
        let of = |may_rewrite, window| (may_rewrite, window);
        assert_eq!(
            of(Serves::<LlmChunk>::fact::<MayRewrite>(&rails), Serves::<LlmChunk>::fact::<WindowSize>(&rails)),
            expected
        );
        assert_eq!(
            of(Serves::<LlmChunk>::fact::<MayRewrite>(&manager), Serves::<LlmChunk>::fact::<WindowSize>(&manager)),
            expected
        );
    }
}

#[test]
fn a_dispatch_of_a_list_allocates_nothing() {
    for list in [vec![], limits(&[("search", 9), ("mail", 9), ("read", 9)])] {
        let (rails, mut ctx) = (Limits { limits: list }, RunContext::new("lists"));
        let mut call = ToolCallInputs::new("search");
        let info = allocation_counter::measure(|| {
            let mut dispatch = pin!(rails.dispatch::<PreToolCall>(&mut call, &mut ctx));
            let outcome = dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(matches!(outcome, Poll::Ready(Ok(Decision::Continue))));
        });
        assert_eq!(info.count_total, 0);
    }
}

rail_chain! {
    #[chain(require(one on PreToolCall), before(others, one), last(two on PreToolCall))]
    struct Ordered {
        two: CallLimit,
        #[rail(priority = 10)]
        one: CallLimit,
        #[rail(priority = 5)]
        others: Vec<CallLimit>,
    }
}

// That it compiles is the test; `ui-tests/fail/order/field_*.rs` has requirements that are not met.
#[tokio::test]
async fn a_requirement_may_name_a_field() {
    let rails = Ordered { two: CallLimit::of("t", 0), one: CallLimit::of("t", 0), others: vec![] };
    assert_eq!(stops(&rails, &["t"]).await, names(&[Some("one")]));
}

struct Seen(&'static str);

#[rail(priority = 20)]
impl Seen {
    #[on(PreToolCall, PostToolCall)]
    fn see(&self, ctx: &RailContext) {
        note(ctx, self.0);
    }
}

// What is first to see the call is last to see its output, in a list too.
#[tokio::test]
async fn an_onion_reverses_its_lists() {
    rail_chain! { #[chain(onion)] struct Onion { first: Seen, seen: Vec<Seen>, nested: Vec<Vec<Seen>> } }
    rail_chain! { struct Plain { seen: Vec<Seen> } }
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let seen = || vec![Seen("a"), Seen("b")];
    let onion = Onion { first: Seen("first"), seen: seen(), nested: vec![vec![Seen("c"), Seen("d")], vec![Seen("e")]] };
    let mut ctx = RunContext::new("lists");
    onion.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await.unwrap();
    let inwards = ["first", "a", "b", "c", "d", "e"];
    let outwards = inwards.into_iter().rev();
    assert_eq!(notes(&ctx), inwards.into_iter().chain(outwards).collect::<Vec<_>>());

    let mut manager = RailManager::onion();
    manager.add(seen()).unwrap();
    let mut ctx = RunContext::new("lists");
    manager.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), ["a", "b", "b", "a"]);
    let mut ctx = RunContext::new("lists");
    Plain { seen: seen() }.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), ["a", "b", "a", "b"]);
}

/// Asks for so many retries, and lets the event go on when they are used up.
struct Yields(u32);

#[rail(priority = 40)]
impl Yields {
    #[on(PreToolCall)]
    fn again(&self, ctx: &RailContext) -> RailAction<NoSubstitute, RetryOrContinue> {
        note(ctx, format!("{} at {}", self.0, ctx.attempt()));
        RailAction::retry_or_continue(RetryRequest::new("not yet").with_max_retries(self.0))
    }
}

rail_chain! { struct Yielding { yields: Yields } }

#[tokio::test]
async fn a_rail_in_a_list_yields_when_its_retries_are_used_up() {
    rail_chain! { struct Rails { yields: Vec<Yields> } }
    rail_chain! { struct Chains { chains: Vec<Yielding> } }
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let expected = ["1 at 0", "1 at 1", "2 at 1", "1 at 2", "2 at 2", "1 at 3", "2 at 3"];
    let mut ctx = RunContext::new("lists");
    let rails = Rails { yields: vec![Yields(1), Yields(2)] };
    rails.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), expected);
    let mut ctx = RunContext::new("lists");
    let chains = [1, 2].map(|retries| Yielding { yields: Yields(retries) });
    let rails = Chains { chains: chains.into() };
    rails.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), expected);
}
