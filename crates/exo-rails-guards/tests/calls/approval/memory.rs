//! Approvals that are remembered.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{Reloadable, SessionInfo};
use exo_rails_guards::Kit;
use exo_rails_guards::approval::{ApprovalRequest, Approvals, Desk, Remember, Reply};
use exo_rails_guards::store::{MemoryStore, StateStore, StateStoreExt};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::approval::{Guarded, Ledger, guarded, pay};

/// A person who gives one reply to all requests, and counts them.
fn person(desk: &Desk, reply: &Reply) -> JoinHandle<usize> {
    let (mut front_end, reply) = (desk.front_end(), reply.clone());
    tokio::spawn(async move {
        let mut asked = 0;
        while let Some(pending) = front_end.next().await {
            asked += 1;
            pending.reply(reply.clone()).unwrap();
        }
        asked
    })
}

fn in_session(session: &str) -> RunContext {
    RunContext::new("desk").with_session(session.to_owned(), exo_rails::SharedExtensions::default(), 0)
}

/// Makes calls in a new process: new guards, new contexts, the same store. Returns the number of questions.
async fn process(store: &Arc<MemoryStore>, reply: Reply, calls: &[(&str, &str)]) -> usize {
    let desk = Desk::new().with_approvals(Approvals::new(store.clone()));
    let rails = guarded(desk.clone());
    let person = person(&desk, &reply);
    for (session, to) in calls {
        let _ = Ledger::default().run(&rails, &mut in_session(session), pay(to)).await.unwrap();
    }
    drop((rails, desk));
    person.await.unwrap()
}

#[tokio::test]
async fn approvals_survive_the_process() {
    let store = Arc::new(MemoryStore::new());
    assert_eq!(process(&store, Reply::ApproveForSession, &[("s-1", "ada"), ("s-1", "ada"), ("s-1", "bob")]).await, 2);
    assert_eq!(process(&store, Reply::ApproveOnce, &[("s-1", "ada"), ("s-2", "ada"), ("s-2", "ada")]).await, 2);
    assert_eq!(process(&store, Reply::ApproveForever, &[("s-2", "ada"), ("s-3", "ada")]).await, 1);
    assert_eq!(process(&store, Reply::ApproveOnce, &[("s-4", "ada"), ("s-4", "bob"), ("s-4", "ada")]).await, 1);
    assert_eq!(process(&store, Reply::deny("no"), &[("s-5", "carl"), ("s-5", "carl")]).await, 2);

    let approvals = Approvals::new(store);
    let list = approvals.list().await.unwrap();
    let facts: Vec<_> = list.iter().map(|a| (a.remember, a.session.as_deref(), a.arguments["to"].clone())).collect();
    assert_eq!(
        facts,
        [
            (Remember::Forever, None, json!("ada")),
            (Remember::Session, Some("s-1"), json!("ada")),
            (Remember::Session, Some("s-1"), json!("bob")),
        ]
    );
    assert_eq!(
        (list[0].asked_by.as_str(), list[0].reason.as_str(), list[0].agent.as_str()),
        ("approval/rule-1", "money", "desk")
    );
}

#[tokio::test]
async fn an_approval_can_be_revoked() {
    let store = Arc::new(MemoryStore::new());
    let approvals = Approvals::new(store.clone());
    for (reply, remember) in [(Reply::ApproveForSession, Remember::Session), (Reply::ApproveForever, Remember::Forever)]
    {
        assert_eq!(process(&store, reply.clone(), &[("s", "ada"), ("s", "ada")]).await, 1);
        let list = approvals.list().await.unwrap();
        assert_eq!(list.iter().map(|a| a.remember).collect::<Vec<_>>(), [remember]);
        // The program that lists may be another one than the program that revokes.
        let listed = serde_json::to_string(&list[0]).unwrap();
        let listed = serde_json::from_str(&listed).unwrap();
        assert!(approvals.revoke(&listed).await.unwrap());
        assert!(!approvals.revoke(&listed).await.unwrap());
        assert_eq!(process(&store, Reply::ApproveOnce, &[("s", "ada")]).await, 1);
    }
    assert!(approvals.list().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_approvals() {
    let store = Arc::new(MemoryStore::new());
    assert_eq!(process(&store, Reply::ApproveForSession, &[("s-1", "ada"), ("s-2", "ada")]).await, 2);
    let desk = Desk::new().with_approvals(Approvals::new(store.clone()));
    guarded(desk.clone()).end_session(&SessionInfo::new("s-1"), &mut RunContext::new("desk")).await;
    let list = Approvals::new(store.clone()).list().await.unwrap();
    assert_eq!(list.iter().map(|a| a.session.as_deref()).collect::<Vec<_>>(), [Some("s-2")]);
    assert_eq!(process(&store, Reply::ApproveOnce, &[("s-1", "ada"), ("s-2", "ada")]).await, 1);
}

#[tokio::test]
async fn approvals_of_a_session_expire() {
    let store = Arc::new(MemoryStore::new());
    let approvals = Approvals::new(store).session_lasts(Duration::from_millis(1));
    let request = request("desk", "approval", "rule", "pay", json!({}));
    assert!(approvals.add(&request, Remember::Session, Some("s")).await.unwrap());
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!approvals.cover(&request, Some("s")).await.unwrap());
    assert!(approvals.list().await.unwrap().is_empty());
}

/// Each guard that asks ends the approvals: it may be the only one. A guard in shadow ends none.
#[tokio::test]
async fn every_guard_that_asks_ends_the_approvals_of_a_session() {
    for (toml, left) in [
        ("[permissions]", 0),
        ("[risk]", 0),
        ("[[approval.rules]]\ntool = 'pay'", 0),
        ("[sizes]", 1),
        ("mode = 'shadow'\n[permissions]\n[risk]\n[[approval.rules]]\ntool = 'pay'", 1),
    ] {
        let approvals = Approvals::new(Arc::new(MemoryStore::new()));
        let request = request("desk", "permissions", "rule", "pay", json!({}));
        approvals.add(&request, Remember::Session, Some("s")).await.unwrap();
        let desk = Desk::new().with_approvals(approvals.clone());
        let kit = Kit::builder().asker(Arc::new(desk)).from_toml(toml).unwrap();
        kit.end_session(&SessionInfo::new("s"), &mut RunContext::new("desk")).await;
        assert_eq!(approvals.list().await.unwrap().len(), left, "{toml}");
    }
}

fn request(agent: &str, guard: &str, rule: &str, tool: &str, arguments: Value) -> ApprovalRequest {
    let call = ToolCallInputs::new(tool).with_arguments(arguments);
    ApprovalRequest::new(guard.to_owned(), rule.to_owned(), &call, "because", &RunContext::new(agent))
}

/// An approval is for exactly what was shown.
#[tokio::test]
async fn an_approval_covers_only_the_exact_call() {
    let approvals = Approvals::new(Arc::new(MemoryStore::new()));
    let base = || request("desk", "approval", "rule", "pay", json!({ "to": "ada", "by": { "a": 1, "b": 2 } }));
    approvals.add(&base(), Remember::Forever, None).await.unwrap();
    let same = request("desk", "approval", "rule", "pay", json!({ "by": { "b": 2, "a": 1 }, "to": "ada" }));
    assert!(approvals.cover(&same, None).await.unwrap());
    let arguments = json!({ "to": "ada", "by": { "a": 1, "b": 2 } });
    for other in [
        request("clerk", "approval", "rule", "pay", arguments.clone()),
        request("desk", "risk", "rule", "pay", arguments.clone()),
        request("desk", "approval", "rule-2", "pay", arguments.clone()),
        request("desk", "approval", "rule", "Pay", arguments.clone()),
        request("desk", "approval", "rule", "pay", json!({ "to": "ada", "by": { "a": 1, "b": 2 }, "x": null })),
        request("desk", "approval", "rule", "pay", json!({ "to": "ada", "by": { "a": 1, "b": 2.0 } })),
        request("desk", "approval", "rule", "pay", json!({ "to": "ada ", "by": { "a": 1, "b": 2 } })),
        request("desk", "approval", "rule", "pay", json!({ "to": "аda", "by": { "a": 1, "b": 2 } })),
        request("desk", "approval", "rule", "pay", json!([{ "to": "ada", "by": { "a": 1, "b": 2 } }])),
        request("desk", "approval", "rule", "pay", json!(arguments.to_string())),
    ] {
        assert!(!approvals.cover(&other, None).await.unwrap(), "{other}");
    }
    // The configuration no longer lets approvals for ever be remembered.
    assert!(!approvals.cover(&base().with_remember([Remember::Session]), None).await.unwrap());
    // Parts cannot be moved from one field to another.
    approvals.add(&request("a", "b", "c/d", "e", json!({})), Remember::Forever, None).await.unwrap();
    assert!(!approvals.cover(&request("a", "b/c", "d", "e", json!({})), None).await.unwrap());
}

#[tokio::test]
async fn the_list_of_remembered_approvals_is_bounded() {
    let approvals = Approvals::new(Arc::new(MemoryStore::new()));
    for number in 0..510 {
        approvals.add(&request("a", "b", "c", "d", json!(number)), Remember::Forever, None).await.unwrap();
    }
    let list = approvals.list().await.unwrap();
    assert_eq!((list.len(), &list[0].arguments), (500, &json!(10)));
    let large = request("a", "b", "c", "d", json!("x".repeat(70_000)));
    assert!(!approvals.add(&large, Remember::Forever, None).await.unwrap());
    assert!(!approvals.cover(&large, None).await.unwrap());
    // Without a session, nothing is stored for it.
    assert!(!approvals.add(&request("a", "b", "c", "d", json!(1)), Remember::Session, None).await.unwrap());
}

/// Without a session, an approval for the session ends with the context. It must not reach the run of another process that
/// has the same default id.
#[tokio::test]
async fn an_approval_without_a_session_is_not_stored() {
    let store = Arc::new(MemoryStore::new());
    let desk = Desk::new().with_approvals(Approvals::new(store.clone()));
    let rails: Guarded = guarded(desk.clone());
    let person = person(&desk, &Reply::ApproveForSession);
    let ledger = Ledger::default();
    for _ in 0..2 {
        let mut ctx = RunContext::new("desk").with_run_id("run-1");
        ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap();
        ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap();
    }
    drop((rails, desk));
    assert_eq!(person.await.unwrap(), 2);
    assert!(Approvals::new(store).list().await.unwrap().is_empty());
}

#[tokio::test]
async fn approvals_in_different_namespaces_are_separate() {
    let store = Arc::new(MemoryStore::new());
    let of = |user: &str| Approvals::new(store.clone().namespace(user) as Arc<dyn StateStore>);
    let request = request("a", "b", "c", "d", json!({}));
    of("ada").add(&request, Remember::Forever, None).await.unwrap();
    assert!(of("ada").cover(&request, None).await.unwrap());
    assert!(!of("bob").cover(&request, None).await.unwrap());
}

#[tokio::test]
async fn a_store_that_fails_lets_nothing_run() {
    let store = MemoryStore::new();
    store.write("approval/forever", &"not a list", None).await.unwrap();
    let desk = Desk::new().with_approvals(Approvals::new(Arc::new(store)));
    let (rails, ledger) = (guarded(desk), Ledger::default());
    let error = ledger.run(&rails, &mut RunContext::new("desk"), pay("ada")).await.unwrap_err();
    assert!(error.to_string().contains("the record `approval/forever` of the state store"), "{error}");
    assert!(ledger.calls().is_empty());
}

/// A person who approves for ever, or once if a request does not offer that. Returns the guards that have asked.
fn generous_person(desk: &Desk) -> JoinHandle<Vec<String>> {
    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        let mut asked = Vec::new();
        while let Some(pending) = front_end.next().await {
            let request = pending.approval().unwrap();
            asked.push(request.guard.to_string());
            let is_offered = request.remember.contains(&Remember::Forever);
            pending.reply(if is_offered { Reply::ApproveForever } else { Reply::ApproveOnce }).unwrap();
        }
        asked
    })
}

/// A guard whose approvals are remembered does not speak for a guard that asks about every call.
#[tokio::test]
async fn a_remembered_approval_is_only_for_the_guard_that_asked() {
    const RAILS: &str = "[permissions]\n[risk]\nthreshold = 1\n[[approval.rules]]\ntool = 'drop_table'\nremember = []";
    for desk in [Desk::new(), Desk::new().with_approvals(Approvals::new(Arc::new(MemoryStore::new())))] {
        let kit = Kit::builder().asker(Arc::new(desk.clone())).from_toml(RAILS).unwrap();
        let person = generous_person(&desk);
        let mut ctx = RunContext::new("desk");
        for _ in 0..4 {
            Ledger::default().run(&kit, &mut ctx, ToolCallInputs::new("drop_table")).await.unwrap();
        }
        drop((kit, desk));
        // At the first call, one question is enough. Later, two of the guards remember their approvals.
        assert_eq!(person.await.unwrap(), ["permissions", "risk", "approval", "approval"]);
    }
}

/// A retry of the call is still the call that the person has approved.
#[tokio::test]
async fn a_retry_does_not_ask_at_another_guard() {
    #[rail(priority = 60, on = [PreToolCall])]
    fn again(_call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
        if ctx.attempt() == 0 { RailAction::retry(RetryRequest::new("once more")) } else { RailAction::Continue }
    }
    rail_chain! { struct Rails { kit: Kit, again } }

    let desk = Desk::new();
    let kit = Kit::builder().asker(Arc::new(desk.clone()));
    let rails = Rails { kit: kit.from_toml("[permissions]\n[[approval.rules]]\ntool = 'pay'").unwrap() };
    drop(kit);
    let person = person(&desk, &Reply::ApproveForever);
    let ledger = Ledger::default();
    let _ = ledger.run(&rails, &mut RunContext::new("desk"), pay("ada")).await.unwrap();
    drop((rails, desk));
    assert_eq!((person.await.unwrap(), ledger.calls().len()), (1, 1));
}

/// A configuration that offers less than before also counts for approvals without a store.
#[tokio::test]
async fn a_stricter_configuration_asks_again() {
    rail_chain! { struct Rails { kit: Reloadable<Kit> } }

    for desk in [Desk::new(), Desk::new().with_approvals(Approvals::new(Arc::new(MemoryStore::new())))] {
        let builder = Kit::builder().asker(Arc::new(desk.clone()));
        let kit = move |remember: &str| {
            builder.from_toml(&format!("[[approval.rules]]\ntool = 'pay'\nremember = {remember}")).unwrap()
        };
        let live = Reloadable::new(kit("['session', 'forever']"));
        let rails = Rails { kit: live.clone() };
        let person = generous_person(&desk);
        let mut ctx = RunContext::new("desk");
        for remember in ["['session', 'forever']", "['forever']", "['session']", "[]"] {
            live.replace(kit(remember));
            Ledger::default().run(&rails, &mut ctx, pay("ada")).await.unwrap();
        }
        drop((kit, rails, live, desk));
        assert_eq!(person.await.unwrap(), ["approval", "approval", "approval"]);
    }
}
