//! Which calls are repeated, how often, and when.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::retry::RetryConfig;
use exo_rails_guards::{Findings, Retry, config};
use tokio::time::Instant;

rail_chain! { struct Rails { retry: Retry } }

fn rails(toml: &str) -> Rails {
    Rails { retry: config::from_toml::<RetryConfig>(toml).unwrap().build().unwrap() }
}

/// Calls a tool that always fails. Returns how often it ran, and how long that took.
async fn fails(rails: &Rails, tool: &str, error: impl Fn() -> OperationError + Sync) -> (u32, Duration) {
    fails_in(&mut RunContext::new("demo"), rails, tool, error).await
}

async fn fails_in(
    ctx: &mut RunContext,
    rails: &Rails,
    tool: &str,
    error: impl Fn() -> OperationError + Sync,
) -> (u32, Duration) {
    let (calls, began) = (AtomicU32::new(0), Instant::now());
    let body = |_| {
        calls.fetch_add(1, Ordering::SeqCst);
        let error = error();
        async { Err::<ToolOutput, _>(error) }
    };
    let output = rails.guard_tool_call(ToolCallInputs::new(tool), ctx, body).await.unwrap();
    assert!(output.content.contains("broken"), "the failure remains: {}", output.content);
    (calls.into_inner(), began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn each_failure_is_repeated_as_the_table_says() {
    use OperationErrorKind::*;
    for (toml, tool, kind, expected) in [
        ("idempotent = 'read_*'", "read_file", Unavailable, 4),
        ("idempotent = 'read_*'", "read_file", Timeout, 4),
        ("idempotent = 'read_*'", "read_file", RateLimited, 4),
        ("idempotent = 'read_*'\nmax_retries = 1", "read_file", Timeout, 2),
        ("idempotent = 'read_*'\nkinds = ['other']", "read_file", Other, 4),
        // Kinds that a retry does not change.
        ("idempotent = 'read_*'", "read_file", InvalidRequest, 1),
        ("idempotent = 'read_*'", "read_file", Denied, 1),
        ("idempotent = 'read_*'", "read_file", NotFound, 1),
        // Tools that may not be called twice, also in another spelling.
        ("idempotent = 'read_*'", "pay", Unavailable, 1),
        ("idempotent = 'read_*'", "READ_file", Unavailable, 1),
        ("", "read_file", Unavailable, 1),
    ] {
        let (calls, _) = fails(&rails(toml), tool, || OperationError::new(kind, "broken")).await;
        assert_eq!(calls, expected, "{toml} {tool} {kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn delays_double_up_to_a_bound() {
    let toml = "idempotent = 't'\nmax_retries = 6\nmin_delay_ms = 100\nmax_delay_ms = 1_000\njitter = false";
    let (calls, time) = fails(&rails(toml), "t", || OperationError::new(OperationErrorKind::Timeout, "broken")).await;
    // The clock of tokio rounds each delay up to a millisecond.
    assert_eq!((calls, time.as_millis() / 10), (7, (100 + 200 + 400 + 800 + 1_000 + 1_000) / 10));
}

#[tokio::test(start_paused = true)]
async fn jitter_adds_at_most_the_shortest_delay() {
    let toml = "idempotent = 't'\nmax_retries = 1\nmin_delay_ms = 100";
    let mut times = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let (_, time) = fails(&rails(toml), "t", || OperationError::new(OperationErrorKind::Timeout, "broken")).await;
        assert!((100..=201).contains(&time.as_millis()), "{time:?}");
        times.insert(time.as_millis());
    }
    assert!(times.len() > 5, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_as_long_as_the_server_asks() {
    let asks = |seconds| {
        move || {
            OperationError::new(OperationErrorKind::RateLimited, "broken")
                .with_retry_after(Duration::from_secs(seconds))
        }
    };
    let rails = rails("idempotent = 't'\nmax_retries = 2");
    assert_eq!(fails(&rails, "t", asks(7)).await, (3, Duration::from_secs(14)));
    // It is not repeated if the server asks for more time than there is.
    assert_eq!(fails(&rails, "t", asks(61)).await, (1, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn a_run_has_a_budget_of_retries() {
    let rails = rails("idempotent = 't'\nmax_per_run = 5");
    let mut ctx = RunContext::new("demo");
    let mut calls = Vec::new();
    for _ in 0..4 {
        calls.push(
            fails_in(&mut ctx, &rails, "t", || OperationError::new(OperationErrorKind::Timeout, "broken")).await.0,
        );
    }
    // The first attempts, and five retries.
    assert_eq!(calls, [4, 3, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn model_calls_are_repeated_unless_the_configuration_forbids_it() {
    for (toml, expected) in [("", 4), ("models = false", 1)] {
        let calls = AtomicU32::new(0);
        let model = |_| {
            calls.fetch_add(1, Ordering::SeqCst);
            async { Err::<ModelResponse, _>(OperationError::new(OperationErrorKind::Unavailable, "broken")) }
        };
        let error = rails(toml).guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), model).await;
        assert!(matches!(error, Err(RunError::Operation(_))), "{error:?}");
        assert_eq!(calls.into_inner(), expected);
    }
}

#[rail(priority = 90, on = [ToolError])]
fn findings(ctx: &RailContext) {
    let found = ctx.extra.get::<Findings>().map_or(0, |Findings(found)| found.len());
    ctx.run.update(|all: &mut Vec<usize>| all.push(found));
}

rail_chain! { struct Watched { retry: exo_rails::InMode<Retry>, findings } }

#[tokio::test(start_paused = true)]
async fn a_retry_in_shadow_repeats_nothing() {
    let retry = exo_rails::InMode::new(exo_rails::Mode::Shadow, rails("idempotent = 't'").retry);
    let calls = AtomicU32::new(0);
    let body = |_| {
        calls.fetch_add(1, Ordering::SeqCst);
        async { Err::<ToolOutput, _>(OperationError::new(OperationErrorKind::Timeout, "broken")) }
    };
    let mut ctx = RunContext::new("demo");
    Watched { retry }.guard_tool_call(ToolCallInputs::new("t"), &mut ctx, body).await.unwrap();
    assert_eq!(calls.into_inner(), 1);
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    for (toml, message) in [
        ("kinds = []", "`kinds`: without kinds, nothing is repeated: write some, such as `kinds = [\"unavailable\"]`"),
        ("max_retries = 0", "`max_retries`: 0 would repeat nothing: write at least 1, or `mode = \"off\"`"),
        ("max_delay_ms = 10", "`max_delay_ms`: 10 is less than `min_delay_ms`, which is 500: write a longer time"),
    ] {
        let error = config::from_toml::<RetryConfig>(toml).unwrap().build().unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
