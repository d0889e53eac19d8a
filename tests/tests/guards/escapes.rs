//! Panics while a rail with `on_panic = "fault"` is dropped, and panics in observers of an error.

use std::fmt;
use std::panic::panic_any;

use exo_rails::prelude::*;
use tests::{GuardDyn, note, notes, rails, tool};

/// Panics when it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("it is dropped");
    }
}

/// Panics when it is shown.
#[derive(Debug)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("it is shown")
    }
}

impl std::error::Error for Unspeakable {}

/// Panics when it is dropped.
#[derive(Debug)]
struct DroppedError {
    _bomb: Bomb,
}

impl fmt::Display for DroppedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bad")
    }
}

impl std::error::Error for DroppedError {}

#[rail(on = [PreToolCall], on_panic = "fault", on_fault = "continue")]
async fn payload() -> Verdict {
    panic_any(Bomb)
}

#[rail(on = [PreToolCall], on_panic = "fault", on_fault = "continue")]
fn payload_at_once() -> Verdict {
    panic_any(Bomb)
}

#[rail(on = [PreToolCall], on_panic = "fault", on_fault = "continue", timeout = "1ms")]
async fn late() -> Verdict {
    let _local = Bomb;
    std::future::pending().await
}

#[rail(on = [PreToolCall], on_panic = "fault", on_fault = "continue")]
async fn shown() -> Result<Verdict, Unspeakable> {
    Err(Unspeakable)
}

#[rail(on = [PreToolCall], on_panic = "fault", on_fault = "continue")]
async fn dropped() -> Result<Verdict, DroppedError> {
    Err(DroppedError { _bomb: Bomb })
}

#[rail(on = [PreToolCall], always, on_panic = "fault")]
async fn always_dropped() -> Result<(), DroppedError> {
    Err(DroppedError { _bomb: Bomb })
}

#[rail(on = [PreToolCall], on_panic = "fault", on_fault = "skip")]
async fn skips() -> Result<Verdict, Unspeakable> {
    Err(Unspeakable)
}

#[rail(on = [PreToolCall], on_panic = "fault")]
async fn aborts() -> Result<Verdict, Unspeakable> {
    Err(Unspeakable)
}

#[rail(on = [PreToolCall], priority = 10)]
fn stops() -> RailAction {
    RailAction::skip("stopped")
}

async fn call(rails: impl GuardSet) -> Result<String, RunError> {
    let mut ctx = RunContext::new("escapes");
    Ok(rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?.content)
}

#[tokio::test]
async fn nothing_escapes_from_a_rail_whose_panics_are_faults() {
    let ran = call(exo_rails::NoRails).await.unwrap();
    assert_eq!(call(rails![payload]).await.unwrap(), ran);
    assert_eq!(call(rails![payload_at_once]).await.unwrap(), ran);
    assert_eq!(call(rails![late]).await.unwrap(), ran);
    assert_eq!(call(rails![shown]).await.unwrap(), ran);
    assert_eq!(call(rails![dropped]).await.unwrap(), ran);
    assert_eq!(call(rails![always_dropped]).await.unwrap(), ran);
    assert!(call(rails![stops, always_dropped]).await.unwrap().ends_with("stopped"));
    assert!(call(rails![skips]).await.unwrap().ends_with("its error panics when it is shown"));
    let error = call(rails![aborts]).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `aborts` faulted at pre_tool_call: its error panics when it is shown");
}

#[rail(on = [Error, SessionEnd], priority = 90)]
fn observer(ctx: &RailContext) {
    note(ctx, "told");
    panic!("the observer");
}

#[tokio::test]
async fn an_observer_that_panics_does_not_replace_the_error_of_the_run() {
    let mut ctx = RunContext::new("escapes");
    let failing = |_| async { Err::<InvokeOutput, _>("boom") };
    let error = rails![observer].dyn_run("go", &mut ctx, failing).await.unwrap_err();
    assert_eq!(error.to_string(), "boom (failed)");
    rails![observer].end_session(&"s-1".into(), &mut ctx).await;
    assert_eq!(notes(&ctx), ["told", "told"]);
}
