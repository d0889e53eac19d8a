//! Rails behind an `Arc`, and rails that may be absent.

#![allow(clippy::unused_self, reason = "a method is of one of the rails")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::Chain;
use exo_rails::facts::MayRewrite;
use exo_rails::prelude::*;
use exo_rails::{ModelDelta, Serves};
use futures_util::stream;
use tests::{note, notes};

#[derive(Default)]
struct Counter {
    calls: AtomicU32,
    refuses: bool,
}

#[rail(priority = 20, name = "counter")]
impl Counter {
    #[on(PreToolCall)]
    fn before(&self, call: &mut ToolCallInputs) -> RailAction<ToolOutput> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        assert!(call.set_argument("counted", true));
        match (self.refuses, &*call.tool_name) {
            (false, _) => RailAction::Continue,
            (true, "retry") => RailAction::retry("again"),
            (true, "skip") => RailAction::skip_with(ToolOutput::text("instead"), "skipped"),
            (true, _) => RailAction::abort("refused"),
        }
    }

    #[on(PostToolCall, always)]
    fn after(&self, ctx: &RailContext) {
        note(ctx, format!("after {}", ctx.stopped().is_some()));
    }

    #[on(PreLlmCall, timeout = "5ms")]
    async fn slow(&self, request: &ModelCallInputs) -> Verdict {
        if request.model.is_some() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Verdict::Continue
    }
}

#[rail(priority = 10, on = [PostToolCall])]
fn stops(output: &ToolOutput) -> Verdict {
    Verdict::abort_if(output.content == "stop", "stopped")
}

rail_chain! { struct Plain { stops, counter: Counter } }
rail_chain! { struct Shared { stops, counter: Arc<Counter> } }
rail_chain! { struct Maybe { stops, counter: Option<Counter> } }
rail_chain! { struct Both { stops, counter: Option<Arc<Counter>> } }
rail_chain! { struct MaybeChain { inner: Option<Plain> } }

/// What a guard set does with calls of all kinds.
async fn behaviour<R: GuardSet>(rails: &R) -> Vec<String> {
    let mut seen = Vec::new();
    for tool in ["go", "retry", "skip", "abort"] {
        let mut ctx = RunContext::new("wrapped");
        let mut call = ToolCallInputs::new(tool);
        let decision = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
        let decision = (decision.rail_name().map(str::to_owned), decision.reason().cloned());
        seen.push(format!("{tool}: {decision:?}, {}", call.arguments));
    }
    for output in ["stop", "go"] {
        let mut ctx = RunContext::new("wrapped");
        let (call, mut output) = (ToolCallInputs::new("t"), ToolOutput::text(output));
        let decision = rails.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await.unwrap();
        seen.push(format!("{:?}, {:?}", decision.rail_name(), notes(&ctx)));
    }
    let mut slow = ModelCallInputs { model: Some("m".into()), ..ModelCallInputs::default() };
    let fault = rails.dispatch::<PreLlmCall>(&mut slow, &mut RunContext::new("wrapped")).await.unwrap_err();
    seen.push(fault.to_string());
    seen
}

#[tokio::test(start_paused = true)]
async fn a_rail_in_an_arc_or_an_option_behaves_like_the_rail() {
    let counter = || Counter { refuses: true, ..Counter::default() };
    let expected = behaviour(&Plain { counter: counter() }).await;
    assert!(expected[1].contains("counter") && expected[4].contains("after true"), "{expected:?}");
    assert_eq!(behaviour(&Shared { counter: Arc::new(counter()) }).await, expected);
    assert_eq!(behaviour(&Maybe { counter: Some(counter()) }).await, expected);
    assert_eq!(behaviour(&Both { counter: Some(Arc::new(counter())) }).await, expected);
    assert_eq!(behaviour(&MaybeChain { inner: Some(Plain { counter: counter() }) }).await, expected);

    let mut managed = RailManager::new();
    managed.add(stops {}).unwrap();
    managed.add(Arc::new(counter())).unwrap();
    assert_eq!(behaviour(&managed).await, expected);
    let mut hooks = HookManager::new();
    Both { counter: Some(Arc::new(counter())) }.register(&mut hooks);
    assert_eq!(behaviour(&hooks).await, expected);
    assert_eq!(Both::PLAN.rails(HookPoint::PreToolCall)[0].info, Plain::PLAN.rails(HookPoint::PreToolCall)[0].info);
}

#[tokio::test]
async fn two_chains_can_share_a_rail_and_its_state() {
    let counter = Arc::new(Counter::default());
    let (one, two) = (Shared { counter: Arc::clone(&counter) }, Both { counter: Some(Arc::clone(&counter)) });
    let mut ctx = RunContext::new("wrapped");
    for _ in 0..3 {
        drop(one.dispatch::<PreToolCall>(&mut ToolCallInputs::new("t"), &mut ctx).await);
        drop(two.dispatch::<PreToolCall>(&mut ToolCallInputs::new("t"), &mut ctx).await);
    }
    assert_eq!(counter.calls.load(Ordering::Relaxed), 6);
}

#[tokio::test]
async fn an_absent_rail_does_nothing() {
    for rails in [Maybe { counter: None }, Maybe { counter: Some(Counter::default()) }] {
        let there = rails.counter.is_some();
        assert_eq!(Serves::<PreToolCall>::fact::<MayRewrite>(&rails), there, "no copy is kept for what is absent");
        let mut call = ToolCallInputs::new("t");
        assert!(rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("w")).await.unwrap().is_continue());
        assert_eq!(call.arguments.get("counted").is_some(), there);
    }
    let nested = MaybeChain { inner: None };
    assert!(!Serves::<PreToolCall>::fact::<MayRewrite>(&nested));
}

struct Redacts;

#[rail]
impl Redacts {
    #[on(LlmChunk, window = 8)]
    fn chunk(&self, window: &mut StreamWindow) {
        window.text = window.text.replace("secret", "[..]");
    }
}

/// The pieces in which an answer leaves.
async fn pieces<R: GuardSet>(rails: &R) -> Vec<String> {
    let left = std::sync::Mutex::new(Vec::new());
    let delta = |text: &str| Ok::<_, OperationError>(ModelDelta::Text(text.into()));
    let model = |_| stream::iter(["The sec", "ret is ", "out."].map(delta));
    let sink = |piece| {
        left.lock().unwrap().push(format!("{piece:?}"));
        async {}
    };
    let mut ctx = RunContext::new("wrapped");
    drop(rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await.unwrap());
    left.into_inner().unwrap()
}

#[tokio::test]
async fn an_absent_rail_does_not_delay_a_stream() {
    rail_chain! { struct Optional { redacts: Option<Redacts> } }
    rail_chain! { struct Always { redacts: Redacts } }
    rail_chain! { struct Around { inner: Optional } }
    let with = pieces(&Always { redacts: Redacts }).await;
    let without = pieces(&exo_rails::NoRails).await;
    assert_ne!(with, without);
    assert_eq!(pieces(&Optional { redacts: Some(Redacts) }).await, with);
    assert_eq!(pieces(&Optional { redacts: None }).await, without);
    assert_eq!(pieces(&Around { inner: Optional { redacts: Some(Redacts) } }).await, with);
    assert_eq!(pieces(&Around { inner: Optional { redacts: None } }).await, without);
    assert_eq!(pieces(&Arc::new(Optional { redacts: None })).await, without);
    for (redacts, expected) in [(None, &without), (Some(Redacts), &with)] {
        let mut hooks = HookManager::new();
        let there = redacts.is_some();
        Optional { redacts }.register(&mut hooks);
        assert_eq!(&pieces(&hooks).await, expected, "in a hook manager");
        let mut manager = RailManager::new();
        manager.add(there.then_some(Redacts)).unwrap();
        assert_eq!(&pieces(&manager).await, expected, "in a rail manager");
        assert_eq!(Serves::<LlmChunk>::fact::<MayRewrite>(&manager), there);
    }
}
