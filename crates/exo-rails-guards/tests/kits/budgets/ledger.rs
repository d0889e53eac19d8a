//! Calls whose result says something else than their tools have done. A ledger counts what the tools have really done.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::circuit_breaker::Breaker;
use exo_rails_guards::concurrency::ConcurrencyLimit;
use exo_rails_guards::loops::Levels;
use exo_rails_guards::rate_limits::{Every, RateLimit, RatedCalls};
use exo_rails_guards::store::{GuardStore, MemoryStore, StateStore, key};
use exo_rails_guards::timeouts::TimeLimit;
use exo_rails_guards::{Budgets, CircuitBreaker, Concurrency, Fallback, Loops, RateLimits, Scope, Timeouts};

use crate::budgets::support::{answer, budgets, counter, usage};

/// What a tool really does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Succeeds,
    Hangs,
    Fails,
    ReportsATimeout,
    ReturnsAnErrorOutput,
}

use Body::{Fails, Hangs, ReportsATimeout, ReturnsAnErrorOutput, Succeeds};

impl Body {
    const ALL: [Self; 5] = [Succeeds, Hangs, Fails, ReportsATimeout, ReturnsAnErrorOutput];

    async fn run(self, ledger: Arc<AtomicU32>) -> Result<ToolOutput, OperationError> {
        ledger.fetch_add(1, Ordering::SeqCst);
        let error = |kind| Err(OperationError::new(kind, "no answer"));
        match self {
            Succeeds => Ok(ToolOutput::text("12345")),
            Hangs => std::future::pending().await,
            Fails => error(OperationErrorKind::Unavailable),
            ReportsATimeout => error(OperationErrorKind::Timeout),
            ReturnsAnErrorOutput => Ok(ToolOutput::error("1234567")),
        }
    }

    const fn is_error(self) -> bool {
        matches!(self, Hangs | Fails | ReportsATimeout)
    }

    /// Returns the bytes that the tool returns.
    const fn bytes(self) -> u64 {
        match self {
            Succeeds => 5,
            ReturnsAnErrorOutput => 7,
            _ => 0,
        }
    }
}

/// Replaces outputs before all guards of this table see them.
struct Replaces(Option<fn() -> ToolOutput>);

#[rail(priority = 5)]
impl Replaces {
    #[on(PostToolCall)]
    fn replace(&self, output: &mut ToolOutput) {
        if let Some(new) = self.0 {
            *output = new();
        }
    }
}

rail_chain! {
    struct Rails {
        replaces: Replaces,
        loops: Option<Loops>,
        rate_limits: Option<RateLimits>,
        budgets: Option<Budgets>,
        concurrency: Option<Concurrency>,
        breaker: Option<CircuitBreaker>,
        timeouts: Timeouts,
        fallback: Fallback,
    }
}

/// A combination of tools and rails.
struct Case {
    name: String,
    tool: Body,
    backup: Option<Body>,
    replaces: Option<fn() -> ToolOutput>,
    /// How often tools have run.
    ledger: Arc<AtomicU32>,
}

fn cases() -> Vec<Case> {
    let withheld: fn() -> ToolOutput = || ToolOutput::error("an error of a guard");
    let praised: fn() -> ToolOutput = || ToolOutput::text("all is well");
    let mut cases = Vec::new();
    for tool in Body::ALL {
        for backup in [None].into_iter().chain(Body::ALL.map(Some)) {
            for (replaced, replaces) in [("kept", None), ("withheld", Some(withheld)), ("praised", Some(praised))] {
                let name = format!("{tool:?}, backup {backup:?}, {replaced}");
                cases.push(Case { name, tool, backup, replaces, ledger: Arc::default() });
            }
        }
    }
    cases
}

impl Case {
    fn rails(&self) -> Rails {
        let limits = [TimeLimit::new("all", RatedCalls::ToolCalls, 20)];
        let mut fallback = Fallback::new();
        if let Some(backup) = self.backup {
            let ledger = Arc::clone(&self.ledger);
            fallback = fallback.tool("search", "backup", move |_| {
                let run = backup.run(Arc::clone(&ledger));
                async move {
                    let late = || OperationError::new(OperationErrorKind::Timeout, "too slow");
                    tokio::time::timeout(Duration::from_millis(20), run).await.unwrap_or_else(|_| Err(late()))
                }
            });
        }
        Rails {
            replaces: Replaces(self.replaces),
            loops: None,
            rate_limits: None,
            budgets: None,
            concurrency: None,
            breaker: None,
            timeouts: Timeouts::builder().limits(limits).build().unwrap(),
            fallback,
        }
    }

    async fn call(&self, rails: &Rails, ctx: &mut RunContext) -> ToolOutput {
        let body = |_| self.tool.run(Arc::clone(&self.ledger));
        rails.guard_tool_call(ToolCallInputs::new("search"), ctx, body).await.unwrap()
    }

    fn ran(&self) -> u32 {
        self.ledger.load(Ordering::SeqCst)
    }

    /// Returns the tool whose output the model reads, if rails do not replace it.
    fn answers(&self) -> Option<Body> {
        let backup = self.backup.filter(|backup| self.tool.is_error() && !backup.is_error());
        backup.or(Some(self.tool).filter(|tool| !tool.is_error()))
    }
}

#[tokio::test(start_paused = true)]
async fn budgets_count_each_tool_that_has_run() {
    for case in cases() {
        let store = Arc::new(MemoryStore::new());
        let limits = "limits = [
            { name = 'calls', of = 'tool_calls', most = 100 },
            { name = 'bytes', of = 'output_bytes', most = 100_000 },
        ]";
        let budgets = budgets(limits).with_store(GuardStore::new(Arc::clone(&store)));
        let rails = Rails { budgets: Some(budgets), ..case.rails() };
        let mut ctx = RunContext::new("demo").with_run_id("r");
        for _ in 0..2 {
            case.call(&rails, &mut ctx).await;
        }
        let calls = counter(&store, "calls", "tool_calls", Scope::Run, "r").await;
        assert_eq!((calls.used, calls.reserved), (u64::from(case.ran()), 0), "{}", case.name);
        // The bytes of a replaced output are those that the model reads.
        let replaced = case.replaces.map(|new| new().content.len() as u64);
        let each = case.answers().map_or(0, |tool| replaced.unwrap_or(tool.bytes()));
        let bytes = counter(&store, "bytes", "output_bytes", Scope::Run, "r").await;
        assert_eq!((bytes.used, bytes.reserved), (2 * each, 0), "{}", case.name);
    }
}

#[tokio::test(start_paused = true)]
async fn a_circuit_opens_after_the_failures_of_its_tool() {
    for case in cases() {
        let breakers = [Breaker::new("tools", RatedCalls::ToolCalls, 1)];
        let breaker = CircuitBreaker::builder().breakers(breakers).build().unwrap();
        let rails = Rails { breaker: Some(breaker), ..case.rails() };
        let mut ctx = RunContext::new("demo");
        case.call(&rails, &mut ctx).await;
        let before = case.ran();
        let body = |_| Succeeds.run(Arc::clone(&case.ledger));
        rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, body).await.unwrap();
        // If the circuit is open, only the fallback runs.
        let backups = u32::from(case.tool.is_error() && case.backup.is_some());
        let own = u32::from(!case.tool.is_error());
        assert_eq!(case.ran() - before, own + backups, "{}", case.name);
    }
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_counts_each_call_that_begins() {
    for case in cases() {
        let limits = [RateLimit::new("search", RatedCalls::ToolCalls, 1, Every::Hour)];
        let rails = Rails { rate_limits: Some(RateLimits::builder().limits(limits).build().unwrap()), ..case.rails() };
        let mut ctx = RunContext::new("demo");
        case.call(&rails, &mut ctx).await;
        let before = case.ran();
        case.call(&rails, &mut ctx).await;
        assert_eq!(case.ran(), before, "{}", case.name);
    }
}

#[tokio::test(start_paused = true)]
async fn each_end_of_a_call_frees_its_place() {
    for lease in [0, 60_000] {
        for case in cases() {
            let store = Arc::new(MemoryStore::new());
            let limit = ConcurrencyLimit::new("x", RatedCalls::ToolCalls, 1).max_wait_ms(0).lease_ms(lease);
            let concurrency = Concurrency::builder().limits([limit]).build().unwrap();
            let concurrency = concurrency.with_store(GuardStore::new(Arc::clone(&store)));
            let rails = Rails { concurrency: Some(concurrency), ..case.rails() };
            let mut ctx = RunContext::new("demo");
            for _ in 0..3 {
                let before = case.ran();
                case.call(&rails, &mut ctx).await;
                assert!(case.ran() > before, "{} {lease}", case.name);
            }
            let places = store.counter(&key(["concurrency", "x"])).await.unwrap();
            assert_eq!((places.used, places.reserved), (0, 0), "{} {lease}", case.name);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_loop_is_found_whether_the_tools_succeed_or_fail() {
    for case in cases() {
        let levels = Levels::new(2, 3, 0);
        let rails = Rails { loops: Some(Loops::builder().repetition(levels).build().unwrap()), ..case.rails() };
        let mut ctx = RunContext::new("demo");
        for number in 0..4_u32 {
            ctx.set_step(number);
            let before = case.ran();
            case.call(&rails, &mut ctx).await;
            assert_eq!(case.ran() > before, number < 2, "{} {number}", case.name);
        }
        assert_eq!(ctx.take_notices().len(), 1, "{}", case.name);
    }
}

rail_chain! { struct WithFallback { budgets: Budgets, fallback: Fallback } }

/// Returns the used tokens and model calls after a call of a model that fails, with a fallback.
#[tokio::test]
async fn the_tokens_of_a_fallback_model_count() {
    for (reported, without_usage, tokens) in [(Some(usage(30, 20)), "", 50), (None, "without_usage = 'nothing'\n", 0)] {
        let store = Arc::new(MemoryStore::new());
        let limits = "limits = [
            { name = 'tokens', of = 'total_tokens', most = 10_000 },
            { name = 'calls', of = 'model_calls', most = 10 },
        ]";
        let budgets = budgets(&format!("{without_usage}{limits}")).with_store(GuardStore::new(Arc::clone(&store)));
        let broken = |_| async { Err(OperationError::from("also down")) };
        let other = move |_| {
            let answer = answer(reported.clone());
            async move { Ok(answer) }
        };
        let rails = WithFallback { budgets, fallback: Fallback::new().model("a", broken).model("b", other) };
        let mut ctx = RunContext::new("demo").with_run_id("r");
        let down = |_| async { Err::<ModelResponse, _>(OperationError::from("down")) };
        for number in 1..3 {
            rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, down).await.unwrap();
            let used = counter(&store, "tokens", "total_tokens", Scope::Run, "r").await;
            assert_eq!((used.used, used.reserved), (number * tokens, 0), "{without_usage}");
            let calls = counter(&store, "calls", "model_calls", Scope::Run, "r").await;
            assert_eq!((calls.used, calls.reserved), (number * 3, 0), "{without_usage}");
        }
    }
}

/// A guard around the call refuses it, so no tool has run.
#[tokio::test]
async fn a_call_that_a_guard_around_it_refuses_is_not_counted() {
    let store = Arc::new(MemoryStore::new());
    let limits = "limits = [{ name = 'calls', of = 'tool_calls', most = 100 }]";
    let breakers = [Breaker::new("tools", RatedCalls::ToolCalls, 1)];
    let rails = Rails {
        budgets: Some(budgets(limits).with_store(GuardStore::new(Arc::clone(&store)))),
        breaker: Some(CircuitBreaker::builder().breakers(breakers).build().unwrap()),
        ..cases().remove(0).rails()
    };
    let (ledger, mut ctx) = (Arc::new(AtomicU32::new(0)), RunContext::new("demo").with_run_id("r"));
    for _ in 0..4 {
        let body = |_| Fails.run(Arc::clone(&ledger));
        rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, body).await.unwrap();
    }
    let calls = counter(&store, "calls", "tool_calls", Scope::Run, "r").await;
    assert_eq!((calls.used, calls.reserved, ledger.load(Ordering::SeqCst)), (1, 0, 1));
}
