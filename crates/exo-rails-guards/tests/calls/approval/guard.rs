//! The guard, and its configuration.

use exo_rails::EventBus;
use exo_rails::prelude::*;
use exo_rails_guards::approval::{Desk, OnTimeout, Remember, Reply};
use exo_rails_guards::{Approval, ApprovalConfig, ApprovalRule, Findings, RiskScore, config};
use serde_json::{Value, json};

use crate::approval::{Guarded, Ledger, guarded, pay};

#[test]
fn mistakes_in_the_configuration_are_named() {
    for (toml, expected) in [
        ("", "`rules`: no call needs an approval: write a rule such as `[[rules]]` with `tool = \"deploy\"`"),
        ("timout_ms = 1", "line 1, column 1: unknown key `timout_ms`: did you mean `timeout_ms`?"),
        ("[[rules]]\ntol = 'pay'", "line 2, column 1: unknown key `tol`: did you mean `tool`?"),
        ("[[rules]]\nbecause = 'x'", "line 1, column 1: missing field `tool`"),
        ("on_timeout = 'allow'", "unknown value `allow`: write one of `deny`, `suspend`"),
        ("remember = ['sesion']", "unknown value `sesion`: did you mean `session`?"),
        (
            "timeout_ms = 0\n[[rules]]\ntool = 'pay'",
            "`timeout_ms`: 0 ms leaves no time for a reply: write a number of milliseconds, such as 300_000",
        ),
        (
            "[[rules]]\ntool = 'pay'\ntimeout_ms = 0",
            "`rules`: `timeout_ms`: 0 ms leaves no time for a reply: write a number of milliseconds, such as 300_000",
        ),
        ("timeout_ms = -5", "invalid value: integer `-5`, expected u64"),
    ] {
        let made = config::from_toml::<ApprovalConfig>(toml).and_then(Approval::new);
        let error = made.unwrap_err().to_string();
        assert!(error.ends_with(expected), "{toml}: {error}");
    }
    assert!(config::from_toml("[[rules]]\ntool = '[a'").and_then(Approval::new).is_err());
}

#[test]
fn a_configuration_in_code_equals_one_in_toml() {
    let toml = "timeout_ms = 500\non_timeout = 'suspend'\nremember = []\n[[rules]]\ntool = 'pay'\nbecause = 'money'";
    let written: ApprovalConfig = config::from_toml(toml).unwrap();
    let made = Approval::builder()
        .rules([ApprovalRule::new("pay").because("money")])
        .timeout_ms(500)
        .on_timeout(OnTimeout::Suspend)
        .remember(Vec::<Remember>::new());
    assert_eq!(made, written);
    assert!(made.build().unwrap().needs_approval(&pay("ada")));
}

/// Other spellings of a tool that needs an approval need it as well.
#[test]
fn other_spellings_of_a_tool_need_an_approval_too() {
    let approval = Approval::builder()
        .rules([ApprovalRule::new("delete_account"), ApprovalRule::new("mcp__bank__*")])
        .build()
        .unwrap();
    for name in [
        "delete_account",
        "Delete_Account",
        "DELETE_ACCOUNT",
        " delete_account",
        "delete_account\n",
        "delete_\u{200b}account",
        "dеlete_account",
        "ｄelete_account",
        "delete_account\u{0}",
        "mcp__bank__pay",
        "MCP__Bank__pay",
        "mcp__bаnk__pay",
    ] {
        assert!(approval.needs_approval(&ToolCallInputs::new(name)), "{name:?}");
    }
    for name in ["delete_accounts", "undelete_account", "delete", "mcp__banks", "read", ""] {
        assert!(!approval.needs_approval(&ToolCallInputs::new(name)), "{name:?}");
    }
    let large = config::from_toml("[[rules]]\ntool = 'refund'\narguments = { amount = { min = 100 } }");
    let large = Approval::new(large.unwrap()).unwrap();
    for (amount, expected) in
        [(json!(99), false), (json!(100), true), (json!("100"), true), (json!([500]), true), (json!(null), true)]
    {
        let call = ToolCallInputs::new("refund").with_arguments(json!({ "amount": amount }));
        assert_eq!(large.needs_approval(&call), expected, "{amount}");
    }
}

#[tokio::test]
async fn the_first_rule_decides() {
    let desk = Desk::new();
    let toml = "
        timeout_ms = 60_000
        [[rules]]
        tool = 'pay'
        arguments = { to = 'eve' }
        because = 'eve is new'
        remember = []
        [[rules]]
        name = 'money'
        tool = ['pay', 'drop_*']
        timeout_ms = 1_000
        on_timeout = 'suspend'
    ";
    let rails = crate::approval::guarded_by(toml, desk.clone());
    let mut front_end = desk.front_end();
    let person = tokio::spawn(async move {
        let mut seen = Vec::new();
        while let Some(pending) = front_end.next().await {
            seen.push(pending.approval().unwrap().clone());
            pending.reply(Reply::ApproveOnce).unwrap();
        }
        seen
    });
    let (ledger, mut ctx) = (Ledger::default(), RunContext::new("desk"));
    ledger.run(&rails, &mut ctx, pay("eve")).await.unwrap();
    ledger.run(&rails, &mut ctx, pay("bob")).await.unwrap();
    ledger.run(&rails, &mut ctx, ToolCallInputs::new("read")).await.unwrap();
    drop((rails, desk));
    let seen = person.await.unwrap();
    let facts = |at: usize| {
        let request = &seen[at];
        (
            request.rule.as_ref(),
            request.reason.as_ref(),
            request.expires_in_ms,
            request.on_timeout,
            request.remember.len(),
        )
    };
    assert_eq!(facts(0), ("rule-1", "eve is new", Some(60_000), None, 0));
    let reason = "a person must agree to calls of this tool";
    assert_eq!(facts(1), ("money", reason, Some(1_000), Some(OnTimeout::Suspend), 2));
    assert_eq!((seen.len(), seen[0].agent.as_str(), seen[0].findings.len()), (2, "desk", 1));
}

rail_chain! {
    struct Several { risk: RiskScore, approval: Approval }
}

#[tokio::test]
async fn several_guards_ask_once() {
    let desk = Desk::new();
    let risk = RiskScore::new(config::from_toml("threshold = 40\n[tools.pay]\ndangerous = true").unwrap()).unwrap();
    let approval = Approval::builder().rules(["pay"]).build().unwrap();
    let asker = std::sync::Arc::new(desk.clone());
    let rails = Several { risk: risk.with_asker(asker.clone()), approval: approval.with_asker(asker) };
    let mut front_end = desk.front_end();
    let person = tokio::spawn(async move {
        let mut guards = Vec::new();
        while let Some(pending) = front_end.next().await {
            guards.push(pending.approval().unwrap().guard.to_string());
            pending.reply(Reply::ApproveOnce).unwrap();
        }
        guards
    });
    let (ledger, mut ctx) = (Ledger::default(), RunContext::new("desk"));
    ledger.run(&rails, &mut ctx, pay("ada")).await.unwrap();
    drop((rails, desk));
    assert_eq!(person.await.unwrap(), ["risk"]);
    assert_eq!(ledger.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn decisions_are_reported() {
    #[rail(priority = 90, on = [PreToolCall])]
    fn findings(ctx: &RailContext) -> Verdict {
        let found = ctx.extra.get::<Findings>().map(|Findings(all)| all.len());
        Verdict::abort_if(found != Some(1), "one finding")
    }
    rail_chain! {
        struct Watched { guarded: Guarded, findings }
    }
    let desk = Desk::new();
    let bus = EventBus::new(16);
    let mut records = bus.subscribe().with_filter(|record| record.emitted.as_deref() == Some("approval"));
    let rails = bus.wrap(Watched { guarded: guarded(desk.clone()) });
    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        for reply in [Reply::ApproveOnce, Reply::deny("no")] {
            front_end.next().await.unwrap().reply(reply).unwrap();
        }
    });
    let (ledger, mut ctx) = (Ledger::default(), RunContext::new("desk").with_run_id("run-7"));
    for _ in 0..3 {
        ledger.run(&rails, &mut ctx, pay("sk-live-4711")).await.unwrap();
    }
    let mut seen: Vec<Value> = Vec::new();
    for _ in 0..3 {
        let record = records.recv().await.unwrap().unwrap();
        assert!(!record.payload.to_string().contains("4711"));
        seen.push(record.payload["data"].clone());
    }
    assert_eq!(
        seen[0],
        json!({ "id": "run-7/desk/0.0/approval", "guard": "approval", "rule": "rule-1", "tool_name": "pay", "outcome": "approved" })
    );
    assert_eq!((&seen[1]["outcome"], &seen[2]["outcome"]), (&json!("denied"), &json!("nobody")));
}

#[tokio::test]
async fn a_guard_in_shadow_asks_no_person() {
    let (desk, ledger) = (Desk::new(), Ledger::default());
    let rails = guarded(desk.clone()).shadow();
    let mut front_end = desk.front_end();
    ledger.run(&rails, &mut RunContext::new("desk"), pay("ada")).await.unwrap();
    drop((rails, desk));
    assert!(front_end.next().await.is_none());
    assert_eq!(ledger.calls().len(), 1);
}

/// The text of a question is safe to print.
#[tokio::test]
async fn the_text_of_a_question_is_safe_to_print() {
    let rails = guarded(exo_rails_guards::approval::SuspendRun);
    let call = pay("\u{1b}[2Jada\u{202e}\u{9b}1m");
    let error = Ledger::default().run(&rails, &mut RunContext::new("desk"), call).await.unwrap_err();
    let text = error.suspension().unwrap().question.text.as_str().to_owned();
    assert_eq!(text, r#"`pay` with {"to":"\u001b[2Jada\u{202e}\u{9b}1m"}: money (approval/rule-1)"#);
    let long =
        Ledger::default().run(&rails, &mut RunContext::new("desk"), pay(&"x".repeat(1_000_000))).await.unwrap_err();
    let text = long.suspension().unwrap().question.text.as_str().to_owned();
    assert!(text.len() < 2_200 && text.contains("998,009 characters left out: money"), "{text}");
}
