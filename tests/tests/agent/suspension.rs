//! Runs that wait: suspended by a rail, saved, and resumed by another program.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use exo_rails::message::{ToolCall, Usage};
use exo_rails::prelude::*;
use exo_rails::{
    DynGuardSet, EventBus, KeptValues, NoRetry, NoSubstitute, OpenQuestion, RetryOrContinue, SharedExtensions,
};
use exo_rails_agent::{
    Agent, CallState, Checkpoints, Compaction, FailedRun, FileCheckpoints, IntoRun, Model, NotOpen, Resolution,
    RunEvent, Session, SuspendedRun,
};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::{AnyModel, GuardDyn, rails};

/// What happens outside of the run, and outlives the program.
#[derive(Clone, Default)]
struct World(Arc<Happened>);

#[derive(Default)]
struct Happened {
    model_calls: AtomicU32,
    tool_calls: AtomicU32,
}

impl World {
    fn counts(&self) -> (u32, u32) {
        (self.0.model_calls.load(Ordering::SeqCst), self.0.tool_calls.load(Ordering::SeqCst))
    }

    /// A tool that pays once for each call.
    fn refund(&self) -> Tool {
        let world = self.clone();
        Tool::new("refund", "Pays an order back.", json!({ "type": "object" }), move |args: Value| {
            let number = world.0.tool_calls.fetch_add(1, Ordering::SeqCst);
            async move {
                match args["how"].as_str() {
                    Some("fails") => Err(OperationError::from("the bank is closed")),
                    Some("hangs") => std::future::pending().await,
                    _ => Ok(format!("receipt {number}")),
                }
            }
        })
    }
}

/// A model without a memory: it asks for the calls that the user names, and answers when it has their outputs.
struct Clerk(World);

impl Model for Clerk {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.0.0.model_calls.fetch_add(1, Ordering::SeqCst);
        let usage = Some(Usage { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10, ..Usage::default() });
        let last = request.messages.last().map(|message| message.text().into_owned()).unwrap_or_default();
        if last == "fail" {
            return Err("the provider is down".into());
        }
        let mut response = ModelResponse { usage, ..ModelResponse::text(format!("read: {last}")) };
        if let Some(how) = last.strip_prefix("refund ") {
            response.message.content = None;
            let call = |(i, how)| ToolCall::new(format!("call-{i}"), "refund", &json!({ "how": how }));
            response.message.tool_calls = how.split(' ').enumerate().map(call).collect();
        }
        Ok(response)
    }
}

/// Asks at one event, before and after other rails of it.
struct Asks(HookPoint);

impl Asks {
    fn ask<S>(&self, ctx: &RailContext) -> Result<RailAction<S>, serde_json::Error> {
        if ctx.event() != self.0 {
            return Ok(RailAction::Continue);
        }
        let question = ctx.question("may this go on?");
        Ok(match ctx.answer_to(&question)? {
            None => RailAction::suspend(question),
            Some(true) => RailAction::Continue,
            Some(false) => RailAction::abort("a person has refused"),
        })
    }
}

#[rail(priority = 20)]
impl Asks {
    #[on(Start, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished)]
    fn any(&self, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
        self.ask(ctx)
    }

    #[on(PreCompaction)]
    fn compaction(&self, ctx: &RailContext) -> Result<RailAction<NoSubstitute, NoRetry>, serde_json::Error> {
        let question = ctx.question("may this go on?");
        Ok(match ctx.answer_to::<bool>(&question)? {
            None if self.0 == HookPoint::PreCompaction => RailAction::suspend(question),
            _ => RailAction::Continue,
        })
    }
}

/// Tells how a run ends.
#[derive(Clone, Default)]
struct Ends(Arc<Mutex<Vec<String>>>);

#[rail(priority = 90)]
impl Ends {
    #[on(Suspended)]
    fn suspended(&self, run: &InvokeInputs, open: &OpenQuestion) {
        self.0.lock().unwrap().push(format!("{} asks {} of {}", open.rail_name, open.question.text, run.input.text()));
    }

    #[on(events::Error)]
    fn failed(&self, error: &RunError) {
        self.0.lock().unwrap().push(error.to_string());
    }

    #[on(Finished)]
    fn finished(&self) {
        self.0.lock().unwrap().push("finished".to_owned());
    }
}

#[tokio::test]
async fn each_run_ends_with_one_event() {
    for at in POINTS {
        let (world, ends) = (World::default(), Ends::default());
        let agent = || {
            tests::agent("clerk", Clerk(world.clone()))
                .tool(world.refund())
                .rails(rails![Asks(at), ends.clone()])
                .compaction(Compaction::over(0))
                .build()
        };
        let run = restarted(agent().run(input(at)).await.unwrap_err());
        let asked = format!("Asks asks may this go on? of {}", input(at));
        assert_eq!(*ends.0.lock().unwrap(), [asked.as_str()], "{at}");
        agent().run(answered(run, "perhaps")).await.unwrap_err();
        assert_eq!(ends.0.lock().unwrap().len(), 2, "{at}");
    }
}

/// Makes good what fails, after it was asked about.
#[rail(priority = 30, on = [LlmError])]
fn rescue() -> RailAction<ModelResponse> {
    RailAction::skip_with(ModelResponse::text("please call us"), "the provider is down")
}

fn asking(at: HookPoint) -> RailManager {
    rails![Asks(at), rescue]
}

fn agent(world: &World, at: HookPoint) -> Agent<AnyModel, RailManager> {
    tests::agent("clerk", Clerk(world.clone()))
        .tool(world.refund())
        .rails(asking(at))
        .compaction(Compaction::over(0))
        .build()
}

/// The run in another program: as what was written of it.
fn restarted(failed: FailedRun) -> SuspendedRun {
    let suspended = failed.suspended.unwrap_or_else(|| panic!("not suspended: {}", failed.error));
    serde_json::from_str(&serde_json::to_string(&suspended).unwrap()).unwrap()
}

fn answered(mut run: SuspendedRun, answer: impl Into<Value>) -> SuspendedRun {
    let ids: Vec<_> = run.questions().map(|open| open.question.id()).collect();
    let answer = answer.into();
    for id in ids {
        run.answer(&id, answer.clone()).unwrap();
    }
    run
}

const POINTS: [HookPoint; 10] = [
    HookPoint::Start,
    HookPoint::PreCompaction,
    HookPoint::PreLlmCall,
    HookPoint::LlmChunk,
    HookPoint::PostLlmCall,
    HookPoint::LlmError,
    HookPoint::PreToolCall,
    HookPoint::PostToolCall,
    HookPoint::ToolError,
    HookPoint::Finished,
];

/// What the user says so that this event comes.
fn input(at: HookPoint) -> &'static str {
    match at {
        HookPoint::LlmError => "fail",
        HookPoint::ToolError => "refund fails",
        _ => "refund gladly",
    }
}

#[tokio::test]
async fn a_run_suspended_at_any_event_resumes_there_and_repeats_nothing() {
    for at in POINTS {
        // What happens without a suspension.
        let usual = World::default();
        let output = agent(&usual, HookPoint::SessionStart).run(input(at)).await.unwrap();

        let world = World::default();
        let mut run = restarted(agent(&world, at).run(input(at)).await.unwrap_err());
        let mut times = 0;
        // At some events the run passes more than once.
        let resumed = loop {
            times += 1;
            assert!(times < 5, "{at}");
            match agent(&world, at).run(answered(run, true)).await {
                Ok(output) => break output,
                Err(failed) => run = restarted(failed),
            }
        };
        // No rail has seen all of an answer at `LlmChunk`, so it is not kept: the model is asked again.
        let again = if at == HookPoint::LlmChunk { times } else { 0 };
        let (model_calls, tool_calls) = usual.counts();
        assert_eq!(world.counts(), (model_calls + again, tool_calls), "{at}: nothing was done twice");
        assert_eq!((resumed.text, resumed.messages), (output.text, output.messages), "{at}");
    }
}

#[tokio::test]
async fn a_streamed_run_is_resumed_as_a_stream() {
    for at in POINTS {
        let usual = World::default();
        let output = agent(&usual, HookPoint::SessionStart).run(input(at)).await.unwrap();
        let world = World::default();
        let stream = |events: Vec<Result<RunEvent, FailedRun>>| {
            events.into_iter().rev().find_map(|event| match event {
                Ok(RunEvent::Finished(output)) => Some(Ok(*output)),
                Ok(_) => None,
                Err(failed) => Some(Err(failed)),
            })
        };
        let begun = agent(&world, at).stream(input(at)).collect().await;
        let mut run = restarted(stream(begun).unwrap().unwrap_err());
        let mut resumptions = 0;
        let resumed = loop {
            resumptions += 1;
            assert!(resumptions < 5, "{at}");
            match stream(agent(&world, at).stream(answered(run, true)).collect().await).unwrap() {
                Ok(output) => break output,
                Err(failed) => run = restarted(failed),
            }
        };
        // A piece of an answer is not a result: the model is asked again.
        let again = if at == HookPoint::LlmChunk { resumptions } else { 0 };
        let (model_calls, tool_calls) = usual.counts();
        assert_eq!(world.counts(), (model_calls + again, tool_calls), "{at}");
        assert_eq!((resumed.text, resumed.messages), (output.text, output.messages), "{at}");
    }
}

#[tokio::test]
async fn a_refusal_or_a_senseless_answer_ends_the_run() {
    for at in POINTS.into_iter().filter(|at| *at != HookPoint::PreCompaction) {
        let world = World::default();
        let run = restarted(agent(&world, at).run(input(at)).await.unwrap_err());
        let before = world.counts();
        let refused = agent(&world, at).run(answered(run.clone(), false)).await.unwrap_err();
        assert!(matches!(&refused.error, RunError::Abort(abort) if abort.event == at), "{at}: {refused}");
        assert!(refused.suspended.is_none());
        let senseless = agent(&world, at).run(answered(run, "perhaps")).await.unwrap_err();
        assert!(matches!(&senseless.error, RunError::Fault(fault) if fault.event == at), "{at}: {senseless}");
        // The model is asked again where nothing of its answer was kept.
        let again = if at == HookPoint::LlmChunk { 2 } else { 0 };
        assert_eq!(world.counts(), (before.0 + again, before.1), "{at}");
    }
}

#[tokio::test]
async fn a_run_without_an_answer_suspends_itself_again() {
    let world = World::default();
    let agent = agent(&world, HookPoint::PreToolCall);
    let run = restarted(agent.run("refund gladly").await.unwrap_err());
    let again = restarted(agent.run(run.clone()).await.unwrap_err());
    assert_eq!((&again.calls, &again.so_far), (&run.calls, &run.so_far));
    assert_eq!(world.counts(), (1, 0));
}

/// Asks about each call with its arguments.
#[rail(priority = 20, on = [PreToolCall])]
fn approval(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    if call.arguments["how"] == "freely" {
        return Ok(RailAction::Continue);
    }
    let question = ctx.question("approve the refund").with_data(&call.arguments);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("a person has refused"),
    })
}

/// A second rail that asks about the same call.
#[rail(priority = 30, on = [PreToolCall])]
fn auditor(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("file the refund under losses").with_data(&call.arguments);
    Ok(match ctx.answer_to::<bool>(&question)? {
        None => RailAction::suspend(question),
        Some(_) => RailAction::Continue,
    })
}

/// Somebody clicks a link twice, or a front end sends its answer again.
#[tokio::test]
async fn an_answer_that_comes_again_does_not_answer_the_next_question() {
    let world = World::default();
    let agent = approving(&world, rails![approval, auditor]).build();
    let mut run = restarted(agent.run("refund gladly").await.unwrap_err());
    let id = run.questions().next().unwrap().question.id();
    run.answer(&id, true).unwrap();

    let mut run = restarted(agent.run(run).await.unwrap_err());
    let next = run.questions().next().unwrap().question.clone();
    assert_eq!(next.text.as_str(), "file the refund under losses");
    assert!(matches!(run.answer(&id, true).unwrap_err(), NotOpen::Question { open, .. } if open == [next.id()]));
    assert_eq!(world.counts(), (1, 0), "nothing is paid back");
}

fn approving<R: GuardSet>(world: &World, rails: R) -> exo_rails_agent::AgentBuilder<AnyModel, R> {
    tests::agent("clerk", Clerk(world.clone())).tool(world.refund()).rails(rails)
}

#[tokio::test]
async fn the_input_that_a_rail_has_refused_is_not_saved() {
    #[rail(priority = 10, on = [Start])]
    fn refuse(run: &InvokeInputs) -> RailAction {
        if run.input.text().is_empty() { RailAction::Continue } else { RailAction::skip("it has a key") }
    }
    let world = World::default();
    let rails = rails![refuse, Asks(HookPoint::Finished)];
    let agent = tests::agent("clerk", Clerk(world.clone())).rails(rails).build();
    let failed = agent.run("my key is sk-live-4711").await.unwrap_err();
    assert!(!serde_json::to_string(&failed.suspended).unwrap().contains("sk-live-4711"));
    let output = agent.run(answered(restarted(failed), true)).await.unwrap();
    assert_eq!(output.extra[InvokeOutput::SKIPPED]["by"], "refuse");
    assert_eq!(world.counts(), (0, 0));
}

#[tokio::test]
async fn every_guard_set_suspends() {
    async fn suspends(rails: DynGuardSet) {
        let world = World::default();
        let agent = approving(&world, rails).build();
        let run = restarted(agent.run("refund gladly").await.unwrap_err());
        assert_eq!(agent.run(answered(run, true)).await.unwrap().text, "read: receipt 0");
        assert_eq!(world.counts(), (2, 1));
    }
    rail_chain! {
        struct Inner { approval }
    }
    suspends(rail_chain![Inner].into()).await;
    let mut manager = RailManager::new();
    manager.add(approval {}).unwrap();
    suspends(manager.into()).await;
    let mut hooks = HookManager::new();
    rail_chain![approval].register(&mut hooks);
    suspends(hooks.into()).await;
    suspends(DynGuardSet::new(rails![approval])).await;
    suspends(DynGuardSet::new(EventBus::new(8).wrap(rails![approval]))).await;
}

#[tokio::test]
async fn each_of_several_calls_is_asked_about() {
    let world = World::default();
    let agent = approving(&world, rails![approval]).build();
    // Two calls that are the same, and one that nobody is asked about.
    let mut run = restarted(agent.run("refund gladly freely gladly").await.unwrap_err());
    assert_eq!(world.counts(), (1, 1), "the call that needs no approval has run");
    let ids: Vec<_> = run.questions().map(|open| open.question.id()).collect();
    let places: Vec<_> = ids.iter().map(|id| id.rsplit_once('.').unwrap().0).collect();
    assert_eq!(places, ["0.0.pre_tool_call", "0.2.pre_tool_call"]);
    assert!(matches!(&run.calls[1].state, CallState::Returned(output) if output.content == "receipt 0"));

    let error = run.answer("0.1.pre_tool_call", true).unwrap_err();
    assert!(matches!(&error, NotOpen::Question { open, .. } if *open == ids));
    let text = format!("no question `0.1.pre_tool_call` is open; the open questions are `{}`, `{}`", ids[0], ids[1]);
    assert_eq!(error.to_string(), text);
    run.answer(&ids[0], true).unwrap();
    assert!(run.answer(&ids[0], false).is_err(), "it is answered");

    let mut run = restarted(agent.run(run).await.unwrap_err());
    assert_eq!(world.counts(), (1, 2), "one approval is for one call");
    run.answer(&ids[1], false).unwrap();
    let output = agent.run(run).await.unwrap();
    assert_eq!(world.counts(), (2, 2));
    let told: Vec<_> = output.messages.iter().skip(2).map(|message| message.text().into_owned()).collect();
    let skipped = "The call of `refund` was skipped by the rail `approval`: a person has refused";
    assert_eq!(told, ["receipt 1", "receipt 0", skipped, &format!("read: {skipped}")]);
}

#[tokio::test]
async fn an_abort_of_one_call_is_not_hidden_by_the_question_of_another() {
    #[rail(priority = 10, on = [PreToolCall])]
    fn limit(call: &ToolCallInputs) -> RailAction {
        if call.arguments["how"] == "greedily" { RailAction::abort("too much") } else { RailAction::Continue }
    }
    let world = World::default();
    let agent = approving(&world, rails![limit, approval]).build();
    let failed = agent.run("refund gladly greedily").await.unwrap_err();
    assert!(failed.suspended.is_none());
    assert!(matches!(&failed.error, RunError::Abort(abort) if abort.reason == "too much"));
    // The conversation can go on from here.
    assert_eq!(failed.so_far.messages.len(), 4);
}

#[tokio::test]
async fn an_approval_does_not_cover_a_call_that_was_changed_later() {
    /// What the call is changed to while somebody thinks about it.
    struct Changed(&'static str);
    #[rail(priority = 10)]
    impl Changed {
        #[on(PreToolCall)]
        fn change(&self, call: &mut ToolCallInputs) {
            call.arguments["how"] = self.0.into();
        }
    }
    let world = World::default();
    let agent = |how| approving(&world, rails![Changed(how), approval]).build();
    let run = restarted(agent("gladly").run("refund me").await.unwrap_err());
    let run = restarted(agent("doubly").run(answered(run, true)).await.unwrap_err());
    assert_eq!(run.questions().map(|open| &open.question.data).collect::<Vec<_>>(), [&json!({ "how": "doubly" })]);
    assert_eq!(world.counts(), (1, 0));
}

#[tokio::test]
async fn a_call_keeps_its_result_if_an_earlier_rail_asks_later() {
    let world = World::default();
    let begun = tests::agent("clerk", Clerk(world.clone())).tool(world.refund());
    let begun = begun.rails(asking(HookPoint::PostToolCall)).build();
    let run = restarted(begun.run("refund gladly").await.unwrap_err());
    // The next program is stricter.
    let stricter = approving(&world, rails![approval]).build();
    let run = restarted(stricter.run(answered(run, true)).await.unwrap_err());
    assert_eq!(stricter.run(answered(run, true)).await.unwrap().text, "read: receipt 0");
    assert_eq!(world.counts(), (2, 1));
}

#[tokio::test]
async fn a_run_that_begins_again_asks_again() {
    #[rail(on = [Finished])]
    fn once_more(ctx: &RailContext) -> RailAction {
        if ctx.attempt() == 0 { RailAction::retry("not good enough") } else { RailAction::Continue }
    }
    let world = World::default();
    let agent = approving(&world, rails![approval, once_more]).build();
    let run = restarted(agent.run("refund gladly").await.unwrap_err());
    let run = restarted(agent.run(answered(run, true)).await.unwrap_err());
    assert_eq!(world.counts().1, 1, "the second attempt asks for a second payment");
    assert!(run.questions().next().is_some());
}

#[tokio::test]
async fn a_saved_run_contains_no_redacted_text() {
    #[rail(priority = 10, on = [Start])]
    fn redact_input(run: &mut InvokeInputs) {
        run.input.for_each_text(|text| *text = text.replace("sk-live-4711", "gladly"));
    }
    #[rail(priority = 10, on = [PostToolCall])]
    fn redact_output(output: &mut ToolOutput) {
        output.content = output.content.replace("receipt", "paper");
    }
    for at in [HookPoint::Start, HookPoint::PreLlmCall, HookPoint::PostToolCall] {
        let world = World::default();
        let agent = approving(&world, rails![redact_input, redact_output, Asks(at)]).build();
        let run = restarted(agent.run("refund sk-live-4711").await.unwrap_err());
        let saved = serde_json::to_string(&run).unwrap();
        assert!(!saved.contains("4711") && !saved.contains("receipt"), "{at}: {saved}");
        assert!(agent.run(answered(run, true)).await.is_ok() || at == HookPoint::PreLlmCall);
    }
}

#[derive(Default, Debug, PartialEq, Serialize, Deserialize)]
struct Calls(u32);

#[derive(Default)]
struct Forgotten;

#[rail(priority = 5, on = [PreToolCall])]
fn count(ctx: &RailContext) -> Result<(), serde_json::Error> {
    ctx.run.update(|calls: &mut Calls| calls.0 += 1);
    ctx.run.update(|_: &mut Forgotten| ());
    ctx.run.state().update_as("asked", |asked: &mut u32| *asked += 1)
}

#[rail(priority = 90, on = [Finished])]
fn total(output: &mut InvokeOutput, ctx: &RailContext) {
    let calls = ctx.run.update(|calls: &mut Calls| calls.0);
    output.text =
        format!("{calls} {} {} {}", ctx.run.state().get("asked").unwrap_or_default(), ctx.is_resumed(), ctx.run_id());
}

#[tokio::test]
async fn values_of_the_run_survive_when_they_are_kept() {
    let world = World::default();
    let agent = || approving(&world, rails![count, approval, total]);
    let kept = || KeptValues::new().keep::<Calls>("calls");
    let run = restarted(agent().kept_values(kept()).build().run("refund gladly").await.unwrap_err());
    assert_eq!(run.context.values["calls"], json!(1));
    assert_eq!(run.context.lost, [std::any::type_name::<Forgotten>()]);
    let (id, tokens) = (run.context.run_id.clone(), run.context.usage.total_tokens);
    assert_eq!(tokens, 10);
    let output = agent().kept_values(kept()).build().run(answered(run.clone(), true)).await.unwrap();
    assert_eq!((output.text, output.usage.total_tokens), (format!("2 2 true {id}"), 20));

    let output = agent().build().run(answered(run.clone(), true)).await.unwrap();
    assert_eq!(output.text, format!("1 2 true {id}"), "nobody has said that they are kept");

    let mut broken = answered(run, true);
    broken.context.values["calls"] = json!("many");
    let failed = agent().kept_values(kept()).build().run(broken.clone()).await.unwrap_err();
    assert!(failed.to_string().starts_with("the value `calls` of the run cannot be read: invalid type"), "{failed}");
    assert_eq!(failed.suspended.as_deref(), Some(&broken), "nothing is lost");
}

#[tokio::test]
async fn a_resumed_run_keeps_its_remaining_retries() {
    #[rail(on = [PostToolCall])]
    fn again() -> RailAction<NoSubstitute, RetryOrContinue> {
        RailAction::retry_or_continue(RetryRequest::new("again").with_max_retries(2))
    }
    let world = World::default();
    let agent = approving(&world, rails![Asks(HookPoint::Finished), again]).build();
    let begin = || RunContext::new("clerk").with_max_retries(3);
    let run = restarted(agent.run_in("refund freely", &mut begin()).await.unwrap_err());
    assert_eq!((run.context.retries_left, world.counts()), (Some(1), (2, 3)));
    let mut ctx = begin();
    agent.run_in(answered(run, true), &mut ctx).await.unwrap();
    assert_eq!(ctx.save(&KeptValues::new()).unwrap().retries_left, Some(1));
}

#[tokio::test]
async fn only_its_session_can_resume_a_run() {
    let world = World::default();
    let agent = approving(&world, rails![approval]).build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("hello").await.unwrap();
    let run = answered(restarted(session.run("refund gladly").await.unwrap_err()), true);
    let saved = session.save();
    session.end().await;

    let failed = agent.run(run.clone()).await.unwrap_err();
    let text = "the run belongs to the session `s-1`: resume it in a context of that session";
    assert!(failed.to_string().starts_with(text), "{failed}");

    let mut session = Session::resume(&agent, saved).await.unwrap();
    let output = session.run(*failed.suspended.unwrap()).await.unwrap();
    assert_eq!(output.messages.len(), 6);
    assert_eq!(session.run("thanks").await.unwrap().messages.len(), 8);
    assert_eq!(session.end().await.turns, 3);
}

#[tokio::test]
async fn only_its_agent_can_resume_a_run() {
    let world = World::default();
    let run = restarted(approving(&world, rails![approval]).build().run("refund gladly").await.unwrap_err());
    let other = tests::agent("cook", Clerk(world.clone())).build();
    let failed = other.run(run).await.unwrap_err();
    assert!(failed.to_string().starts_with("the run belongs to the agent `clerk`, not to `cook`"), "{failed}");
}

/// A directory that is gone when the test has passed.
fn directory(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("exo-rails-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

/// Runs until the tool hangs, and then drops the run, as the end of a program does.
async fn killed<R: GuardSet>(agent: &Agent<AnyModel, R>, world: &World, run: impl IntoRun + Send) {
    let before = world.counts().1;
    let begun = async {
        while world.counts().1 == before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        result = agent.run(run) => panic!("{result:?}"),
        () = begun => {}
    }
}

#[tokio::test]
async fn a_call_without_a_recorded_end_is_not_made_twice() {
    let directory = directory("unknown");
    let checkpoints = FileCheckpoints::open(&directory).unwrap();
    let world = World::default();
    let agent = approving(&world, rails![approval]).checkpoints(checkpoints.clone()).build();
    let run = answered(restarted(agent.run("refund freely hangs").await.unwrap_err()), true);
    assert_eq!(checkpoints.load(&run.context.run_id).unwrap().unwrap().revision, run.revision);
    killed(&agent, &world, run).await;
    assert_eq!(world.counts(), (1, 2));

    let mut saved = checkpoints.load_all().unwrap();
    let run = saved.pop().unwrap().unwrap();
    assert!(saved.is_empty());
    assert!(matches!(run.calls[0].state, CallState::Returned(_)));
    assert_eq!(
        run.unknown_calls().map(|(number, call)| (number, call.id.as_str())).collect::<Vec<_>>(),
        [(1, "call-1")]
    );

    let failed = agent.run(run.clone()).await.unwrap_err();
    let text =
        "it is unknown whether the tool call 1, of `refund`, has happened: resolve it with `SuspendedRun::resolve`";
    assert!(failed.to_string().starts_with(text), "{failed}");
    assert_eq!((failed.suspended.as_deref(), world.counts()), (Some(&run), (1, 2)));

    let resolved = |resolution| {
        let mut run = run.clone();
        let wrong = run.resolve(0, Resolution::Repeat).unwrap_err();
        let text = "the tool call 0 is not unknown; the unknown calls are `1`";
        assert_eq!(wrong.to_string(), text);
        run.resolve(1, resolution).unwrap();
        run
    };
    // Without checkpoints, so that the same record is resumed in three ways.
    let forgetful = approving(&world, rails![approval]).build();
    let told = |output: InvokeOutput| output.messages[3].text().into_owned();
    let output = forgetful.run(resolved(Resolution::Returned("paid by the bank".into()))).await.unwrap();
    assert_eq!(told(output), "paid by the bank");
    let output = forgetful.run(resolved(Resolution::TellModel)).await.unwrap();
    assert_eq!(
        told(output),
        "It is unknown whether this call of `refund` has happened: the program ended while it ran."
    );
    assert_eq!(world.counts(), (3, 2), "the tool has not run again");
    killed(&forgetful, &world, resolved(Resolution::Repeat)).await;
    assert_eq!(world.counts(), (3, 3));

    let repeats = tests::agent("clerk", Clerk(world.clone())).tool(world.refund().idempotent()).build();
    killed(&repeats, &world, run.clone()).await;
    assert_eq!(world.counts(), (3, 4), "an idempotent tool is called again");

    agent.run(resolved(Resolution::TellModel)).await.unwrap();
    assert!(checkpoints.load_all().unwrap().is_empty(), "a run that has ended is not saved any more");
    std::fs::remove_dir_all(directory).unwrap();
}

/// Each record that cannot be read is an error with its name. The other runs can go on.
#[tokio::test]
async fn a_damaged_record_does_not_keep_the_others_from_loading() {
    let directory = directory("damaged");
    let checkpoints = FileCheckpoints::open(&directory).unwrap();
    let agent = approving(&World::default(), rails![approval]).checkpoints(checkpoints.clone()).build();
    agent.run("refund gladly").await.unwrap_err();
    std::fs::write(directory.join("0.json"), "{").unwrap();
    std::fs::write(directory.join("z.json"), "{}").unwrap();
    std::fs::create_dir(directory.join("zz.json")).unwrap();

    let (loaded, errors): (Vec<_>, Vec<_>) = checkpoints.load_all().unwrap().into_iter().partition(Result::is_ok);
    assert_eq!(loaded.len(), 1);
    let errors: Vec<_> = errors.into_iter().map(|error| error.unwrap_err().to_string()).collect();
    let expected = ["0.json` is not a record of a run", "z.json` is not a record of a run", "zz.json` cannot be read"];
    assert_eq!(errors.len(), expected.len());
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.contains(expected), "{error}");
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[tokio::test]
async fn a_run_is_resumed_once() {
    let directory = directory("once");
    let checkpoints = FileCheckpoints::open(&directory).unwrap();
    let world = World::default();
    let agent = approving(&world, rails![approval]).checkpoints(checkpoints).build();
    let named = || RunContext::new("clerk").with_run_id("../Order 7");
    let run = answered(restarted(agent.run_in("refund gladly", &mut named()).await.unwrap_err()), true);
    let files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(files.contains(&"%2e%2e%2f%4frder%207.json".into()), "{files:?}");

    let failed = agent.run_in("refund freely", &mut named()).await.unwrap_err();
    let text = "a run with the name `../Order 7` is saved already, with revision 1: resume it, or give the new run another name";
    assert!(failed.to_string().starts_with(text), "{failed}");

    let (one, two) = tokio::join!(agent.run(run.clone()), agent.run(run.clone()));
    let late = agent.run(run).await;
    assert_eq!(world.counts().1, 1, "{one:?} {two:?} {late:?}");
    let refused = [one, two, late].into_iter().filter_map(Result::err).inspect(|failed| {
        assert!(failed.to_string().contains("was resumed somewhere else"), "{failed}");
    });
    assert_eq!(refused.count(), 2);
    std::fs::remove_dir_all(directory).unwrap();
}

#[tokio::test]
async fn a_refused_resume_does_not_change_the_saved_record() {
    let directory = directory("refused");
    let checkpoints = FileCheckpoints::open(&directory).unwrap();
    let world = World::default();
    let agent = approving(&world, rails![approval]).checkpoints(checkpoints.clone()).build();
    let run = restarted(agent.run("refund hangs").await.unwrap_err());
    killed(&agent, &world, answered(run.clone(), true)).await;
    let saved = || checkpoints.load(&run.context.run_id).unwrap();
    assert_eq!(saved().map(|saved| saved.revision), Some(2));
    // Refused when it is about to run the tool, refused by a rail, and suspended once more.
    for resumed in [answered(run.clone(), true), answered(run.clone(), "perhaps"), run.clone()] {
        agent.run(resumed).await.unwrap_err();
        assert_eq!(saved().map(|saved| saved.revision), Some(2));
    }
    assert_eq!(world.counts().1, 1);
    std::fs::remove_dir_all(directory).unwrap();
}

/// A disk that is full.
struct Full;

impl Checkpoints for Full {
    async fn save(&self, _: SuspendedRun) -> Result<(), OperationError> {
        Err("the disk is full".into())
    }

    async fn remove(&self, _: &str, _: u64) -> Result<(), OperationError> {
        Err("the disk is broken".into())
    }
}

#[tokio::test]
async fn a_tool_does_not_run_when_its_run_is_not_saved() {
    #[rail(on = [ToolError])]
    fn never_mind() -> RailAction<ToolOutput> {
        RailAction::skip_with(ToolOutput::text("fine"), "never mind")
    }
    let world = World::default();
    let agent = approving(&world, rails![approval, never_mind]).checkpoints(Full).build();
    let failed = agent.run("refund freely").await.unwrap_err();
    assert!(matches!(&failed.error, RunError::Operation(error) if error.message == "the disk is full"));
    assert_eq!(world.counts(), (1, 0));
    // What waits is not lost, although it is not saved.
    let failed = agent.run("refund gladly").await.unwrap_err();
    assert!(matches!(&failed.error, RunError::Operation(error) if error.message == "the disk is full"));
    assert!(failed.suspended.is_some());
}

#[tokio::test]
async fn a_custom_loop_suspends_and_resumes() {
    let rails = rails![count, approval];
    let pay = |_| async { Ok::<_, OperationError>(ToolOutput::text("paid")) };
    let kept = KeptValues::new().keep::<Calls>("calls");
    let call = || ToolCallInputs::new("refund").with_arguments(json!({ "order": 7 }));
    let mut ctx = RunContext::new("loop").with_session("s-1", SharedExtensions::default(), 4);
    let error = rails.dyn_tool_call(call(), &mut ctx, pay).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `approval` suspended the run at pre_tool_call: approve the refund");
    let question = error.suspension().unwrap().question.clone();
    let saved = serde_json::to_string(&ctx.save(&kept).unwrap()).unwrap();

    let mut ctx = RunContext::new("loop").with_session("s-1", SharedExtensions::default(), 0);
    ctx.restore(serde_json::from_str(&saved).unwrap(), &kept).unwrap();
    assert_eq!(ctx.turn(), 4);
    ctx.answer(question, true);
    assert_eq!(rails.dyn_tool_call(call(), &mut ctx, pay).await.unwrap().content, "paid");
    assert_eq!(ctx.run.remove(), Some(Calls(2)));
}

/// Asks for a call in an answer that was cut, and answers when it has read why nothing was done.
struct CutClerk;

impl Model for CutClerk {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let last = request.messages.last().map(|message| message.text().into_owned()).unwrap_or_default();
        if request.messages.len() > 1 {
            return Ok(ModelResponse::text(format!("read: {last}")));
        }
        let call = ToolCall::new("call-1", "refund", &json!({ "order": 7 }));
        let mut response = ModelResponse { finish_reason: Some("length".into()), ..ModelResponse::text("") };
        response.message.tool_calls = vec![call];
        Ok(response)
    }
}

/// A call of an answer that was cut is not made after a suspension either, whatever the answer to the question is.
#[tokio::test]
async fn a_cut_call_stays_cut_in_a_run_that_is_suspended() {
    for at in [HookPoint::PreToolCall, HookPoint::ToolError] {
        let world = World::default();
        let agent = || tests::agent("clerk", CutClerk).tool(world.refund()).rails(asking(at)).build();
        let run = restarted(agent().run("Pay it back.").await.unwrap_err());
        assert_eq!(run.calls[0].cut_by.as_deref(), Some("length"), "{at}");
        let output = agent().run(answered(run, true)).await.unwrap();
        assert!(output.text.contains("the answer was cut (`length`)"), "{at}: {output:?}");
        assert_eq!(world.counts().1, 0, "{at}: the tool has run");
    }
}

/// A run that is resumed has no fresh budget of tool calls.
#[tokio::test]
async fn a_resumed_run_keeps_the_count_of_its_tool_calls() {
    for at in [HookPoint::PreLlmCall, HookPoint::PostLlmCall, HookPoint::PreToolCall] {
        let world = World::default();
        let agent = || {
            let agent = tests::agent("clerk", Eager).tool(world.refund()).rails(asking(at));
            agent.max_calls_per_run(6).build()
        };
        // Each step asks for two calls, and the question of each step suspends the run again.
        let (mut next, mut ended) = (agent().run("Pay.").await, 0);
        let error = loop {
            match next {
                Ok(output) => panic!("the run does not end by itself: {output:?}"),
                Err(failed) if failed.suspended.is_none() => break failed.error,
                Err(failed) => {
                    ended += 1;
                    assert!(ended < 20, "{at}: the run is resumed without end");
                    let mut run = restarted(failed);
                    let ids: Vec<_> = run.questions().map(|open| open.question.id()).collect();
                    for id in ids {
                        run.answer(&id, true).unwrap();
                    }
                    next = agent().run(run).await;
                }
            }
        };
        assert!(ended >= 3, "{at}: {ended}");
        assert!(error.to_string().contains("8 tool calls in one run, and the limit is 6"), "{at}: {error}");
        assert_eq!(world.counts().1, 6, "{at}");
    }
}

/// Asks for two calls whenever it is asked.
struct Eager;

impl Model for Eager {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let call = |number| ToolCall::new(format!("call-{number}"), "refund", &json!({ "number": number }));
        let mut response = ModelResponse::text("");
        response.message.tool_calls = (0..2).map(call).collect();
        Ok(response)
    }
}
