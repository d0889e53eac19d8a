//! What is ready at once leaves the thread to others, and a delay has a limit.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails, RetryLimit, RetryOrContinue, StreamPiece};
use tests::{GuardDyn, prompt, rails, tool};

#[rail(on = [PreToolCall, PostToolCall, ToolError])]
fn for_ever() -> RailAction {
    RailAction::retry(RetryRequest::new("again").with_max_retries(u32::MAX))
}

const SHORT: Duration = Duration::from_millis(20);

// Without a yield, these two never end.
#[tokio::test]
async fn retries_without_a_delay_can_be_timed_out() {
    let (rails, mut ctx) = (rails![for_ever], RunContext::new("ready"));
    let guarded = rails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool);
    assert!(tokio::time::timeout(SHORT, guarded).await.is_err());
}

#[tokio::test]
async fn a_stream_that_is_always_ready_can_be_timed_out() {
    let mut ctx = RunContext::new("ready");
    for text in ["", "a"] {
        let model = |_: Permit<ModelCallInputs>| {
            futures_util::stream::repeat_with(move || Ok::<_, OperationError>(ModelDelta::Text(text.to_owned())))
        };
        let guarded = NoRails.guard_stream(prompt("go"), &mut ctx, model, |_: StreamPiece| async {});
        assert!(tokio::time::timeout(SHORT, guarded).await.is_err());
    }
}

const YEAR: Duration = Duration::from_hours(365 * 24);

#[rail(on = [LlmError])]
fn obeys(error: &OperationError) -> RailAction {
    RailAction::retry(RetryRequest::new("busy").with_delay(error.retry_after.unwrap_or_default()))
}

#[rail(on = [LlmError])]
fn gives_way(error: &OperationError) -> RailAction<exo_rails::NoSubstitute, RetryOrContinue> {
    RailAction::retry_or_continue(RetryRequest::new("busy").with_delay(error.retry_after.unwrap_or_default()))
}

async fn busy(_: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    Err(OperationError::from("busy").with_retry_after(YEAR))
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_is_too_long_is_refused_at_once() {
    let (begin, mut ctx) = (tokio::time::Instant::now(), RunContext::new("delays"));
    let result = rails![obeys].dyn_llm_call(prompt("go"), &mut ctx, busy).await;
    let Err(RunError::RetriesExhausted(error)) = result else { panic!("{result:?}") };
    assert_eq!(error.limit, RetryLimit::Delay { max_seconds: 300 });
    assert_eq!(
        error.to_string(),
        "rail `obeys` wants a retry at llm_error but its delay is longer than the run allows (1 attempted, 300s at most): busy"
    );
    let error = rails![gives_way].dyn_llm_call(prompt("go"), &mut ctx, busy).await.unwrap_err();
    assert!(matches!(error, RunError::Operation(_)), "{error}");
    assert!(begin.elapsed().is_zero());
    let mut patient = RunContext::new("delays").with_max_retry_delay(YEAR);
    let error = rails![obeys].dyn_llm_call(prompt("go"), &mut patient, busy).await.unwrap_err();
    assert!(matches!(error, RunError::RetriesExhausted(error) if error.limit == RetryLimit::Rail { max_retries: 1 }));
    assert_eq!(begin.elapsed(), YEAR);
}
