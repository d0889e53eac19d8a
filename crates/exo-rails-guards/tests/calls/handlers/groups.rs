//! Nothing of a handler survives: after a time-out, a cancelled run, too much output, or its normal end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::handlers::{FailMode, HandlerConfig};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::handlers::{Guards, Hooks, call_tool};

/// A script that starts a grandchild, which ignores the polite signals, and writes the ids of both into files.
fn with_grandchild(hooks: &Hooks, then: &str) -> (HandlerConfig, [PathBuf; 2]) {
    let files = ["child", "grandchild"].map(|name| hooks.path().join(name));
    let [child, grandchild] = files.each_ref().map(|file| file.display());
    let inner =
        hooks.script("inner", &format!("trap '' TERM HUP INT\necho $$ > {grandchild}\nwhile :; do sleep 1; done"));
    let script = format!(
        "trap '' TERM HUP INT\n{} &\nwhile [ ! -s {grandchild} ]; do sleep 0.01; done\necho $$ > {child}\n{then}",
        inner.display()
    );
    (hooks.handler("outer", &script), files)
}

/// Returns whether the process of this file lives. A zombie does not: its parent only has not asked yet.
fn lives(file: &Path) -> bool {
    let id = std::fs::read_to_string(file).unwrap_or_default();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !id.trim().is_empty() && state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Returns whether the kernel still lists the process, be it as a zombie.
fn is_listed(file: &Path) -> bool {
    Path::new("/proc").join(std::fs::read_to_string(file).unwrap_or_default().trim()).join("stat").exists()
}

/// Waits until the condition holds. Gives up after a minute, when the test has failed.
async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "{what}");
        sleep(Duration::from_millis(20)).await;
    }
}

fn limited(handler: HandlerConfig, timeout_ms: u64) -> HandlerConfig {
    HandlerConfig { timeout_ms: Some(timeout_ms), ..handler }
}

#[tokio::test]
async fn a_time_out_ends_the_whole_group() {
    let hooks = Hooks::new();
    let (handler, files) = with_grandchild(&hooks, "while :; do sleep 1; done");
    let guards = hooks.guards([limited(handler, 1_500)]);
    let error = call_tool(&guards, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("it did not answer within 1.5s"), "{error}");
    assert!(files.iter().all(|file| file.exists()), "both must have started");
    assert!(!lives(&files[0]) && !is_listed(&files[0]), "the child is dead, and not a zombie");
    eventually("the grandchild is dead", || !lives(&files[1])).await;
}

#[tokio::test]
async fn a_cancelled_run_ends_the_whole_group() {
    let hooks = Hooks::new();
    let (handler, files) = with_grandchild(&hooks, "while :; do sleep 1; done");
    let guards = hooks.guards([limited(handler, 60_000)]);
    let token = CancellationToken::new();
    let mut ctx = RunContext::new("test").with_cancellation(token.clone());
    let run = tokio::spawn(async move { call_tool(&guards, &mut ctx).await });
    let started = files.clone();
    eventually("both have started", || started.iter().all(|file| lives(file))).await;
    token.cancel();
    assert!(run.await.unwrap().unwrap_err().contains("cancelled"));
    for file in &files {
        eventually("the process is dead", || !lives(file)).await;
    }
    eventually("the child is not a zombie", || !is_listed(&files[0])).await;
}

#[tokio::test]
async fn a_dropped_future_ends_the_whole_group() {
    let hooks = Hooks::new();
    let (handler, files) = with_grandchild(&hooks, "while :; do sleep 1; done");
    let guards = hooks.guards([limited(handler, 60_000)]);
    let run = tokio::spawn(async move { call_tool(&guards, &mut RunContext::new("test")).await });
    let started = files.clone();
    eventually("both have started", || started.iter().all(|file| lives(file))).await;
    run.abort();
    for file in &files {
        eventually("the process is dead", || !lives(file)).await;
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_does_not_delay_the_answer_and_ends() {
    let hooks = Hooks::new();
    let (handler, files) = with_grandchild(&hooks, "echo '{\"decision\":\"block\",\"reason\":\"done\"}'");
    // A grandchild that outlives its parent would keep the pipe open until the time-out.
    let guards = hooks.guards([limited(handler, 60_000)]);
    let output = call_tool(&guards, &mut RunContext::new("test")).await.unwrap();
    assert!(output.ends_with("done"), "{output}");
    eventually("the grandchild is dead", || !lives(&files[1])).await;
}

#[tokio::test]
async fn a_process_in_its_own_session_does_not_delay_the_answer() {
    let hooks = Hooks::new();
    // `setsid` leaves the group, which the docs say. It ends by itself.
    let handler =
        hooks.handler("hook", "setsid sleep 20 &\nsleep 0.2\necho '{\"decision\":\"block\",\"reason\":\"done\"}'");
    let guards = hooks.guards([limited(handler, 15_000)]);
    assert!(call_tool(&guards, &mut RunContext::new("test")).await.unwrap().ends_with("done"));
}

#[tokio::test]
async fn too_much_output_ends_the_whole_group() {
    let hooks = Hooks::new();
    let (handler, files) = with_grandchild(&hooks, "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
    let guards = hooks.guards([HandlerConfig { max_output_bytes: 10_000, ..limited(handler, 60_000) }]);
    let error = call_tool(&guards, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("more than 10000 bytes"), "{error}");
    for file in &files {
        eventually("the process is dead", || !lives(file)).await;
    }
}

#[tokio::test]
async fn a_time_out_that_fails_open_lets_the_call_run() {
    let hooks = Hooks::new();
    let handler = HandlerConfig { fail_mode: FailMode::Open, ..limited(hooks.handler("hook", "sleep 60"), 200) };
    assert!(call_tool(&hooks.guards([handler]), &mut RunContext::new("test")).await.unwrap().starts_with("ran"));
}

#[tokio::test]
async fn a_background_handler_decides_nothing_and_is_bounded() {
    let hooks = Hooks::new();
    let log = hooks.path().join("log");
    let script = format!("sleep 0.3; echo done >> {}; exit 2", log.display());
    let handler = HandlerConfig { background: true, ..limited(hooks.handler("hook", &script), 60_000) };
    let mut config = exo_rails_guards::handlers::HookHandlersConfig { max_background: 2, ..Default::default() };
    config.handlers = vec![handler.clone(), handler.clone(), handler];
    config.allowed_dirs = vec![hooks.path().to_owned()];
    let guards = Guards { handlers: exo_rails_guards::handlers::HookHandlers::new(config).unwrap() };
    assert!(call_tool(&guards, &mut RunContext::new("test")).await.unwrap().starts_with("ran"));
    assert!(!log.exists(), "the call has waited for a handler in the background");
    eventually("two handlers have ended", || std::fs::read_to_string(&log).unwrap_or_default() == "done\ndone\n").await;
    // The room of a handler that has ended is free soon after.
    for attempt in 0.. {
        assert!(attempt < 1_000, "no handler has started again");
        assert!(call_tool(&guards, &mut RunContext::new("test")).await.unwrap().starts_with("ran"));
        sleep(Duration::from_millis(20)).await;
        if std::fs::read_to_string(&log).unwrap_or_default().lines().count() > 2 {
            return;
        }
    }
}
