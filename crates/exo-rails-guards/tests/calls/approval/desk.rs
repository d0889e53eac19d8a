//! The channel to people who are there.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::approval::{Desk, OnTimeout, Pending, Remember, Reply, ReplyError, UserAnswer};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::approval::{Ledger, guarded, guarded_by, pay};

const MINUTE: Duration = Duration::from_mins(1);

/// A call that waits, in a task.
fn begin(desk: &Desk, ledger: &Ledger, to: &'static str) -> JoinHandle<Result<ToolOutput, RunError>> {
    let (rails, ledger) = (guarded(desk.clone()), ledger.clone());
    tokio::spawn(async move { ledger.run(&rails, &mut RunContext::new("desk"), pay(to)).await })
}

async fn next(front_end: &mut exo_rails_guards::approval::FrontEnd) -> Pending {
    front_end.next().await.unwrap()
}

#[tokio::test]
async fn a_reply_decides() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let mut front_end = desk.front_end();
    for (reply, expected, runs) in [
        (Reply::ApproveOnce, "done", 1),
        (Reply::ApproveForSession, "done", 1),
        (Reply::deny("not today"), "approval/rule-1: a person refused the call: not today", 0),
        (Reply::Deny { reason: None }, "approval/rule-1: a person refused the call", 0),
        (Reply::deny(" "), "approval/rule-1: a person refused the call", 0),
    ] {
        let before = ledger.calls().len();
        let run = begin(&desk, &ledger, "ada");
        let pending = next(&mut front_end).await;
        assert_eq!(pending.approval().unwrap().arguments["to"], "ada");
        assert!(pending.question().is_none() && pending.is_open());
        pending.reply(reply).unwrap();
        let output = run.await.unwrap().unwrap();
        assert!(output.content.ends_with(expected), "{}", output.content);
        assert_eq!(ledger.calls().len() - before, runs);
    }
}

#[tokio::test]
async fn one_request_takes_one_reply() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let mut front_end = desk.front_end();
    let run = begin(&desk, &ledger, "ada");
    let pending = next(&mut front_end).await;
    let other_kind = pending.reply(UserAnswer::text("yes")).unwrap_err();
    assert_eq!(other_kind.to_string(), "the request is about a tool call, so reply with a `Reply`");
    let other = pending.clone();
    pending.reply(Reply::deny("no")).unwrap();
    let second = other.reply(Reply::ApproveOnce).unwrap_err();
    assert_eq!(second.to_string(), "the request already has a reply: only the first reply counts");
    assert!(run.await.unwrap().unwrap().content.ends_with("refused the call: no"));
    assert!(matches!(pending.reply(Reply::ApproveOnce), Err(ReplyError::AlreadyReplied)));
    assert!(ledger.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_of_many_simultaneous_replies_counts() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let mut front_end = desk.front_end();
    for _ in 0..50 {
        let run = begin(&desk, &ledger, "ada");
        let pending = next(&mut front_end).await;
        let replies: Vec<_> = (0..8)
            .map(|_| {
                let pending = pending.clone();
                tokio::spawn(async move { pending.reply(Reply::ApproveOnce).is_ok() })
            })
            .collect();
        let mut counted = 0;
        for reply in replies {
            counted += usize::from(reply.await.unwrap());
        }
        assert_eq!(counted, 1);
        run.await.unwrap().unwrap();
    }
    assert_eq!(ledger.calls().len(), 50);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_includes_the_wait_for_a_front_end() {
    let (desk, ledger) = (Desk::new().with_timeout(3 * MINUTE), Ledger::default());
    // Nobody is there at all.
    let output = begin(&desk, &ledger, "ada").await.unwrap().unwrap();
    assert!(
        output.content.ends_with("no person was there to reply within 180 seconds, so the call is denied"),
        "{}",
        output.content
    );
    // The only front end is busy for two minutes, then one minute is left.
    let mut front_end = desk.front_end();
    let (first, second) = (begin(&desk, &ledger, "ada"), begin(&desk, &ledger, "bob"));
    let busy = next(&mut front_end).await;
    tokio::time::sleep(2 * MINUTE).await;
    busy.reply(Reply::ApproveOnce).unwrap();
    first.await.unwrap().unwrap();
    let pending = next(&mut front_end).await;
    assert!(pending.remaining() <= MINUTE, "{:?}", pending.remaining());
    tokio::time::sleep(2 * MINUTE).await;
    assert!(!pending.is_open() && pending.remaining().is_zero());
    let late = pending.reply(Reply::ApproveOnce).unwrap_err();
    assert_eq!(late.to_string(), "the request has expired: the time for a reply is over");
    let output = second.await.unwrap().unwrap();
    assert!(
        output.content.ends_with("no person replied within 180 seconds, so the call is denied"),
        "{}",
        output.content
    );
    assert_eq!(ledger.calls().len(), 1);
    // A request that has expired in the line reaches nobody.
    let third = begin(&desk, &ledger, "eve");
    third.await.unwrap().unwrap();
    drop(desk);
    assert!(front_end.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_rule_can_set_the_time_limit_of_its_requests() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let rails = guarded_by("timeout_ms = 60_000\n[[rules]]\ntool = 'pay'\ntimeout_ms = 1_500", desk.clone());
    let mut front_end = desk.front_end();
    let waiting = tokio::spawn(async move {
        let pending = next(&mut front_end).await;
        let remaining = pending.remaining();
        pending.ended().await;
        (remaining, pending.is_open())
    });
    let output = ledger.run(&rails, &mut RunContext::new("desk"), pay("ada")).await.unwrap();
    assert!(output.content.contains("within 1 second, so"), "{}", output.content);
    let (remaining, is_open) = waiting.await.unwrap();
    assert!(remaining <= Duration::from_millis(1_500) && !is_open);
}

#[tokio::test]
async fn a_front_end_that_vanishes_denies() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    // It drops the request, and it is gone while another request waits in the line.
    let mut front_end = desk.front_end();
    let (taken, waiting) = (begin(&desk, &ledger, "ada"), begin(&desk, &ledger, "bob"));
    drop(next(&mut front_end).await);
    let output = taken.await.unwrap().unwrap();
    assert!(
        output.content.ends_with("the front end ended without a reply, so the call is denied"),
        "{}",
        output.content
    );
    drop(front_end);
    assert!(
        waiting.await.unwrap().unwrap().content.ends_with("the front end ended without a reply, so the call is denied")
    );

    // Its task panics.
    let mut front_end = desk.front_end();
    let run = begin(&desk, &ledger, "ada");
    let crashed = tokio::spawn(async move {
        let _pending = next(&mut front_end).await;
        panic!("the window crashed");
    });
    assert!(crashed.await.is_err());
    assert!(run.await.unwrap().unwrap().content.contains("the front end ended without a reply"));

    // If there is another front end, requests in the line wait for it.
    let (first, mut second) = (desk.front_end(), desk.front_end());
    let run = begin(&desk, &ledger, "ada");
    drop(first);
    next(&mut second).await.reply(Reply::ApproveOnce).unwrap();
    assert_eq!(run.await.unwrap().unwrap().content, "done");
    assert_eq!(ledger.calls().len(), 1);
}

#[tokio::test]
async fn a_run_that_ends_withdraws_its_request() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let mut front_end = desk.front_end();
    let token = CancellationToken::new();
    let run = {
        let (rails, ledger, token) = (guarded(desk.clone()), ledger.clone(), token.clone());
        tokio::spawn(async move {
            ledger.run(&rails, &mut RunContext::new("desk").with_cancellation(token), pay("ada")).await
        })
    };
    let pending = next(&mut front_end).await;
    token.cancel();
    pending.ended().await;
    assert!(matches!(run.await.unwrap(), Err(RunError::Cancelled)));
    assert!(!pending.is_open());
    let error = pending.reply(Reply::ApproveOnce).unwrap_err();
    assert_eq!(error.to_string(), "the request was withdrawn: nobody waits for a reply");

    // The run is dropped while its request waits in the line.
    let dropped = begin(&desk, &ledger, "ada");
    tokio::task::yield_now().await;
    dropped.abort();
    assert!(dropped.await.unwrap_err().is_cancelled());
    let run = begin(&desk, &ledger, "bob");
    let pending = next(&mut front_end).await;
    assert_eq!(pending.approval().unwrap().arguments["to"], "bob");
    pending.reply(Reply::ApproveOnce).unwrap();
    run.await.unwrap().unwrap();
    assert_eq!(ledger.calls().len(), 1);
}

#[tokio::test]
async fn a_reply_that_was_not_offered_is_refused() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let rails = guarded_by("[[rules]]\ntool = 'pay'\nremember = ['session']", desk.clone());
    let mut front_end = desk.front_end();
    let person = tokio::spawn(async move {
        let pending = next(&mut front_end).await;
        let request = pending.approval().unwrap().clone();
        assert_eq!(request.remember, [Remember::Session]);
        assert!(!request.answer_schema.to_string().contains("approve_forever"));
        let error = pending.reply(Reply::ApproveForever).unwrap_err().to_string();
        pending.reply(Reply::ApproveForSession).unwrap();
        error
    });
    ledger.run(&rails, &mut RunContext::new("desk"), pay("ada")).await.unwrap();
    assert_eq!(
        person.await.unwrap(),
        "the request does not offer to remember an approval for ever: approve the call once, or deny it"
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_reply_the_run_can_be_suspended() {
    let desk = Desk::new().with_timeout(MINUTE).with_on_timeout(OnTimeout::Suspend);
    let (rails, ledger, mut ctx) = (guarded(desk.clone()), Ledger::default(), RunContext::new("desk"));
    let error = ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap_err();
    let question = error.suspension().unwrap().question.clone();
    ctx.answer(question, Reply::ApproveOnce);
    // The answer is there, so nobody is asked at the desk.
    assert_eq!(ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap().content, "done");
    assert!(ledger.run(&rails, &mut ctx, pay("ada")).await.is_err(), "the answer is used up");
}

#[tokio::test]
async fn a_retry_of_the_call_does_not_ask_again() {
    #[rail(on = [ToolError])]
    fn again(_error: &OperationError) -> RailAction {
        RailAction::retry(RetryRequest::new("busy").with_max_retries(3))
    }
    rail_chain! {
        struct Retried { approval: exo_rails_guards::Approval, again }
    }
    let desk = Desk::new();
    let guard = guarded(desk.clone()).approval;
    let rails = Retried { approval: guard };
    let mut front_end = desk.front_end();
    let person = tokio::spawn(async move {
        let mut asked = 0;
        while let Some(pending) = front_end.next().await {
            asked += 1;
            pending.reply(Reply::ApproveOnce).unwrap();
        }
        asked
    });
    let mut ctx = RunContext::new("desk");
    for _ in 0..2 {
        let mut attempts = 0;
        let tool = |_call: Permit<ToolCallInputs>| {
            attempts += 1;
            let failed = attempts < 3;
            async move { if failed { Err(OperationError::from("busy")) } else { Ok(ToolOutput::text("done")) } }
        };
        assert_eq!(rails.guard_tool_call(pay("ada"), &mut ctx, tool).await.unwrap().content, "done");
        assert_eq!(attempts, 3);
    }
    // An approval is for one call, also if the event is dispatched without a guarded operation.
    for _ in 0..2 {
        let decision = rails.dispatch::<PreToolCall>(&mut pay("ada"), &mut ctx).await.unwrap();
        assert!(matches!(decision, Decision::Continue));
    }
    drop((rails, desk));
    assert_eq!(person.await.unwrap(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_of_several_equal_calls_needs_its_approval() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let (rails, ctx) = (Arc::new(guarded(desk.clone())), Arc::new(RunContext::new("desk")));
    let mut front_end = desk.front_end();
    let person = tokio::spawn(async move {
        let mut asked = 0;
        while let Some(pending) = front_end.next().await {
            asked += 1;
            // Every second call is approved.
            pending.reply(if asked % 2 == 0 { Reply::ApproveOnce } else { Reply::deny("no") }).unwrap();
        }
        asked
    });
    let runs: Vec<_> = (0..64)
        .map(|_| {
            let (rails, ctx, ledger) = (Arc::clone(&rails), Arc::clone(&ctx), ledger.clone());
            tokio::spawn(async move { ledger.run(&*rails, &mut ctx.child(), pay("ada")).await.unwrap() })
        })
        .collect();
    for run in runs {
        run.await.unwrap();
    }
    drop((rails, desk));
    assert_eq!(person.await.unwrap(), 64);
    assert_eq!(ledger.calls().len(), 32);
}
