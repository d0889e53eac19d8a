//! Warnings, refusals, and the end of the run.

use exo_rails::prelude::*;
use exo_rails_guards::Findings;
use exo_rails_guards::loops::{LoopScope, Loops, Progress};
use serde_json::{Value, json};

use crate::loops::support::Happened::{Aborted, Ran, Refused};
use crate::loops::support::{Happened, Run, rails};

/// The calls of a history: a letter is a tool, and what follows it is the result.
async fn happens(toml: &str, calls: &[&str]) -> Vec<Happened> {
    let mut run = Run::new(rails(toml));
    let mut all = Vec::new();
    for call in calls {
        let (name, result) = call.split_at(1);
        all.push(run.call(name, json!({}), result).await);
    }
    all
}

#[tokio::test]
async fn a_repeated_call_is_warned_about_then_refused_then_ends_the_run() {
    let mut run = Run::new(rails(""));
    for expected in [Ran, Ran] {
        assert_eq!(run.call("search", json!({ "q": 1 }), "nothing").await, expected);
        assert!(run.warnings().is_empty());
    }
    assert_eq!(run.call("search", json!({ "q": 1.0 }), "nothing").await, Ran);
    assert_eq!(
        run.warnings(),
        [
            "`search`: 3 calls in a row have the same arguments, and there is no new result. Do not repeat the call: use \
          what you know, try another way, or finish and say what is missing."
        ]
    );
    for expected in [Ran, Refused, Refused, Refused, Aborted] {
        assert_eq!(run.call("search", json!({ "q": 1 }), "nothing").await, expected);
        assert!(run.warnings().is_empty(), "a loop is warned about once");
    }
}

#[tokio::test]
async fn another_call_ends_a_repetition() {
    let mut run = Run::new(rails("redundancy = { warn = 0, refuse = 0, abort = 0 }\noscillation.warn = 0"));
    for round in 0..6 {
        for _ in 0..4 {
            assert_eq!(run.call("search", json!({}), "nothing").await, Ran);
        }
        assert_eq!(run.call("read", json!({ "page": round }), "text").await, Ran);
    }
}

#[tokio::test]
async fn each_loop_in_the_table_is_refused_at_its_limit() {
    let off = "redundancy = { warn = 0, refuse = 0, abort = 0 }\n";
    for (toml, calls, expected) in [
        // The fourth round of two calls ends with a refused call, and the sixth ends the run.
        (
            "",
            vec!["a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"],
            vec![Ran, Ran, Ran, Ran, Ran, Ran, Ran, Refused, Refused, Refused, Refused, Aborted],
        ),
        (
            "",
            vec!["a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"],
            vec![Ran, Ran, Ran, Ran, Ran, Ran, Ran, Ran, Ran, Ran, Refused, Refused],
        ),
        // The results change.
        (off, vec!["a1", "b", "a2", "b", "a3", "b", "a4", "b", "a5", "b"], vec![Ran; 10]),
        ("", vec!["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"], vec![Ran; 9]),
        ("polling.refuse = 26", vec!["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"], vec![Ran; 9]),
        (
            "polling = { warn = 2, refuse = 4, abort = 5 }",
            vec!["a1", "a2", "a3", "a4", "a5"],
            vec![Ran, Ran, Ran, Refused, Aborted],
        ),
        // The same call again, between others.
        (
            "redundancy = { warn = 2, refuse = 3, abort = 4 }",
            vec!["a", "b", "a", "c", "a"],
            vec![Ran, Ran, Ran, Ran, Refused],
        ),
        ("redundancy = { warn = 2, refuse = 3, abort = 4 }", vec!["a1", "b", "a2", "c", "a1"], vec![Ran; 5]),
        // Periods above the bound are not seen as oscillations.
        (
            "max_period = 2\nstagnation = { warn = 0, refuse = 0, abort = 0 }",
            vec!["a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"],
            vec![Ran; 12],
        ),
        // For the others, exempt calls do not exist.
        (
            "exempt = 'w'",
            vec!["a", "w", "a", "w", "a", "w", "a", "w", "a", "w", "w", "w", "w", "w", "w"],
            vec![Ran, Ran, Ran, Ran, Ran, Ran, Ran, Ran, Refused, Ran, Ran, Ran, Ran, Ran, Ran],
        ),
        (
            "resets = ['ask*', 'u']",
            vec!["a", "a", "a", "a", "u", "a", "a", "a", "a", "a"],
            vec![Ran, Ran, Ran, Ran, Ran, Ran, Ran, Ran, Ran, Refused],
        ),
    ] {
        assert_eq!(happens(toml, &calls).await, expected, "{toml} {calls:?}");
    }
}

#[tokio::test]
async fn work_that_repeats_a_tool_is_not_a_loop() {
    let mut run = Run::new(rails(""));
    for page in 0..100 {
        assert_eq!(run.call("list", json!({ "page": page }), "the same empty page").await, Ran);
        assert_eq!(run.call("read", json!({ "path": format!("src/{page}.rs") }), "").await, Ran);
    }
    for done in 0..24 {
        assert_eq!(run.call("status", json!({ "job": 7 }), &format!("{done} of 24 are done")).await, Ran);
    }
    assert!(run.warnings().is_empty());
}

#[tokio::test]
async fn errors_with_other_ids_are_the_same_error() {
    let mut run = Run::new(rails(""));
    for (attempt, expected) in [Ran, Ran, Ran, Ran, Refused].into_iter().enumerate() {
        let error = format!("request {attempt}f3 failed at 12:0{attempt}");
        assert_eq!(run.output("pay", json!({}), Err(&error)).await, expected);
    }
}

#[tokio::test]
async fn drift_is_not_reported_without_a_measure_of_progress() {
    let mut run = Run::new(rails("drift = { warn = 2, refuse = 3, abort = 4 }"));
    for step in 0..50 {
        assert_eq!(run.call("edit", json!({ "line": step }), "done").await, Ran);
    }
}

#[tokio::test]
async fn calls_without_progress_are_drift() {
    for unhelpful in [0.0, -1.0, f64::NAN] {
        let mut run = Run::new(rails("drift = { warn = 2, refuse = 4, abort = 6 }"));
        let mut edits = 0;
        let mut edit = async |run: &mut Run<_>| {
            edits += 1;
            run.call("edit", json!({ "line": edits }), "done").await
        };
        // Before the first measure, nothing counts.
        for _ in 0..3 {
            assert_eq!(edit(&mut run).await, Ran);
        }
        run.ctx.run.insert(Progress(0.0));
        assert_eq!(edit(&mut run).await, Ran);
        run.ctx.run.insert(Progress(1.0));
        assert_eq!(edit(&mut run).await, Ran);
        assert!(run.warnings().is_empty());
        run.ctx.run.insert(Progress(unhelpful));
        for expected in [Ran, Ran, Refused, Refused, Aborted] {
            assert_eq!(edit(&mut run).await, expected, "{unhelpful}");
        }
        assert_eq!(
            run.warnings(),
            ["`edit`: 2 calls have brought no progress. Try another way, or finish and say what is missing."]
        );
    }
}

#[tokio::test]
async fn progress_begins_a_new_history() {
    let mut run = Run::new(rails(""));
    for measure in [1.0, 2.0, 3.0] {
        run.ctx.run.insert(Progress(measure));
        for _ in 0..4 {
            assert_eq!(run.call("test", json!({}), "1 failed").await, Ran);
        }
    }
}

/// Refuses everything before the guard sees it.
#[rail(priority = 10, on = [PreToolCall])]
fn refuse_all(call: &ToolCallInputs) -> RailAction {
    RailAction::skip(format!("loops/ `{}` is not allowed", call.tool_name))
}

rail_chain! { struct Strict { refuse_all, loops: Loops } }

#[tokio::test]
async fn an_agent_that_repeats_a_call_that_another_guard_refuses_is_in_a_loop() {
    let mut run = Run::new(Strict { loops: crate::loops::support::loops("") });
    for expected in [Refused, Refused, Refused, Refused, Refused, Refused, Refused, Aborted] {
        assert_eq!(run.call("delete", json!({}), "").await, expected);
    }
    assert_eq!(run.warnings().len(), 1);
}

#[rail(priority = 30, on = [PreToolCall, PostToolCall])]
fn findings(ctx: &RailContext) {
    if let Some(Findings(found)) = ctx.extra.get() {
        let shown = found.iter().map(|finding| (finding.severity.name(), finding.to_string()));
        ctx.run.update(|all: &mut Vec<(&'static str, String)>| all.extend(shown));
    }
}

rail_chain! { struct Watched { loops: Loops, findings } }

#[tokio::test]
async fn findings_name_the_pattern() {
    let mut run = Run::new(Watched { loops: crate::loops::support::loops("repetition.abort = 6") });
    for _ in 0..6 {
        run.call("secret-tool", json!({ "password": "hunter2" }), "hunter2").await;
    }
    let all: Vec<(&str, String)> = run.ctx.run.get().unwrap();
    // The rail is not called after a refusal.
    let warned = "loops/repetition: 3 calls in a row have the same arguments, and there is no new result".to_owned();
    assert_eq!(all, [("low", warned)]);
}

#[tokio::test]
async fn a_session_has_one_history_if_the_configuration_says_so() {
    let session = exo_rails::SharedExtensions::default();
    for (scope, expected) in [(LoopScope::Run, Ran), (LoopScope::Session, Refused)] {
        let rails = || crate::loops::support::Rails { loops: Loops::builder().scope(scope).build().unwrap() };
        let mut last = Ran;
        for turn in 0..5 {
            let mut run = Run::new(rails());
            run.ctx = RunContext::new("demo").with_session("s", session.clone(), turn);
            last = run.call("search", json!({}), "nothing").await;
        }
        assert_eq!(last, expected);
    }
    let rails = crate::loops::support::Rails { loops: Loops::builder().scope(LoopScope::Session).build().unwrap() };
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let error = rails.guard_tool_call(ToolCallInputs::new("t"), &mut RunContext::new("demo"), tool).await.unwrap_err();
    assert!(error.to_string().contains("the run has no session"), "{error}");
}

#[tokio::test]
async fn calls_with_odd_arguments_are_counted() {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    for arguments in [Value::Null, json!("not JSON"), json!([]), json!({ "a": f64::MAX }), deep] {
        let mut run = Run::new(rails(""));
        for expected in [Ran, Ran, Ran, Ran, Refused] {
            assert_eq!(run.call("t", arguments.clone(), "").await, expected, "{arguments}");
        }
    }
}
