//! All of it in one chain: time limits are failures, an open circuit is not asked again, and then comes the fallback.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::circuit_breaker::Breaker;
use exo_rails_guards::rate_limits::RatedCalls;
use exo_rails_guards::timeouts::TimeLimit;
use exo_rails_guards::{CircuitBreaker, Fallback, Findings, Kit, Retry, Timeouts, ToolPattern};
use tokio::time::Instant;

#[rail(priority = 65, on = [LlmError, ToolError])]
fn findings(ctx: &RailContext) {
    if let Some(Findings(found)) = ctx.extra.get() {
        let shown = found.iter().map(|finding| format!("{}/{}", finding.guard, finding.rule));
        ctx.run.update(|all: &mut Vec<String>| all.extend(shown));
    }
}

rail_chain! { struct Rails { kit: Kit, breaker: CircuitBreaker, timeouts: Timeouts, findings, fallback: Fallback } }

fn rails(fallback: Fallback) -> Rails {
    let limit = |of| TimeLimit::new("all", of, 100);
    let breaker = |name, of| Breaker::new(name, of, 3);
    let breakers = [breaker("models", RatedCalls::ModelCalls), breaker("tools", RatedCalls::ToolCalls)];
    let retry =
        "[retry]\nidempotent = 'search'\nmax_retries = 1\nmin_delay_ms = 10\njitter = false\nmax_retry_after_ms = 1000";
    Rails {
        kit: Kit::from_toml(retry).unwrap(),
        breaker: CircuitBreaker::builder().breakers(breakers).build().unwrap(),
        timeouts: Timeouts::builder()
            .limits([limit(RatedCalls::ModelCalls), limit(RatedCalls::ToolCalls)])
            .build()
            .unwrap(),
        fallback,
    }
}

#[tokio::test(start_paused = true)]
async fn timeout_retry_breaker_and_fallback_work_together() {
    let other = |_: Permit<ModelCallInputs>| async { Ok(ModelResponse::text("from the other")) };
    let rails = rails(Fallback::new().model("other", other));
    let asked = AtomicU32::new(0);
    let hangs = |_| {
        asked.fetch_add(1, Ordering::SeqCst);
        std::future::pending::<Result<ModelResponse, OperationError>>()
    };
    let mut ctx = RunContext::new("demo");
    let mut times = Vec::new();
    for _ in 0..4 {
        let began = Instant::now();
        let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, hangs).await.unwrap();
        assert_eq!(answer.message.text(), "from the other");
        times.push(began.elapsed().as_millis());
    }
    // Two attempts of 100 ms, one attempt that opens the circuit, and then none. An open circuit for 30 seconds is not waited for.
    assert_eq!((asked.into_inner(), times), (3, vec![210, 110, 0, 0]));
    let found: Vec<String> = ctx.run.get().unwrap();
    assert!(
        found.contains(&"timeouts/all".to_owned()) && found.contains(&"circuit_breaker/models".to_owned()),
        "{found:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_falls_back_to_the_next_one_that_works() {
    let fails = |_: Permit<ToolCallInputs>| async { Err(OperationError::from("also broken")) };
    let works = |call: Permit<ToolCallInputs>| async move {
        Ok(ToolOutput::text(format!("{} {}", call.tool_name, call.arguments["q"])))
    };
    let rails = rails(
        Fallback::new().tool("search", "search_b", fails).tool("search", "search_c", works).tool("pay", "pay_b", fails),
    );
    let broken = |_| async { Err::<ToolOutput, _>(OperationError::new(OperationErrorKind::Unavailable, "broken")) };
    let call = |tool: &str| ToolCallInputs::new(tool).with_arguments(serde_json::json!({ "q": 1 }));
    let mut ctx = RunContext::new("demo");
    assert_eq!(rails.guard_tool_call(call("search"), &mut ctx, broken).await.unwrap().content, "search_c 1");
    // All fallbacks fail: the first error remains.
    let output = rails.guard_tool_call(call("pay"), &mut ctx, broken).await.unwrap();
    assert!(output.content.contains("broken (unavailable)") && !output.content.contains("also"), "{}", output.content);
    // What one service refuses, another one must not do.
    let denied = |_| async { Err::<ToolOutput, _>(OperationError::new(OperationErrorKind::Denied, "not for you")) };
    let output = rails.guard_tool_call(call("search"), &mut ctx, denied).await.unwrap();
    assert!(output.content.contains("not for you"), "{}", output.content);
}

rail_chain! { struct Plain { retry: Retry, fallback: Fallback } }

#[tokio::test(start_paused = true)]
async fn a_fallback_acts_only_on_its_configured_kinds() {
    let other = |_: Permit<ToolCallInputs>| async { Ok(ToolOutput::text("other")) };
    let fallback = || Fallback::new().tool("t", "u", other);
    assert!(fallback().kinds([]).is_err());
    let fallback = fallback().kinds([OperationErrorKind::NotFound]).unwrap();
    let pattern: ToolPattern = "t".parse().unwrap();
    let rails = Plain { retry: Retry::builder().idempotent([pattern]).build().unwrap(), fallback };
    for (kind, expected) in [(OperationErrorKind::NotFound, true), (OperationErrorKind::Timeout, false)] {
        let broken = |_| async move { Err::<ToolOutput, _>(OperationError::new(kind, "broken")) };
        let began = Instant::now();
        let output =
            rails.guard_tool_call(ToolCallInputs::new("t"), &mut RunContext::new("demo"), broken).await.unwrap();
        assert_eq!(output.content == "other", expected);
        assert_eq!(began.elapsed() > Duration::from_secs(1), kind == OperationErrorKind::Timeout);
    }
}
