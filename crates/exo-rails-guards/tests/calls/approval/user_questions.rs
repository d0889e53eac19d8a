//! Questions of the model to the user.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_guards::approval::{Desk, Reply, ReplyError, UserAnswer, ask_user};
use serde_json::{Value, json};

/// Runs an agent whose model asks with these arguments. Returns the output of the tool.
async fn asked(desk: &Desk, arguments: Value, rails: impl GuardSet) -> String {
    let model = json!([{ "call": [{ "tool": "ask_user", "arguments": arguments }] }, { "say": "ok" }]).to_string();
    let model: ScriptedModel = model.parse().unwrap();
    let agent = Agent::builder("asker", model).tool(ask_user(desk.clone())).rails(rails).build();
    agent.run("go").await.unwrap().messages[2].text().into_owned()
}

#[tokio::test]
async fn the_answer_is_the_output() {
    let desk = Desk::new();
    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        let pending = front_end.next().await.unwrap();
        assert_eq!(pending.question().unwrap().question, "Which one?");
        assert!(pending.approval().is_none());
        assert!(matches!(pending.reply(Reply::ApproveOnce), Err(ReplyError::OtherKind { .. })));
        pending.reply(UserAnswer::text("the blue one")).unwrap();

        let pending = front_end.next().await.unwrap();
        let question = pending.question().unwrap().clone();
        assert_eq!((question.choices.len(), question.agent.as_str()), (2, "asker"));
        let error = pending.reply(UserAnswer::text("green")).unwrap_err();
        assert_eq!(error.to_string(), "`green` is not one of the choices: red, blue");
        pending.reply(UserAnswer::text("blue")).unwrap();

        front_end.next().await.unwrap().reply(UserAnswer::Declined).unwrap();
        drop(front_end.next().await.unwrap());
    });
    assert_eq!(asked(&desk, json!({ "question": "Which one?" }), exo_rails::NoRails).await, "the blue one");
    let choices = json!({ "question": "Which?", "choices": ["red", "blue"], "only_choices": true });
    assert_eq!(asked(&desk, choices, exo_rails::NoRails).await, "blue");
    let declined = asked(&desk, json!({ "question": "Why?" }), exo_rails::NoRails).await;
    assert_eq!(declined, "The user does not want to answer the question.");
    let vanished = asked(&desk, json!({ "question": "Why?" }), exo_rails::NoRails).await;
    assert_eq!(vanished, "There is no answer: the front end ended without a reply. Go on without it.");
}

#[tokio::test(start_paused = true)]
async fn a_question_has_a_time_limit() {
    let desk = Desk::new().with_timeout(Duration::from_secs(30));
    let output = asked(&desk, json!({ "question": "Why?" }), exo_rails::NoRails).await;
    assert_eq!(output, "There is no answer: no person was there to reply within 30 seconds. Go on without it.");
}

#[tokio::test]
async fn invalid_questions_of_the_model_reach_no_person() {
    let desk = Desk::new();
    let _front_end = desk.front_end();
    for (arguments, expected) in [
        (json!({}), "missing field `question`"),
        (json!({ "question": "  " }), "`question` is empty"),
        (json!({ "question": "x".repeat(4_001) }), "`question` is too long: write at most 4000 characters"),
        (json!({ "question": "?", "choices": vec!["a"; 21] }), "`choices` are too long"),
        (json!({ "question": "?", "choices": ["x".repeat(201)] }), "`choices` are too long"),
        (json!({ "question": "?", "only_choices": true }), "there are no `choices`"),
        (json!({ "question": "?", "urgent": true }), "unknown field `urgent`"),
        (json!(["?"]), "write the arguments as an object"),
    ] {
        let output = asked(&desk, arguments, exo_rails::NoRails).await;
        assert!(output.contains(expected), "{output}");
    }
}

#[tokio::test]
async fn guards_judge_the_question() {
    #[rail(priority = 10, on = [PreToolCall])]
    fn no_passwords(call: &ToolCallInputs) -> RailAction {
        match call.str_argument("question") {
            Some(question) if question.contains("password") => RailAction::skip("never ask for passwords"),
            _ => RailAction::Continue,
        }
    }
    let desk = Desk::new();
    let _front_end = desk.front_end();
    let output = asked(&desk, json!({ "question": "What is your password?" }), rail_chain![no_passwords]).await;
    assert!(output.ends_with("never ask for passwords"), "{output}");
}
