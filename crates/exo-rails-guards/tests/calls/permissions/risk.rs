//! The guard of risk: the formula, the boundary, and the question.

use exo_rails::prelude::*;
use exo_rails_guards::approval::{ChangedCalls, Reply};
use exo_rails_guards::permissions::Caution;
use exo_rails_guards::risk::{RiskCategory, ToolRisk};
use exo_rails_guards::{Permissions, PermissionsConfig, RiskConfig, RiskScore, config};
use proptest::prelude::*;
use serde_json::json;

use crate::permissions::{GuardedAndScored, Scored, call};

const CATEGORIES: [(RiskCategory, i32); 9] = [
    (RiskCategory::Shell, 30),
    (RiskCategory::Network, 20),
    (RiskCategory::Agent, 15),
    (RiskCategory::Filesystem, 10),
    (RiskCategory::Workflow, 10),
    (RiskCategory::Search, 0),
    (RiskCategory::Memory, 0),
    (RiskCategory::Knowledge, 0),
    (RiskCategory::Other, 5),
];

proptest! {
    #[test]
    fn the_score_is_the_sum_of_its_points(
        dangerous in any::<bool>(), category in 0_usize..9, network in any::<bool>(), writes in any::<bool>(), add in -150_i16..150,
    ) {
        let (category, points) = CATEGORIES[category];
        let risk = ToolRisk { dangerous, category: Some(category), network: Some(network), filesystem_write: Some(writes), add };
        let config = RiskConfig { tools: [("x".to_owned(), risk)].into(), ..RiskConfig::default() };
        let score = RiskScore::new(config).unwrap().assess(&ToolCallInputs::new("X ")).points;
        let sum = 40 * i32::from(dangerous) + points + 10 * i32::from(network) + 10 * i32::from(writes) + i32::from(add);
        prop_assert_eq!(i32::from(score), sum.clamp(0, 100));
    }
}

#[tokio::test]
async fn a_score_equal_to_the_threshold_asks() {
    // A dangerous shell: 0.4 + 0.3 is 0.7, and a sum of floating-point numbers may miss it.
    for (threshold, asks) in [(69, true), (70, true), (71, false)] {
        let tools = [("bash".to_owned(), ToolRisk { dangerous: true, ..ToolRisk::default() })].into();
        let rails = Scored { risk: RiskScore::new(RiskConfig { threshold, tools, ..RiskConfig::default() }).unwrap() };
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) };
        let result = rails.guard_tool_call(ToolCallInputs::new("bash"), &mut RunContext::new("x"), tool).await;
        assert_eq!(result.is_err_and(|error| error.suspension().is_some()), asks, "{threshold}");
    }
}

#[test]
fn tools_are_names_or_globs_in_every_spelling() {
    let risk = config::from_toml(
        r#"
        additions = [{ tool = ["drop_*", "wipe"], points = 3, because = "deletes" }]
        [tools."deploy_*"]
        add = 10
        [tools."deploy_{prod,live}"]
        add = 20
        [tools.deploy_live]
        add = 30
        "#,
    );
    let risk = RiskScore::new(risk.unwrap()).unwrap();
    for (tool, points) in [
        ("deploy_test", 15),
        ("Deploy_Prod", 25),
        ("ｄeploy_prod", 25),
        ("DEPLOY_LIVE", 35),
        ("redeploy_live", 5),
        ("drop_table", 8),
        ("Wipe ", 8),
        ("wiper", 5),
    ] {
        assert_eq!(risk.assess(&ToolCallInputs::new(tool)).points, points, "{tool}");
    }
}

#[tokio::test]
async fn above_the_threshold_a_call_can_be_denied() {
    let config = RiskConfig { threshold: 5, above: Caution::Deny, ..RiskConfig::default() };
    let rails = Scored { risk: RiskScore::new(config).unwrap() };
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) };
    let output = rails.guard_tool_call(ToolCallInputs::new("x"), &mut RunContext::new("x"), tool).await.unwrap();
    assert!(
        output
            .content
            .ends_with("risk/threshold: the risk of the call is 5 of 100, and the threshold is 5 (category other +5)"),
        "{}",
        output.content
    );
}

#[tokio::test]
async fn a_person_answers_one_question_about_a_call() {
    let rules = PermissionsConfig::from_toml("rules = [{ tool = 'pay', decision = 'ask' }]").unwrap();
    let risk: RiskConfig = config::from_toml("tools.pay = { add = 90 }").unwrap();
    let rails = GuardedAndScored {
        changed_calls: ChangedCalls,
        permissions: Permissions::new(rules).unwrap(),
        risk: RiskScore::new(risk).unwrap(),
    };
    let tool = |call: Permit<ToolCallInputs>| {
        let text = call.arguments.to_string();
        async { Ok::<_, OperationError>(ToolOutput::text(text)) }
    };
    let mut ctx = RunContext::new("x");
    let pay = || call("pay", json!({ "amount": 5 }));
    let question =
        rails.guard_tool_call(pay(), &mut ctx, tool).await.unwrap_err().suspension().unwrap().question.clone();
    assert!(question.text.as_str().contains("permissions/rule-1"));
    ctx.answer(question.clone(), Reply::ApproveOnce);
    assert_eq!(rails.guard_tool_call(pay(), &mut ctx, tool).await.unwrap().content, r#"{"amount":5}"#);
    ctx.answer(question, Reply::Change { arguments: json!({ "amount": 4 }) });
    assert_eq!(rails.guard_tool_call(pay(), &mut ctx, tool).await.unwrap().content, r#"{"amount":4}"#);
}

#[tokio::test]
async fn earlier_rails_judge_the_changed_arguments() {
    let rules = PermissionsConfig::from_toml(
        "rules = [{ tool = 'pay', decision = 'allow' }, { tool = 'pay', arguments = { to = 'mallory' }, decision = 'deny', because = 'blocked' }]\ndefault = 'allow'",
    );
    let risk: RiskConfig = config::from_toml("tools.pay = { add = 90 }").unwrap();
    let rails = GuardedAndScored {
        changed_calls: ChangedCalls,
        permissions: Permissions::new(rules.unwrap()).unwrap(),
        risk: RiskScore::new(risk).unwrap(),
    };
    let tool = |call: Permit<ToolCallInputs>| {
        let text = call.arguments.to_string();
        async { Ok::<_, OperationError>(ToolOutput::text(text)) }
    };
    for (to, expected) in [("bob", r#"{"to":"bob"}"#), ("mallory", "blocked")] {
        let mut ctx = RunContext::new("x");
        let first = call("pay", json!({ "to": "ada" }));
        let question = rails
            .guard_tool_call(first.clone(), &mut ctx, tool)
            .await
            .unwrap_err()
            .suspension()
            .unwrap()
            .question
            .clone();
        ctx.answer(question, Reply::Change { arguments: json!({ "to": to }) });
        let output = rails.guard_tool_call(first, &mut ctx, tool).await.unwrap();
        assert!(output.content.ends_with(expected), "{}", output.content);
    }
}

#[test]
fn mistakes_name_their_key() {
    let error = |toml: &str| match config::from_toml::<RiskConfig>(toml).and_then(RiskScore::new) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(error("treshold = 7"), "line 1, column 1: unknown key `treshold`: did you mean `threshold`?");
    assert_eq!(
        error("threshold = 101"),
        "`threshold`: 101 is more than the largest score: write a number from 0 to 100"
    );
    assert_eq!(
        error("tools.x = { category = 'shel' }"),
        "line 1, column 24: unknown value `shel`: did you mean `shell`?"
    );
    assert!(
        error("additions = [{ tool = '[', points = 1, because = 'x' }]")
            .starts_with("`additions`: `rules.addition-1.tool`: `[` is not a pattern")
    );
}
