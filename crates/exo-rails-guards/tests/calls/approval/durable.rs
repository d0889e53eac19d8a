//! Requests of suspended runs, in a store.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::approval::{Desk, Inbox, OnTimeout, OpenRequest, Reply, ReplyError};
use exo_rails_guards::store::MemoryStore;
use serde_json::json;

use crate::approval::{Ledger, guarded, guarded_by, pay};

fn run_7() -> RunContext {
    RunContext::new("desk").with_run_id("run-7")
}

async fn only(inbox: &Inbox) -> OpenRequest {
    let mut open = inbox.open().await.unwrap();
    assert_eq!(open.len(), 1);
    open.remove(0)
}

/// Suspends a run, and returns the inbox with its request.
async fn suspended(toml: &str) -> (Inbox, Ledger) {
    let inbox = Inbox::new(Arc::new(MemoryStore::new()));
    let ledger = Ledger::default();
    let rails = guarded_by(toml, inbox.clone());
    assert!(ledger.run(&rails, &mut run_7(), pay("ada")).await.unwrap_err().suspension().is_some());
    (inbox, ledger)
}

const PAY: &str = "[[rules]]\ntool = 'pay'";

#[tokio::test]
async fn a_reply_lets_one_call_pass() {
    let (inbox, ledger) = suspended(PAY).await;
    let open = only(&inbox).await;
    assert_eq!((open.request.id.as_str(), open.remaining_ms), ("run-7/desk/0.0/approval", None));
    // The program that lists may be another one than the program that replies.
    let open: OpenRequest = serde_json::from_str(&serde_json::to_string(&open).unwrap()).unwrap();
    inbox.reply(&open, Reply::ApproveOnce).await.unwrap();
    assert!(inbox.open().await.unwrap().is_empty(), "the request has a reply");

    // Another process, with new guards.
    let rails = guarded_by(PAY, inbox.clone());
    let mut ctx = run_7();
    assert_eq!(ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap().content, "done");
    assert!(ledger.run(&rails, &mut ctx, pay("ada")).await.is_err(), "the reply is used up");
    assert!(ledger.run(&rails, &mut run_7(), pay("ada")).await.is_err(), "the reply is used up");
    assert_eq!(ledger.calls().len(), 1);
}

#[tokio::test]
async fn a_refusal_and_a_change_arrive() {
    for (reply, expected, calls) in [
        (Reply::deny("too much"), "a person refused the call: too much", vec![]),
        (Reply::Change { arguments: json!({ "to": "bob" }) }, "done", vec![json!({ "to": "bob" })]),
    ] {
        let (inbox, ledger) = suspended(PAY).await;
        inbox.reply(&only(&inbox).await, reply).await.unwrap();
        let output = ledger.run(&guarded_by(PAY, inbox), &mut run_7(), pay("ada")).await.unwrap();
        assert!(output.content.ends_with(expected), "{}", output.content);
        assert_eq!(ledger.calls(), calls);
    }
}

#[tokio::test]
async fn only_the_first_reply_counts() {
    let (inbox, ledger) = suspended(PAY).await;
    let open = only(&inbox).await;
    let replies: Vec<_> = (0..20)
        .map(|number| {
            let (inbox, open) = (inbox.clone(), open.clone());
            let reply = if number % 2 == 0 { Reply::ApproveOnce } else { Reply::deny("no") };
            tokio::spawn(async move { inbox.reply(&open, reply.clone()).await.map(|()| reply) })
        })
        .collect();
    let mut counted = Vec::new();
    for reply in replies {
        match reply.await.unwrap() {
            Ok(reply) => counted.push(reply),
            Err(error) => assert!(matches!(error, ReplyError::AlreadyReplied), "{error}"),
        }
    }
    assert_eq!(counted.len(), 1);
    ledger.run(&guarded_by(PAY, inbox), &mut run_7(), pay("ada")).await.unwrap();
    assert_eq!(ledger.calls().len(), usize::from(counted[0] == Reply::ApproveOnce));
}

#[tokio::test]
async fn a_reply_to_another_request_is_refused() {
    let (inbox, ledger) = suspended(PAY).await;
    let old = only(&inbox).await;
    // Another process has a run with the same id, and its call is another one.
    let rails = guarded_by(PAY, inbox.clone());
    assert!(ledger.run(&rails, &mut run_7(), pay("eve")).await.is_err());
    let error = inbox.reply(&old, Reply::ApproveOnce).await.unwrap_err();
    assert_eq!(error.to_string(), "the request has changed: list the open requests, and reply to the new one");
    // A request that was changed by hand.
    let mut forged = only(&inbox).await;
    forged.request.arguments = json!({ "to": "ada" });
    assert!(matches!(inbox.reply(&forged, Reply::ApproveOnce).await, Err(ReplyError::OtherRequest)));
    // A reply to the first request does not reach the second.
    inbox.reply(&only(&inbox).await, Reply::ApproveOnce).await.unwrap();
    assert!(ledger.run(&rails, &mut run_7(), pay("ada")).await.is_err());
    assert!(ledger.run(&rails, &mut run_7(), pay("eve")).await.is_err(), "its request was replaced");
    assert!(ledger.calls().is_empty());
}

#[tokio::test]
async fn a_reply_that_was_not_offered_is_refused() {
    let (inbox, _) = suspended("remember = []\n[[rules]]\ntool = 'pay'").await;
    let open = only(&inbox).await;
    assert!(matches!(inbox.reply(&open, Reply::ApproveForever).await, Err(ReplyError::NotOffered { .. })));
    inbox.reply(&open, Reply::ApproveOnce).await.unwrap();
}

#[tokio::test]
async fn a_request_is_denied_after_its_time_limit() {
    let toml = "timeout_ms = 30\n[[rules]]\ntool = 'pay'";
    let (inbox, ledger) = suspended(toml).await;
    let open = only(&inbox).await;
    assert!(open.remaining_ms.is_some_and(|remaining| remaining <= 30));
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert!(matches!(inbox.reply(&open, Reply::ApproveOnce).await, Err(ReplyError::Expired)));
    assert!(inbox.open().await.unwrap().is_empty());
    let rails = guarded_by(toml, inbox.clone());
    let output = ledger.run(&rails, &mut run_7(), pay("ada")).await.unwrap();
    assert!(
        output.content.ends_with("approval/rule-1: no person replied within 30 ms, so the call is denied"),
        "{}",
        output.content
    );
    assert!(ledger.calls().is_empty());

    // With `suspend`, the request is opened again.
    let toml = "timeout_ms = 30\non_timeout = 'suspend'\n[[rules]]\ntool = 'pay'";
    let (inbox, ledger) = suspended(toml).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert!(inbox.open().await.unwrap().is_empty());
    assert!(ledger.run(&guarded_by(toml, inbox.clone()), &mut run_7(), pay("ada")).await.is_err());
    assert_eq!(inbox.open().await.unwrap().len(), 1);
}

/// A reply in time counts, however late the run is resumed.
#[tokio::test]
async fn a_reply_in_time_stays_valid() {
    let toml = "timeout_ms = 300\n[[rules]]\ntool = 'pay'";
    let (inbox, ledger) = suspended(toml).await;
    inbox.reply(&only(&inbox).await, Reply::ApproveOnce).await.unwrap();
    tokio::time::sleep(Duration::from_millis(350)).await;
    ledger.run(&guarded_by(toml, inbox), &mut run_7(), pay("ada")).await.unwrap();
    assert_eq!(ledger.calls().len(), 1);
}

#[tokio::test]
async fn a_request_can_be_withdrawn() {
    let (inbox, ledger) = suspended(PAY).await;
    let open = only(&inbox).await;
    assert!(inbox.withdraw(&open).await.unwrap());
    assert!(!inbox.withdraw(&open).await.unwrap());
    assert!(matches!(inbox.reply(&open, Reply::ApproveOnce).await, Err(ReplyError::Withdrawn)));
    assert!(ledger.run(&guarded_by(PAY, inbox.clone()), &mut run_7(), pay("ada")).await.is_err());
    assert_eq!(inbox.open().await.unwrap().len(), 1, "the resumed run asks again");
}

#[tokio::test]
async fn approvals_for_ever_are_in_the_same_store() {
    let (inbox, ledger) = suspended(PAY).await;
    inbox.reply(&only(&inbox).await, Reply::ApproveForever).await.unwrap();
    let rails = guarded_by(PAY, inbox.clone());
    ledger.run(&rails, &mut run_7(), pay("ada")).await.unwrap();
    ledger.run(&rails, &mut RunContext::new("desk"), pay("ada")).await.unwrap();
    assert!(ledger.run(&rails, &mut RunContext::new("desk"), pay("bob")).await.is_err());
    assert_eq!(ledger.calls().len(), 2);
}

/// Runs at the same time have a request each.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_runs_share_an_inbox() {
    let inbox = Inbox::new(Arc::new(MemoryStore::new()));
    let (rails, ledger) = (Arc::new(guarded_by(PAY, inbox.clone())), Ledger::default());
    let run = |number: usize| {
        let (rails, ledger) = (Arc::clone(&rails), ledger.clone());
        tokio::spawn(async move {
            let mut ctx = RunContext::new("desk").with_run_id(format!("run-{number}"));
            ledger.run(&*rails, &mut ctx, pay(&format!("p{number}"))).await.is_ok()
        })
    };
    for run in (0..40).map(run).collect::<Vec<_>>() {
        assert!(!run.await.unwrap());
    }
    let open = inbox.open().await.unwrap();
    assert_eq!(open.len(), 40);
    for open in open.iter().filter(|open| open.request.arguments["to"].as_str().unwrap().ends_with('1')) {
        inbox.reply(open, Reply::ApproveOnce).await.unwrap();
    }
    let mut passed = 0;
    for run in (0..40).map(run).collect::<Vec<_>>() {
        passed += usize::from(run.await.unwrap());
    }
    assert_eq!((passed, ledger.calls().len(), inbox.open().await.unwrap().len()), (4, 4, 36));
}

/// First people who are there, then the inbox.
#[tokio::test(start_paused = true)]
async fn a_desk_can_pass_a_request_on_to_an_inbox() {
    let inbox = Inbox::new(Arc::new(MemoryStore::new()));
    let desk = Desk::new().with_on_timeout(OnTimeout::Suspend).with_inbox(inbox.clone());
    let (rails, ledger) = (guarded(desk), Ledger::default());
    assert!(ledger.run(&rails, &mut run_7(), pay("ada")).await.unwrap_err().suspension().is_some());
    inbox.reply(&only(&inbox).await, Reply::ApproveOnce).await.unwrap();
    assert_eq!(ledger.run(&rails, &mut run_7(), pay("ada")).await.unwrap().content, "done");
}

/// The time of a rule is that at the desk. Otherwise nobody could reply in the inbox, where it would be over at once.
#[tokio::test(start_paused = true)]
async fn a_request_in_the_inbox_has_the_time_limit_of_the_inbox() {
    const RULES: &str = "timeout_ms = 1\non_timeout = 'suspend'\n[[rules]]\ntool = 'pay'";
    for (timeout, remaining) in [(None, None), (Some(Duration::from_hours(1)), Some(3_600))] {
        let inbox = Inbox::new(Arc::new(MemoryStore::new()));
        let inbox = timeout.map_or(inbox.clone(), |timeout| inbox.with_timeout(timeout));
        let (rails, ledger) = (guarded_by(RULES, Desk::new().with_inbox(inbox.clone())), Ledger::default());
        assert!(ledger.run(&rails, &mut run_7(), pay("ada")).await.unwrap_err().suspension().is_some());
        let open = only(&inbox).await;
        assert_eq!(open.remaining_ms.map(|left| left.div_ceil(1_000)), remaining);
        inbox.reply(&open, Reply::ApproveOnce).await.unwrap();
        assert_eq!(ledger.run(&rails, &mut run_7(), pay("ada")).await.unwrap().content, "done");
    }
}
