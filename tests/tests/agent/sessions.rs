//! Sessions: runs that belong together, from their beginning to their end.

use std::sync::Arc;

use exo_rails::message::{Message, Messages};
use exo_rails::prelude::*;
use exo_rails::{CancellationToken, SessionInfo};
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_agent::{RunEvent, Session};
use futures_util::StreamExt;
use tests::Warnings;

/// What has happened in the session.
#[derive(Clone, Debug, Default)]
struct Seen(Vec<String>);

#[rail(priority = 1, on = [SessionStart, Start, Finished, events::Error, SessionEnd])]
fn record(inputs: &Inputs<'_>, ctx: &RailContext) {
    let turns = match inputs {
        Inputs::SessionStart(session) | Inputs::SessionEnd(session) => format!(" of {} turns", session.turns),
        _ => format!(" in turn {}", ctx.turn()),
    };
    let entry = format!("{} {:?}{turns}", ctx.event(), ctx.session_id().unwrap_or_default());
    ctx.session.update(|seen: &mut Seen| seen.0.push(entry));
}

#[rail(priority = 10, on = [SessionStart])]
async fn only_named(session: &SessionInfo) -> Result<Verdict, &'static str> {
    if session.id == "broken" {
        return Err("the list of names is gone");
    }
    Ok(Verdict::abort_if(session.id.is_empty(), "a session has a name"))
}

#[rail(priority = 20, on = [Start])]
fn polite(run: &InvokeInputs) -> RailAction<InvokeOutput> {
    match run.input.text().as_ref() {
        "hello" => RailAction::skip_with(InvokeOutput::text("hello!"), "it is only polite"),
        "damn" => RailAction::abort("be polite"),
        _ => RailAction::Continue,
    }
}

rail_chain! {
    struct Guards { record, only_named, polite }
}

fn agent(script: &str) -> Agent<ScriptedModel, Guards> {
    Agent::builder("sessions", script.parse::<ScriptedModel>().unwrap()).instructions("help").rails(Guards {}).build()
}

const THREE: &str = r#"[{ "say": "one" }, { "say": "two" }, { "say": "three" }]"#;

fn texts(messages: &Messages) -> Vec<String> {
    messages.iter().map(|message| message.text().into_owned()).collect()
}

#[tokio::test]
async fn runs_share_a_conversation_and_values() {
    let agent = agent(THREE);
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    assert_eq!(session.run("first").await.unwrap().text, "one");
    assert_eq!(session.run("hello").await.unwrap().text, "hello!");
    let aborted = session.run("damn").await.unwrap_err();
    assert!(matches!(aborted, RunError::Abort(_)));
    let events: Vec<_> = session.stream("second").map(Result::unwrap).collect().await;
    assert!(matches!(events.last(), Some(RunEvent::Finished(output)) if output.text == "two"), "{events:?}");
    assert_eq!(texts(session.messages()), ["help", "first", "one", "hello", "hello!", "second", "two"]);
    let values = session.values().clone();
    assert_eq!(session.end().await, SessionInfo { turns: 4, ..SessionInfo::new("s-1") });
    assert_eq!(
        values.get::<Seen>().unwrap().0,
        [
            "session_start \"s-1\" of 0 turns",
            "start \"s-1\" in turn 0",
            "finished \"s-1\" in turn 0",
            "start \"s-1\" in turn 1",
            "finished \"s-1\" in turn 1",
            "start \"s-1\" in turn 2",
            "error \"s-1\" in turn 2",
            "start \"s-1\" in turn 3",
            "finished \"s-1\" in turn 3",
            "session_end \"s-1\" of 4 turns",
        ]
    );
}

#[tokio::test]
async fn a_session_that_is_refused_does_not_begin() {
    let agent = agent("[]");
    let aborted = Session::start(&agent, "").await.map(drop).unwrap_err();
    assert_eq!(aborted.to_string(), "rail `only_named` aborted at session_start: a session has a name");
    let faulted = Session::start(&agent, "broken").await.map(drop).unwrap_err();
    assert_eq!(faulted.to_string(), "rail `only_named` faulted at session_start: the list of names is gone");
}

#[tokio::test]
async fn a_session_goes_on_where_another_has_ended() {
    let agent = agent(THREE);
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("first").await.unwrap();
    let (messages, info) = (session.messages().clone(), session.end().await);
    let mut session = Session::start(&agent, info).await.unwrap();
    session.set_messages(messages);
    let output = session.run("second").await.unwrap();
    assert_eq!(texts(&output.messages), ["help", "first", "one", "second", "two"]);
    let own = InvokeInputs { messages: [Message::user("elsewhere")].into(), ..InvokeInputs::new("third") };
    assert_eq!(texts(&session.run(own).await.unwrap().messages), ["help", "elsewhere", "third", "three"]);
    assert_eq!(session.end().await.turns, 3);
}

/// It outlives the place where it began, and moves between threads.
#[tokio::test]
async fn a_session_can_own_its_agent() {
    let agent = Arc::new(agent(THREE));
    let mut session = Session::start(Arc::clone(&agent), "s-1".to_owned()).await.unwrap();
    let task = tokio::spawn(async move { (session.run("first").await.unwrap().text, session.end().await.turns) });
    assert_eq!(task.await.unwrap(), ("one".to_owned(), 1));
}

#[tokio::test]
async fn a_token_cancels_the_runs_of_a_session() {
    let (agent, token) = (agent(THREE), CancellationToken::new());
    let mut session = Session::start(&agent, "s-1").await.unwrap().with_cancellation(token.clone());
    session.run("first").await.unwrap();
    token.cancel();
    assert!(matches!(session.run("second").await, Err(RunError::Cancelled)));
    assert_eq!(session.messages().len(), 3);
    // The rails are told all the same.
    let values = session.values().clone();
    session.end().await;
    assert!(values.get::<Seen>().unwrap().0.last().unwrap().starts_with("session_end"));
}

#[tokio::test]
async fn a_session_that_is_dropped_is_reported() {
    let agent = agent("[]");
    let (warnings, _guard) = Warnings::collect();
    drop(Session::start(&agent, "s-1").await.unwrap());
    assert_eq!(warnings.seen().len(), 1, "{:?}", warnings.seen());
    Session::start(&agent, "s-2").await.unwrap().end().await;
    assert!(Session::start(&agent, "").await.is_err());
    assert_eq!(warnings.seen().len(), 1, "{:?}", warnings.seen());
}

#[tokio::test]
async fn the_end_cannot_be_stopped() {
    async fn fails(_: Inputs<'_>, _: &mut RailContext) -> Result<(), &'static str> {
        Err("no")
    }
    async fn told(_: Inputs<'_>, ctx: &mut RailContext) {
        ctx.session.update(|seen: &mut Seen| seen.0.push("told".to_owned()));
    }
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::SessionEnd, fails);
    hooks.add(HookPoint::SessionEnd, told);
    let agent = Agent::builder("sessions", "[]".parse::<ScriptedModel>().unwrap()).rails(hooks).build();
    let (warnings, _guard) = Warnings::collect();
    let session = Session::start(&agent, "s-1").await.unwrap();
    let values = session.values().clone();
    session.end().await;
    assert_eq!((values.get::<Seen>().unwrap().0.as_slice(), warnings.seen().len()), (&["told".to_owned()][..], 1));
}
