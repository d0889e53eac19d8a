//! Arguments that a person has changed.

use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails_guards::approval::{ChangedCalls, Desk, Reply};
use exo_rails_guards::{Approval, Permissions, PermissionsConfig, RiskScore, config};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::approval::{Guarded, Ledger, guarded, pay};

/// Sees the calls before the guards, and refuses those for `eve`.
#[derive(Default)]
struct First(Mutex<Vec<Value>>);

#[rail(priority = 1)]
impl First {
    #[on(PreToolCall)]
    fn judge(&self, call: &ToolCallInputs) -> RailAction {
        self.0.lock().unwrap().push(call.arguments["to"].clone());
        match call.str_argument("to") {
            Some("eve") => RailAction::skip("nobody knows eve"),
            _ => RailAction::Continue,
        }
    }
}

rail_chain! {
    struct All {
        changed_calls: ChangedCalls,
        first: Arc<First>,
        permissions: Permissions,
        risk: RiskScore,
        approval: Approval,
    }
}

const RULES: &str = "
    default = 'allow'
    [[rules]]
    tool = 'pay'
    arguments = { to = 'ada' }
    decision = 'ask'
    [[rules]]
    name = 'blocked'
    tool = 'pay'
    arguments = { to = 'mallory' }
    decision = 'deny'
    because = 'the payee is blocked'
";

fn all(desk: &Desk, asks: &str) -> All {
    let asker = Arc::new(desk.clone());
    let rules = if asks == "permissions" { RULES.to_owned() } else { RULES.replace("'ask'", "'allow'") };
    let permissions = Permissions::builder()
        .config(exo_rails_guards::permissions::Source::Global, PermissionsConfig::from_toml(&rules).unwrap())
        .asker(asker.clone());
    let threshold = if asks == "risk" { 0 } else { 100 };
    let risk = config::from_toml(&format!("threshold = {threshold}")).unwrap();
    let tool = if asks == "approval" { "pay" } else { "other" };
    All {
        changed_calls: ChangedCalls,
        first: Arc::default(),
        permissions: permissions.build().unwrap(),
        risk: RiskScore::new(risk).unwrap().with_asker(asker.clone()),
        approval: Approval::builder().rules([tool]).build().unwrap().with_asker(asker),
    }
}

/// A person who replies from a list. Returns the guards that asked.
fn person(desk: &Desk, replies: Vec<Reply>) -> JoinHandle<Vec<String>> {
    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        let (mut guards, mut replies) = (Vec::new(), replies.into_iter());
        while let Some(pending) = front_end.next().await {
            guards.push(pending.approval().unwrap().guard.to_string());
            pending.reply(replies.next().unwrap()).unwrap();
        }
        guards
    })
}

fn change(to: &str) -> Reply {
    Reply::Change { arguments: json!({ "to": to }) }
}

/// Whichever guard asks, all rails judge the changed call, also those before the guard.
#[tokio::test]
async fn all_rails_judge_the_changed_call() {
    for guard in ["permissions", "risk", "approval"] {
        for (to, expected) in [
            ("bob", "done"),
            ("eve", "nobody knows eve"),
            ("mallory", "permissions/blocked: the payee is blocked"),
            ("Mаllory", "permissions/blocked: the payee is blocked"),
        ] {
            let (desk, ledger) = (Desk::new(), Ledger::default());
            let rails = all(&desk, guard);
            let person = person(&desk, vec![change(to)]);
            let mut ctx = RunContext::new("desk");
            let output = ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap();
            assert!(output.content.ends_with(expected), "{guard} {to}: {}", output.content);
            assert_eq!(*rails.first.0.lock().unwrap(), [json!("ada"), json!(to)]);
            assert_eq!(ledger.calls(), if expected == "done" { vec![json!({ "to": to })] } else { vec![] });
            // The change was for this call only: the next one is asked about again.
            drop((rails, desk));
            assert_eq!(person.await.unwrap(), [guard]);
        }
    }
}

#[tokio::test]
async fn a_change_is_for_one_call() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let rails = guarded(desk.clone());
    let person = person(&desk, vec![change("bob"), Reply::ApproveOnce, change("carl"), Reply::deny("no")]);
    let mut ctx = RunContext::new("desk");
    for _ in 0..4 {
        ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap();
    }
    drop((rails, desk));
    assert_eq!(person.await.unwrap().len(), 4);
    assert_eq!(ledger.calls(), [json!({ "to": "bob" }), json!({ "to": "ada" }), json!({ "to": "carl" })]);
}

rail_chain! {
    struct WithoutChanges { approval: Approval }
}

/// Without the rail that changes calls, the model makes the changed call. It is not asked about again, once.
#[tokio::test]
async fn without_the_rail_the_model_makes_the_changed_call() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let Guarded { approval, .. } = guarded(desk.clone());
    let rails = WithoutChanges { approval };
    let person = person(&desk, vec![change("bob"), Reply::deny("no")]);
    let mut ctx = RunContext::new("desk");
    let output = ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap();
    assert!(
        output.content.ends_with(r#"a person wants other arguments: call `pay` again with {"to":"bob"}"#),
        "{}",
        output.content
    );
    assert!(ledger.calls().is_empty());
    ledger.run(&rails, &mut ctx, pay("bob")).await.unwrap();
    assert!(ledger.run(&rails, &mut ctx, pay("bob")).await.unwrap().content.ends_with("refused the call: no"));
    assert_eq!(ledger.calls(), [json!({ "to": "bob" })]);
    drop((rails, desk));
    assert_eq!(person.await.unwrap().len(), 2);
}

/// The changed call stays changed if another rail begins it again.
#[tokio::test]
async fn a_changed_call_can_be_retried() {
    #[rail(on = [ToolError])]
    fn again(_error: &OperationError) -> RailAction {
        RailAction::retry(RetryRequest::new("busy").with_max_retries(3))
    }
    rail_chain! {
        struct Retried { guarded: Guarded, again }
    }
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let rails = Retried { guarded: guarded(desk.clone()) };
    let person = person(&desk, vec![change("bob")]);
    let tool = |call: Permit<ToolCallInputs>| {
        ledger.0.lock().unwrap().push(call.arguments.clone());
        let failed = ledger.calls().len() < 3;
        async move { if failed { Err(OperationError::from("busy")) } else { Ok(ToolOutput::text("done")) } }
    };
    let mut ctx = RunContext::new("desk");
    assert_eq!(rails.guard_tool_call(pay("ada"), &mut ctx, tool).await.unwrap().content, "done");
    assert_eq!(ledger.calls(), vec![json!({ "to": "bob" }); 3]);
    drop((rails, desk));
    assert_eq!(person.await.unwrap().len(), 1);
}

/// Calls at the same time keep their arguments.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_at_once_keep_their_changes() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let rails = Arc::new(guarded(desk.clone()));
    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        while let Some(pending) = front_end.next().await {
            let to = pending.approval().unwrap().arguments["to"].as_str().unwrap().to_owned();
            pending.reply(change(&format!("{to}-changed"))).unwrap();
        }
    });
    let ctx = Arc::new(RunContext::new("desk"));
    let runs: Vec<_> = (0..32)
        .map(|number| {
            let (rails, ledger, ctx) = (Arc::clone(&rails), ledger.clone(), Arc::clone(&ctx));
            tokio::spawn(async move {
                let mut ctx = ctx.child().with_call_number(number);
                ledger.run(&*rails, &mut ctx, pay(&format!("p{number}"))).await.unwrap()
            })
        })
        .collect();
    for run in runs {
        assert_eq!(run.await.unwrap().content, "done");
    }
    let mut calls: Vec<String> = ledger.calls().iter().map(|call| call["to"].as_str().unwrap().to_owned()).collect();
    calls.sort_unstable();
    let mut expected: Vec<String> = (0..32).map(|number| format!("p{number}-changed")).collect();
    expected.sort_unstable();
    assert_eq!(calls, expected);
}

/// A suspended run goes on with the change, and all rails judge it there.
#[tokio::test]
async fn a_suspended_run_continues_with_the_changed_call() {
    for (to, runs) in [("bob", true), ("eve", false)] {
        let (desk, ledger) = (Desk::new(), Ledger::default());
        let mut rails = all(&desk, "approval");
        rails.approval = rails.approval.with_asker(Arc::new(exo_rails_guards::approval::SuspendRun));
        let mut ctx = RunContext::new("desk");
        let error = ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap_err();
        ctx.answer(error.suspension().unwrap().question.clone(), change(to));
        let output = ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap();
        assert_eq!(output.content == "done", runs, "{}", output.content);
        assert_eq!(ledger.calls().len(), usize::from(runs));
    }
}
