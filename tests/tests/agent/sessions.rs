//! Sessions: runs that belong together, from their beginning to their end.

use std::sync::Arc;

use exo_rails::message::{Message, Messages, Role};
use exo_rails::prelude::*;
use exo_rails::{CancellationToken, DroppedInputs, ModelDelta, SessionInfo};
use exo_rails_agent::{Agent, FailedRun, Model, RunEvent, SavedSession, ScriptedModel, Session};
use futures_util::{Stream, StreamExt, stream};
use tests::{AnyModel, Warnings, rails};

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

fn agent(script: &str) -> Agent<AnyModel, RailManager> {
    tests::agent("sessions", script.parse::<ScriptedModel>().unwrap())
        .instructions("help")
        .rails(rails![record, only_named, polite])
        .build()
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
    assert!(matches!(aborted.error, RunError::Abort(_)));
    let events: Vec<_> = session.stream("second").map(Result::unwrap).collect().await;
    assert!(matches!(events.last(), Some(RunEvent::Finished(output)) if output.text == "two"), "{events:?}");
    assert_eq!(texts(session.messages()), ["help", "first", "one", "second", "two"]);
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
async fn a_session_continues_the_conversation_of_another() {
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

/// Counts the runs in the session's state, and forgets nothing when the program ends.
#[rail(priority = 90, on = [SessionStart, Start])]
fn count(ctx: &RailContext) -> Result<(), serde_json::Error> {
    ctx.session.state().update_as(ctx.event().name(), |count: &mut u32| *count += 1)
}

fn counted(script: &str, instructions: &str) -> Agent<AnyModel, RailManager> {
    let model: ScriptedModel = script.parse().unwrap();
    tests::agent("counted", model).instructions(instructions).rails(rails![count]).build()
}

#[tokio::test]
async fn a_saved_session_goes_on_after_a_restart() {
    let agent = counted(THREE, "help");
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("first").await.unwrap();
    let saved = serde_json::to_string(&session.save()).unwrap();
    session.end().await;

    let saved: SavedSession = serde_json::from_str(&saved).unwrap();
    let state = serde_json::json!({ "session_start": 1, "start": 1 });
    assert_eq!(
        (&saved.info, serde_json::json!(saved.state)),
        (&SessionInfo { turns: 1, ..SessionInfo::new("s-1") }, state)
    );
    let mut session = Session::resume(&agent, saved.clone()).await.unwrap();
    assert_eq!(session.values().state().get("session_start"), Some(2.into()));
    assert_eq!(texts(&session.run("second").await.unwrap().messages), ["help", "first", "one", "second", "two"]);
    assert_eq!(session.end().await.turns, 2);

    // A rail of `SessionStart` is asked about what is resumed.
    let refusing = self::agent("[]");
    let mut refused = saved;
    refused.info.id = String::new();
    assert!(Session::resume(&refusing, refused).await.is_err());
    // The least that can be saved.
    let least: SavedSession = serde_json::from_str(r#"{ "info": { "id": "s-2" } }"#).unwrap();
    assert_eq!(least, SavedSession { info: SessionInfo::new("s-2"), ..SavedSession::default() });
}

#[tokio::test]
async fn new_instructions_replace_the_old_ones() {
    let old = [
        Message::system("old"),
        Message::new(Role::Developer, "older"),
        Message::user("first"),
        Message::assistant("one"),
    ];
    let later = Message::system("in the middle");
    let conversation: Messages = old.into_iter().chain([later]).collect();
    let saved = SavedSession { info: SessionInfo::new("s-1"), messages: conversation, ..SavedSession::default() };

    let agent = counted(r#"[{ "say": "two" }, { "say": "three" }]"#, "new");
    let mut session = Session::resume(&agent, saved.clone()).await.unwrap();
    let expected = ["new", "first", "one", "in the middle", "second", "two"];
    assert_eq!(texts(&session.run("second").await.unwrap().messages), expected);
    session.set_messages(saved.messages.clone());
    assert_eq!(texts(&session.run("third").await.unwrap().messages)[..2], ["new", "first"]);
    session.end().await;

    // An agent without instructions has none to put in their place.
    let agent = tests::agent("none", r#"[{ "say": "two" }]"#.parse::<ScriptedModel>().unwrap()).build();
    let mut session = Session::resume(&agent, saved).await.unwrap();
    assert_eq!(texts(&session.run("second").await.unwrap().messages)[..3], ["old", "older", "first"]);
    session.end().await;
}

#[tokio::test]
async fn a_fork_copies_the_conversation_and_continues_separately() {
    let agent = counted(r#"[{ "say": "one" }, { "say": "two" }, { "say": "three" }]"#, "help");
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("first").await.unwrap();
    let mut fork = session.fork("s-2").await.unwrap();
    assert_eq!(fork.info(), &SessionInfo { turns: 1, ..SessionInfo::new("s-2") });
    session.run("left").await.unwrap();
    fork.run("right").await.unwrap();
    assert_eq!(texts(session.messages()), ["help", "first", "one", "left", "two"]);
    assert_eq!(texts(fork.messages()), ["help", "first", "one", "right", "three"]);
    for (state, starts) in [(session.values().state(), 1), (fork.values().state(), 2)] {
        assert_eq!((state.get("session_start"), state.get("start")), (Some(starts.into()), Some(2.into())));
    }
    assert!(fork.values().get::<Seen>().is_none());
    assert_eq!((session.end().await.turns, fork.end().await.turns), (2, 2));
}

#[tokio::test]
async fn a_run_uses_the_context_of_the_caller_and_the_session() {
    let agent = agent(THREE);
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    let mut ctx = RunContext::new("mine").with_run_id("request-7");
    ctx.run.insert(7_u32);
    session.run_in("first", &mut ctx).await.unwrap();
    assert_eq!((ctx.agent(), ctx.run_id(), ctx.session_id(), ctx.turn()), ("mine", "request-7", Some("s-1"), 0));
    assert_eq!(ctx.run.get::<u32>(), Some(7));
    assert!(ctx.session.get::<Seen>().unwrap().0.contains(&"start \"s-1\" in turn 0".to_owned()));

    let mut ctx = RunContext::new("mine").with_run_id("request-8");
    let events: Vec<_> = session.stream_in("second", &mut ctx).map(Result::unwrap).collect().await;
    assert!(matches!(events.last(), Some(RunEvent::Finished(output)) if output.text == "two"), "{events:?}");
    assert_eq!((ctx.run_id(), ctx.turn()), ("request-8", 1));
    assert_eq!(session.end().await.turns, 2);
}

#[tokio::test]
async fn the_token_of_a_run_cancels_it_and_that_of_the_session_cancels_all() {
    let (agent, all) = (agent(THREE), CancellationToken::new());
    let mut session = Session::start(&agent, "s-1").await.unwrap().with_cancellation(all.clone());
    let one = all.child_token();
    one.cancel();
    let context = |token: &CancellationToken| RunContext::new("mine").with_cancellation(token.clone());
    let cancelled = session.run_in("first", &mut context(&one)).await.unwrap_err();
    assert!(matches!(cancelled.error, RunError::Cancelled));
    assert_eq!(session.run_in("first", &mut context(&all.child_token())).await.unwrap().text, "one");
    let child = all.child_token();
    all.cancel();
    assert!(session.run_in("second", &mut context(&child)).await.is_err());
    assert!(session.run_in("second", &mut RunContext::new("mine")).await.is_err());
    // A token that has nothing to do with the session is the caller's word.
    assert_eq!(session.run_in("second", &mut context(&CancellationToken::new())).await.unwrap().text, "two");
    session.end().await;
}

/// What a web server needs of a stream: `Sse::new` of axum asks for this.
fn leaves<S: Stream<Item = Result<RunEvent, FailedRun>> + Send + 'static>(stream: S) -> S {
    stream
}

#[tokio::test]
async fn a_stream_can_own_its_agent_and_context() {
    let agent = Arc::new(agent(r#"[{ "say": "one" }, { "say": "two" }, { "say": "three" }, { "say": "four" }]"#));
    let answer = |events: Vec<Result<RunEvent, FailedRun>>| match events.into_iter().last() {
        Some(Ok(RunEvent::Finished(output))) => output.text,
        other => panic!("{other:?}"),
    };
    let stream = leaves(Arc::clone(&agent).into_stream("first"));
    assert_eq!(answer(tokio::spawn(stream.collect()).await.unwrap()), "one");
    let ctx = RunContext::new("mine").with_run_id("request-7");
    let values = ctx.run.clone();
    let stream = leaves(Arc::clone(&agent).into_stream_in("second", ctx));
    assert_eq!(answer(tokio::spawn(stream.collect()).await.unwrap()), "two");
    drop(values);

    // A session that several requests share: the stream holds its lock.
    let session = Session::start(Arc::clone(&agent), "s-1").await.unwrap();
    let session = Arc::new(tokio::sync::Mutex::new(session));
    let stream = leaves(Session::stream_owned(Arc::clone(&session).lock_owned().await, "third"));
    assert!(session.try_lock().is_err());
    assert_eq!(answer(tokio::spawn(stream.collect()).await.unwrap()), "three");
    assert_eq!(session.lock().await.messages().len(), 3);
    // A stream that is never polled, and one that is dropped, give the lock back, and nothing has happened.
    drop(leaves(Session::stream_owned(Arc::clone(&session).lock_owned().await, "never")));
    assert_eq!(session.lock().await.info().turns, 1);

    // A session of one request ends with it.
    let saved = session.lock().await.save();
    let session = Session::resume(Arc::clone(&agent), saved).await.unwrap();
    let values = session.values().clone();
    let stream = leaves(session.into_stream("fourth"));
    assert_eq!(answer(tokio::spawn(stream.collect()).await.unwrap()), "four");
    assert_eq!(values.get::<Seen>().unwrap().0.last().unwrap(), "session_end \"s-1\" of 2 turns");
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
    let cancelled = session.run("second").await.unwrap_err();
    assert!(matches!(cancelled.error, RunError::Cancelled));
    assert_eq!(session.messages().len(), 3);
    // The rails are called all the same.
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

#[rail(on = [Dropped])]
fn gone(dropped: &DroppedInputs, ctx: &RailContext) {
    let entry = format!("{:?} {:?} in turn {}", dropped.what, ctx.session_id().unwrap_or_default(), ctx.turn());
    ctx.session.update(|seen: &mut Seen| seen.0.push(entry));
}

/// A client goes away in the middle of an answer, and nobody ends the session.
#[tokio::test]
async fn a_session_and_a_run_that_are_dropped_are_events() {
    /// Says something, and then nothing, without an end.
    struct Endless;

    impl Model for Endless {
        async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
            Ok(ModelResponse::text("one"))
        }

        fn stream(&self, _: Permit<ModelCallInputs>) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
            stream::iter([Ok(ModelDelta::Text("t".to_owned()))]).chain(stream::pending())
        }
    }

    let agent = Arc::new(tests::agent("dropped", Endless).rails(rails![gone]).build());
    let mut session = Session::start(Arc::clone(&agent), "s-1").await.unwrap();
    let values = session.values().clone();
    session.run("first").await.unwrap();
    let mut events = session.into_stream("second");
    assert!(matches!(events.next().await, Some(Ok(RunEvent::Text(_)))));
    drop(events);
    assert_eq!(values.get::<Seen>().unwrap().0, ["Run \"s-1\" in turn 1", "Session \"s-1\" in turn 1"]);
    // One that is ended, and one that was refused, were not dropped.
    let ended = Session::start(Arc::clone(&agent), "s-2").await.unwrap();
    let values = ended.values().clone();
    ended.end().await;
    assert!(values.get::<Seen>().is_none());
}

#[tokio::test]
async fn a_fault_at_the_end_of_a_session_does_not_stop_later_hooks() {
    async fn fails(_: Inputs<'_>, _: &mut RailContext) -> Result<(), &'static str> {
        Err("no")
    }
    async fn told(_: Inputs<'_>, ctx: &mut RailContext) {
        ctx.session.update(|seen: &mut Seen| seen.0.push("told".to_owned()));
    }
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::SessionEnd, fails);
    hooks.add(HookPoint::SessionEnd, told);
    let agent = tests::agent("sessions", "[]".parse::<ScriptedModel>().unwrap())
        .rails(exo_rails::DynGuardSet::from(hooks))
        .build();
    let (warnings, _guard) = Warnings::collect();
    let session = Session::start(&agent, "s-1").await.unwrap();
    let values = session.values().clone();
    session.end().await;
    assert_eq!((values.get::<Seen>().unwrap().0.as_slice(), warnings.seen().len()), (&["told".to_owned()][..], 1));
}
