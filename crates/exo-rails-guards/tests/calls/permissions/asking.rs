//! The guard in a chain: questions, replies, findings, grants.

use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails::{EventBus, Question};
use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, ChangedCalls, Reply};
use exo_rails_guards::permissions::{ExecutionGrant, PermissionDecision};
use exo_rails_guards::{Findings, Permissions, PermissionsConfig, Severity};
use serde_json::{Value, json};

use crate::permissions::{Guarded, GuardedWithChanges, call, permissions};

/// The calls that have run.
type Ledger = Arc<Mutex<Vec<Value>>>;

async fn run(
    rails: &impl Guard,
    ctx: &mut RunContext,
    call: ToolCallInputs,
    ledger: &Ledger,
) -> Result<ToolOutput, RunError> {
    let tool = |call: Permit<ToolCallInputs>| {
        ledger.lock().unwrap().push(call.arguments.clone());
        async { Ok::<_, OperationError>(ToolOutput::text("done")) }
    };
    rails.guard_tool_call(call, ctx, tool).await
}

fn question(result: Result<ToolOutput, RunError>) -> Question {
    result.unwrap_err().suspension().unwrap().question.clone()
}

/// Replies from a list.
#[derive(Debug, Default)]
struct Script {
    replies: Mutex<Vec<Reply>>,
    requests: Mutex<Vec<ApprovalRequest>>,
}

impl Script {
    fn new(replies: impl IntoIterator<Item = Reply>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into_iter().collect()), ..Self::default() })
    }
}

impl Ask for Script {
    async fn ask(&self, request: &ApprovalRequest, _ctx: &mut RailContext) -> Result<Answer, AskError> {
        self.requests.lock().unwrap().push(request.clone());
        let mut replies = self.replies.lock().unwrap();
        if replies.is_empty() {
            return Err(AskError::Failed("nobody is there".into()));
        }
        Ok(Answer::Now(replies.remove(0)))
    }
}

const RULES: &str = r#"
    rules = [
        { tool = "pay", decision = "ask", because = "people approve payments" },
        { tool = "pay", arguments = { to = "mallory" }, decision = "deny", because = "the payee is blocked" },
        { tool = "look", decision = "notify" },
    ]
"#;

fn scripted(script: &Arc<Script>) -> Permissions {
    let config = PermissionsConfig::from_toml(RULES).unwrap();
    let asker = Arc::clone(script);
    Permissions::builder().config(exo_rails_guards::permissions::Source::Global, config).asker(asker).build().unwrap()
}

#[tokio::test]
async fn a_suspended_run_goes_on_with_the_reply() {
    let (rails, ledger) = (Guarded { permissions: permissions(RULES) }, Ledger::default());
    let pay = || call("pay", json!({ "to": "ada", "amount": 5 }));
    let mut ctx = RunContext::new("desk").with_run_id("run-1");
    let asked = question(run(&rails, &mut ctx, pay(), &ledger).await);
    let request: ApprovalRequest = serde_json::from_value(asked.data.clone()).unwrap();
    assert_eq!((request.rule.as_ref(), request.reason.as_ref()), ("rule-1", "people approve payments"));
    assert_eq!(request.findings.len(), 1);
    assert!(ledger.lock().unwrap().is_empty());

    ctx.answer(asked.clone(), Reply::deny("not today"));
    let refused = run(&rails, &mut ctx, pay(), &ledger).await.unwrap();
    assert!(refused.content.contains("a person refused the call: not today"), "{}", refused.content);
    assert!(ledger.lock().unwrap().is_empty());

    ctx.answer(asked.clone(), json!({ "reply": "yes" }));
    let fault = run(&rails, &mut ctx, pay(), &ledger).await.unwrap_err();
    assert!(fault.to_string().contains("the answer is not a reply"), "{fault}");

    ctx.answer(asked, Reply::ApproveOnce);
    run(&rails, &mut ctx, pay(), &ledger).await.unwrap();
    assert_eq!(ledger.lock().unwrap().len(), 1);

    // The approval is for these arguments.
    let other = run(&rails, &mut ctx, call("pay", json!({ "to": "ada", "amount": 6 })), &ledger).await;
    assert_eq!(
        question(other).text.as_str(),
        r#"`pay` with {"amount":6,"to":"ada"}: people approve payments (permissions/rule-1)"#
    );
}

#[tokio::test]
async fn an_approval_for_the_session_covers_only_the_shown_arguments() {
    let (rails, ledger) = (Guarded { permissions: permissions(RULES) }, Ledger::default());
    let mut ctx = RunContext::new("desk");
    let pay = |amount| call("pay", json!({ "to": "ada", "amount": amount }));
    let asked = question(run(&rails, &mut ctx, pay(5), &ledger).await);
    ctx.answer(asked, Reply::ApproveForSession);
    run(&rails, &mut ctx, pay(5), &ledger).await.unwrap();
    ctx.set_step(1);
    run(&rails, &mut ctx, pay(5), &ledger).await.unwrap();
    assert!(run(&rails, &mut ctx, pay(6), &ledger).await.is_err());
    assert_eq!(ledger.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn changed_arguments_are_judged_again() {
    let change = |to: &str| Reply::Change { arguments: json!({ "to": to }) };
    for (reply, expected) in
        [(change("bob"), Some(json!({ "to": "bob" }))), (change("mallory"), None), (change("Mаllory"), None)]
    {
        let script = Script::new([reply]);
        let rails = GuardedWithChanges { changed_calls: ChangedCalls, permissions: scripted(&script) };
        let ledger = Ledger::default();
        let output =
            run(&rails, &mut RunContext::new("desk"), call("pay", json!({ "to": "ada" })), &ledger).await.unwrap();
        assert_eq!(ledger.lock().unwrap().first().cloned(), expected, "{}", output.content);
        assert_eq!(script.requests.lock().unwrap().len(), 1);
        if expected.is_none() {
            assert!(output.content.ends_with("permissions/rule-2: the payee is blocked"), "{}", output.content);
        }
    }
}

#[tokio::test]
async fn a_channel_that_fails_lets_nothing_run() {
    let (rails, ledger) = (Guarded { permissions: scripted(&Script::new([])) }, Ledger::default());
    let error = run(&rails, &mut RunContext::new("desk"), call("pay", json!({})), &ledger).await.unwrap_err();
    assert!(error.to_string().contains("nobody can be asked: nobody is there"), "{error}");
    assert!(ledger.lock().unwrap().is_empty());
}

#[tokio::test]
async fn findings_reach_later_rails_and_the_event_bus() {
    #[derive(Default)]
    struct Seen(Mutex<Vec<(String, Severity)>>);

    #[rail(priority = 90)]
    impl Seen {
        #[on(PreToolCall)]
        fn seen(&self, ctx: &RailContext) {
            let Findings(all) = ctx.extra.get::<Findings>().cloned().unwrap_or_default();
            self.0.lock().unwrap().extend(all.into_iter().map(|finding| (finding.rule.into_owned(), finding.severity)));
        }
    }
    rail_chain! {
        struct Watched { permissions: Permissions, seen: Arc<Seen> }
    }
    let bus = EventBus::new(16);
    let mut records = bus.subscribe().with_filter(|record| record.emitted.as_deref() == Some("finding"));
    let seen = Arc::new(Seen::default());
    let rails = bus.wrap(Watched { permissions: permissions(RULES), seen: Arc::clone(&seen) });
    let (mut ctx, ledger) = (RunContext::new("desk"), Ledger::default());
    run(&rails, &mut ctx, call("look", json!({ "key": "sk-live-4711" })), &ledger).await.unwrap();
    assert_eq!(*seen.0.lock().unwrap(), [("rule-3".to_owned(), Severity::Info)]);
    assert_eq!(ledger.lock().unwrap().len(), 1);

    let refused = run(&rails, &mut ctx, call("pay", json!({ "to": "mallory" })), &ledger).await.unwrap();
    assert!(refused.content.contains("permissions/rule-2: the payee is blocked"));
    assert!(!refused.content.contains("mallory"));
    for rule in ["rule-3", "rule-2"] {
        let record =
            tokio::time::timeout(std::time::Duration::from_secs(30), records.recv()).await.unwrap().unwrap().unwrap();
        assert!(format!("{record:?}").contains(rule), "{record:?}");
    }
}

#[tokio::test]
async fn executors_read_the_grant_and_the_decision() {
    let guard = permissions(
        r#"
        grant = { wall_time_ms = 1000, output_bytes = 10 }
        [[rules]]
        tool = "write"
        decision = "allow"
        grant = { wall_time_ms = 5000, output_bytes = 5 }
        [[rules]]
        tool = "write"
        decision = "allow"
        grant = { hosts = [] }
        "#,
    );
    let rails = Guarded { permissions: guard };
    let tool = |call: Permit<ToolCallInputs>| {
        let grant = call.provided::<ExecutionGrant>().cloned();
        let decision = call.provided::<PermissionDecision>().cloned();
        let granted = json!([grant, decision.map(|decision| decision.permission)]);
        async move { Ok::<_, OperationError>(ToolOutput::from(granted)) }
    };
    let output = rails.guard_tool_call(ToolCallInputs::new("write"), &mut RunContext::new("x"), tool).await;
    // Both rules are equally specific, so the limits of both apply.
    assert_eq!(output.unwrap().content, r#"[{"hosts":[],"output_bytes":5,"wall_time_ms":1000},"allow"]"#);
}

#[tokio::test]
async fn a_denied_call_ends_the_run_if_the_configuration_says_so() {
    let rails = Guarded {
        permissions: permissions("on_deny = 'abort'\nrules = [{ tool = 'x', decision = 'deny', because = 'never' }]"),
    };
    let error = run(&rails, &mut RunContext::new("desk"), call("x", json!({})), &Ledger::default()).await.unwrap_err();
    assert!(error.to_string().contains("permissions/rule-1: never"), "{error}");
}

#[tokio::test]
async fn a_guard_in_shadow_asks_no_person() {
    let script = Script::new([]);
    let (rails, ledger) = (Guarded { permissions: scripted(&script) }.shadow(), Ledger::default());
    run(&rails, &mut RunContext::new("desk"), call("pay", json!({ "to": "mallory" })), &ledger).await.unwrap();
    run(&rails, &mut RunContext::new("desk"), call("pay", json!({ "to": "ada" })), &ledger).await.unwrap();
    assert_eq!(ledger.lock().unwrap().len(), 2);
    assert!(script.requests.lock().unwrap().is_empty());
}
