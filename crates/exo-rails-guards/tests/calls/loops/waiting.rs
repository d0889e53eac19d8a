//! Calls of tools that wait.

use std::time::Duration;

use serde_json::json;

use crate::loops::support::Happened::{Aborted, Ran, Refused};
use crate::loops::support::{Run, rails};

#[tokio::test(start_paused = true)]
async fn waiting_is_no_loop_as_long_as_time_passes() {
    for tool in ["job_status", "read_output", "press_key", "BashOutput", "poll", "wait_for_text", "mcp__desk__sleep"] {
        let mut run = Run::new(rails(
            "waits = ['*_status', '*_output', 'press_key', 'BashOutput', 'poll', 'wait_*', '*__sleep']",
        ));
        for _ in 0..500 {
            assert_eq!(run.call(tool, json!({ "id": 7 }), "running").await, Ran, "{tool}");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        assert!(run.warnings().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn tools_wait_by_default_if_their_name_says_so() {
    let table = [
        ("wait", true),
        ("sleep", true),
        ("get_job_status", true),
        ("terminal_read_output", true),
        ("browser_press_key", true),
        ("browser_wait_for", true),
        ("write_stdin", true),
        ("TaskOutput", true),
        // A tool with another name can do more.
        ("WAIT", false),
        ("search", false),
        ("statuses", false),
        ("send_mail", false),
    ];
    for (tool, waits) in table {
        let mut run = Run::new(rails(""));
        let mut ran = true;
        for _ in 0..20 {
            ran &= run.call(tool, json!({}), "nothing yet").await == Ran;
        }
        assert_eq!(ran, waits, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_without_a_pause_has_a_limit_of_its_own() {
    let mut run = Run::new(rails("waiting = { warn = 3, refuse = 5, abort = 7 }"));
    for _ in 0..2 {
        assert_eq!(run.call("poll", json!({}), "running").await, Ran);
        assert!(run.warnings().is_empty());
    }
    assert_eq!(run.call("poll", json!({}), "running").await, Ran);
    let warning = "`poll`: 3 calls in a row have the same arguments and no new result, and each came less than 1000 ms after the \
                   one before. Wait longer between the calls, or finish and say what is missing.";
    assert_eq!(run.warnings(), [warning]);
    for expected in [Ran, Refused, Refused] {
        assert_eq!(run.call("poll", json!({}), "running").await, expected);
    }
    // A pause helps.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(run.call("poll", json!({}), "running").await, Refused);
    assert_eq!(run.call("poll", json!({}), "running").await, Aborted);
}

#[tokio::test(start_paused = true)]
async fn a_new_result_or_another_call_begins_again() {
    let mut run = Run::new(rails(
        "waiting = { warn = 2, refuse = 4, abort = 5 }\nrepetition = { warn = 0, refuse = 0, abort = 0 }",
    ));
    for round in 0..4 {
        for _ in 0..2 {
            assert_eq!(run.call("poll", json!({}), &format!("{round} %")).await, Ran);
        }
    }
    for round in 0..4 {
        assert_eq!(run.call("look", json!({ "round": round }), "a page").await, Ran);
        assert_eq!(run.call("poll", json!({}), "3 %").await, Ran, "{round}");
        assert_eq!(run.call("poll", json!({ "other": round }), "3 %").await, Ran);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_waits_hides_no_loop_of_other_calls() {
    let mut run = Run::new(rails(""));
    let mut happened = Vec::new();
    for _ in 0..5 {
        happened.push(run.call("search", json!({}), "nothing").await);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(run.call("wait", json!({ "seconds": 2 }), "waited").await, Ran);
    }
    assert_eq!(happened, [Ran, Ran, Ran, Ran, Refused]);
}
