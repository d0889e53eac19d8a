//! What a bus around a guard set tells its subscribers.

use std::sync::{Arc, Mutex};

use exo_rails::facts::{MayRewrite, WindowSize};
use exo_rails::prelude::*;
use exo_rails::{
    CompactionInputs, CompactionOutput, DynGuardSet, EventBus, EventRecord, Lagged, NoRails, NoRetry, Operation,
    Outcome, Serves, ServesOperation, StopKind, StreamPiece, Subscription,
};
use exo_rails_agent::Session;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::json;
use tests::{Model, asks_for, notes, rails, run_agent};
use tokio::task::unconstrained;

#[rail(priority = 10, on = [PreToolCall])]
fn no_delete(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "delete" { RailAction::skip("nothing is deleted") } else { RailAction::Continue }
}

#[rail(priority = 20, on = [PostToolCall])]
fn redact(output: &mut ToolOutput) {
    output.content = output.content.replace("done", "[hidden]");
}

#[rail(priority = 30, on = [PostLlmCall])]
fn again_once(ctx: &RailContext) -> RailAction {
    if ctx.attempt() == 0 { RailAction::retry(RetryRequest::new("once more")) } else { RailAction::Continue }
}

/// What has been published and not received yet.
fn received(subscription: &mut Subscription) -> Vec<Result<Arc<EventRecord>, Lagged>> {
    // Tokio stops a task that receives much at once.
    std::iter::from_fn(|| unconstrained(subscription.recv()).now_or_never().flatten()).collect()
}

fn records(subscription: &mut Subscription) -> Vec<Arc<EventRecord>> {
    received(subscription).into_iter().map(|record| record.unwrap()).collect()
}

fn events(subscription: &mut Subscription) -> Vec<HookPoint> {
    records(subscription).iter().map(|record| record.event).collect()
}

/// Dispatches the event before the call of a tool of this name.
async fn pre_tool_call<R: GuardSet>(rails: &R, name: &str) -> Outcome<PreToolCall> {
    rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new(name), &mut RunContext::new("tests")).await
}

async fn run<R: GuardSet>(
    rails: &R,
    answers: impl IntoIterator<Item = ModelResponse>,
) -> Result<InvokeOutput, RunError> {
    let mut ctx = RunContext::new("tests").with_run_id("run-of-this-test");
    run_agent(rails, &Model::new(answers), "Please!", &mut ctx).await
}

#[tokio::test]
async fn each_event_of_a_run_is_one_record_with_its_place_and_decision() {
    let bus = EventBus::new(64);
    let mut all = bus.subscribe();
    let rails = bus.wrap(rails![no_delete, redact, again_once]);
    let answers = [asks_for(&["delete"]), asks_for(&["search"]), ModelResponse::text("Done.")];
    run(&rails, answers).await.unwrap_err();
    let records_of_all = records(&mut all);
    let told: Vec<_> = records_of_all
        .iter()
        .map(|record| {
            assert_eq!((&*record.agent, &*record.run_id, record.turn), ("tests", "run-of-this-test", 0));
            let stopped = record.stopped.as_ref().map(|stopped| (stopped.how, stopped.rail_name.as_str()));
            (record.number, record.event, record.step, record.attempt, stopped)
        })
        .collect();
    let retry = Some((StopKind::Retry, "again_once"));
    let skip = Some((StopKind::Skip, "no_delete"));
    assert_eq!(
        told,
        [
            (0, HookPoint::Start, 0, 0, None),
            (1, HookPoint::ContextAssembled, 0, 0, None),
            (2, HookPoint::PreLlmCall, 0, 0, None),
            (3, HookPoint::LlmChunk, 0, 0, None),
            (4, HookPoint::PostLlmCall, 0, 0, retry),
            (5, HookPoint::PreLlmCall, 0, 1, None),
            (6, HookPoint::LlmChunk, 0, 1, None),
            (7, HookPoint::PostLlmCall, 0, 1, None),
            (8, HookPoint::PreToolCall, 0, 0, None),
            (9, HookPoint::PostToolCall, 0, 0, None),
            (10, HookPoint::PreLlmCall, 1, 0, None),
            (11, HookPoint::LlmChunk, 1, 0, None),
            (12, HookPoint::PostLlmCall, 1, 0, retry),
            (13, HookPoint::PreLlmCall, 1, 1, None),
            (14, HookPoint::LlmError, 1, 1, None),
            (15, HookPoint::Error, 0, 0, None),
        ]
    );

    let (deleted, mut skipped) = (bus.subscribe(), ToolCallInputs::new("delete"));
    let mut deleted = deleted.with_events([HookPoint::PreToolCall]);
    let decision = rails.dispatch::<PreToolCall>(&mut skipped, &mut RunContext::new("tests")).await.unwrap();
    assert_eq!(decision.rail_name(), Some("no_delete"));
    let record = &records(&mut deleted)[0];
    assert_eq!(record.stopped.as_ref().map(|stopped| (stopped.how, stopped.rail_name.as_str())), skip);
    assert_eq!(record.stopped.as_ref().unwrap().reason, "nothing is deleted");
}

#[tokio::test]
async fn a_record_has_the_payload_after_the_changes_of_rails() {
    let bus = EventBus::new(64);
    let mut outputs = bus.subscribe().with_events([HookPoint::PostToolCall]);
    run(&bus.wrap(rails![redact]), [asks_for(&["search"]), ModelResponse::text("Done.")]).await.unwrap();
    let record = &records(&mut outputs)[0];
    assert_eq!(
        record.payload,
        json!({
            "call": { "id": "call-search", "tool_name": "search", "arguments": {} },
            "output": { "content": "[hidden]" },
        })
    );
}

#[tokio::test]
async fn records_contain_errors_as_text_and_chunks_without_the_request() {
    let bus = EventBus::new(64);
    let mut some = bus.subscribe().with_events([HookPoint::LlmChunk, HookPoint::LlmError, HookPoint::Error]);
    run(&bus.wrap(NoRails), [asks_for(&["search"])]).await.unwrap_err();
    let told: Vec<_> = records(&mut some).iter().map(|record| record.payload.clone()).collect();
    assert_eq!(told[0], json!({ "text": "", "is_last": true }));
    assert_eq!(told[1]["error"], "the model has no answer left (failed)");
    assert_eq!(told[1]["request"]["messages"][0]["content"], "Please!");
    assert_eq!(told[2], json!({ "run": { "input": "Please!" }, "error": "the model has no answer left (failed)" }));
}

#[tokio::test]
async fn a_record_of_a_substitute_names_its_rail() {
    let bus = EventBus::new(64);
    let mut outputs = bus.subscribe().with_events([HookPoint::PostToolCall]);
    let call = |_| async { Ok::<_, OperationError>(ToolOutput::text("gone")) };
    let (rails, mut ctx) = (bus.wrap(rails![no_delete]), RunContext::new("tests"));
    rails.guard_tool_call(ToolCallInputs::new("delete"), &mut ctx, call).await.unwrap();
    assert_eq!(records(&mut outputs)[0].substituted_by.as_deref(), Some("no_delete"));
}

#[tokio::test]
async fn records_name_the_session_and_the_turn() {
    let bus = EventBus::new(64);
    let mut all = bus.subscribe();
    let model = Model::new([ModelResponse::text("one"), ModelResponse::text("two")]);
    let agent = tests::agent("tests", model).rails(DynGuardSet::new(bus.wrap(NoRails))).build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("first").await.unwrap();
    session.run("second").await.unwrap();
    session.end().await;
    let told = records(&mut all);
    assert!(told.iter().all(|record| record.session_id.as_deref() == Some("s-1")));
    assert_eq!(told.iter().map(|record| record.turn).max(), Some(2));
    assert_eq!(told[0].payload, json!({ "session": { "id": "s-1", "turns": 0 } }));
    assert_eq!(told.last().unwrap().payload, json!({ "session": { "id": "s-1", "turns": 2 } }));
}

#[tokio::test]
async fn a_filter_without_events_lets_all_records_pass() {
    let bus = EventBus::new(64);
    let mut all = bus.subscribe().with_events([]);
    run(&bus.wrap(NoRails), [ModelResponse::text("Done.")]).await.unwrap();
    assert_eq!(
        events(&mut all),
        [
            HookPoint::Start,
            HookPoint::ContextAssembled,
            HookPoint::PreLlmCall,
            HookPoint::LlmChunk,
            HookPoint::PostLlmCall,
            HookPoint::Finished
        ]
    );
}

#[tokio::test]
async fn a_record_passes_only_if_all_filters_accept_it() {
    let bus = EventBus::new(64);
    let mut tools = bus.subscribe().with_events([HookPoint::PreToolCall, HookPoint::PostToolCall]);
    let mut stopped = bus.subscribe().with_filter(|record| record.stopped.is_some());
    // What a rail has stopped has no payload.
    let of_read = |record: &EventRecord| record.payload["call"]["tool_name"] == "read";
    let mut both = bus.subscribe().with_events([HookPoint::PreToolCall]).with_filter(of_read);
    let mut none = bus.subscribe().with_filter(|record| record.stopped.is_some()).with_filter(of_read);
    let answers = [asks_for(&["delete", "read"]), ModelResponse::text("Done.")];
    run(&bus.wrap(rails![no_delete]), answers).await.unwrap();
    assert_eq!(events(&mut tools).len(), 4);
    assert_eq!(events(&mut stopped), [HookPoint::PreToolCall]);
    assert_eq!(events(&mut both), [HookPoint::PreToolCall]);
    assert_eq!(events(&mut none), []);
}

#[tokio::test]
async fn a_capacity_of_0_counts_as_1() {
    let bus = EventBus::new(0);
    let mut all = bus.subscribe();
    drop(EventBus::new(usize::MAX));
    for name in ["one", "two"] {
        assert!(pre_tool_call(&bus.wrap(NoRails), name).await.unwrap().is_continue());
    }
    let received = received(&mut all);
    assert_eq!(received[0], Err(Lagged(1)));
    assert_eq!(received[1].as_ref().unwrap().payload["call"]["tool_name"], "two");
    assert_eq!(received.len(), 2);
}

#[tokio::test]
async fn a_slow_subscriber_misses_the_oldest_records_and_learns_how_many() {
    let bus = EventBus::new(4);
    let (mut slow, rails) = (bus.subscribe(), bus.wrap(NoRails));
    for number in 0..10 {
        assert!(pre_tool_call(&rails, &number.to_string()).await.unwrap().is_continue());
    }
    assert_eq!(slow.recv().await, Some(Err(Lagged(6))));
    assert_eq!(Lagged(6).to_string(), "the subscriber was too slow and missed 6 events");
    let left: Vec<_> = records(&mut slow).iter().map(|record| record.number).collect();
    assert_eq!(left, [6, 7, 8, 9]);
    assert!(pre_tool_call(&rails, "10").await.unwrap().is_continue());
    assert_eq!(records(&mut slow)[0].number, 10);
}

#[tokio::test]
async fn records_without_a_subscriber_take_no_room() {
    let bus = EventBus::new(2);
    let (mut starts, rails) = (bus.subscribe().with_events([HookPoint::Start]), bus.wrap(NoRails));
    run(&rails, [ModelResponse::text("Done.")]).await.unwrap();
    assert_eq!(events(&mut starts), [HookPoint::Start]);
}

#[tokio::test]
async fn a_dropped_subscription_is_removed_from_the_bus() {
    let bus = EventBus::new(4);
    let (one, other) = (bus.subscribe(), bus.subscribe().with_events([HookPoint::Start]));
    assert_eq!(bus.subscribers(), 2);
    drop(one);
    assert_eq!(bus.subscribers(), 1);
    drop(other);
    assert_eq!(bus.subscribers(), 0);
    assert!(pre_tool_call(&bus.wrap(NoRails), "search").await.unwrap().is_continue());
    assert_eq!(events(&mut bus.subscribe()), []);
}

#[test]
fn without_a_subscriber_no_record_is_made() {
    let bus = EventBus::new(4);
    let (bare, around) = (rail_chain![no_delete], bus.wrap(rail_chain![no_delete]));
    drop(bus.subscribe());
    let other = bus.subscribe().with_events([HookPoint::PreToolCall]).with_events([HookPoint::Finished]);
    let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("tests"));
    let mut allocations = |rails: &dyn Fn(&mut ToolCallInputs, &mut RunContext) -> bool| {
        allocation_counter::measure(|| assert!(rails(&mut call, &mut ctx))).count_total
    };
    let of_bare = allocations(&|call, ctx| {
        bare.dispatch::<PreToolCall>(call, ctx).now_or_never().is_some_and(|decision| decision.unwrap().is_continue())
    });
    let of_around = allocations(&|call, ctx| {
        around.dispatch::<PreToolCall>(call, ctx).now_or_never().is_some_and(|decision| decision.unwrap().is_continue())
    });
    assert_eq!((of_bare, of_around), (0, 0));
    drop(other);
}

#[tokio::test]
async fn subscriptions_outlive_changes_of_the_guard_set() {
    let bus = EventBus::new(64);
    let mut calls = bus.subscribe().with_events([HookPoint::PreToolCall]);
    let mut rails = bus.wrap(RailManager::new());
    let handle = rails.rails_mut().add(no_delete {}).unwrap();
    assert!(!pre_tool_call(&rails, "delete").await.unwrap().is_continue());
    assert!(rails.rails_mut().remove(handle));
    assert!(pre_tool_call(&rails, "delete").await.unwrap().is_continue());
    rails.rails_mut().add(faults {}).unwrap();
    pre_tool_call(&rails, "delete").await.unwrap_err();
    rails.rails_mut().clear();
    drop(rails);
    assert!(pre_tool_call(&bus.wrap(NoRails), "delete").await.unwrap().is_continue());
    let told: Vec<_> = records(&mut calls).iter().map(|record| record.stopped.is_some()).collect();
    assert_eq!(told, [true, false, true, false]);
}

/// The context of a loop may live longer than the bus.
#[tokio::test]
async fn a_context_keeps_no_subscription_open() {
    #[rail(on = [PreToolCall])]
    fn emits(ctx: &RailContext) {
        ctx.emit("seen", &1);
    }
    let bus = EventBus::new(8);
    let mut subscription = bus.subscribe();
    let (rails, mut ctx) = (bus.wrap(rails![emits]), RunContext::new("demo"));
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await.unwrap();
    assert!(decision.is_continue());
    drop((bus, rails));
    assert_eq!(records(&mut subscription).len(), 2, "the records before the end");
    assert!(subscription.recv().await.is_none());
    ctx.emit("seen", &2);
}

#[tokio::test]
async fn a_subscription_ends_with_the_last_bus() {
    let bus = EventBus::new(4);
    let (mut all, rails) = (bus.subscribe(), bus.wrap(NoRails));
    drop(bus);
    assert!(pre_tool_call(&rails, "search").await.unwrap().is_continue());
    assert_eq!(all.recv().now_or_never().flatten().unwrap().unwrap().event, HookPoint::PreToolCall);
    assert!(all.recv().now_or_never().is_none(), "the guard set is still there");
    drop(rails);
    assert_eq!(all.recv().await, None);
    assert_eq!(all.recv().await, None);
}

#[tokio::test]
async fn a_subscription_is_a_stream() {
    let bus = EventBus::new(64);
    let all = bus.subscribe();
    run(&bus.wrap(NoRails), [ModelResponse::text("Done.")]).await.unwrap();
    drop(bus);
    let numbers: Vec<_> = all.map(|record| record.unwrap().number).collect().await;
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_waiting_subscriber_is_woken() {
    let bus = EventBus::new(4);
    let mut all = bus.subscribe();
    let waiting = tokio::spawn(async move { all.recv().await.unwrap().unwrap().event });
    tokio::task::yield_now().await;
    assert!(pre_tool_call(&bus.wrap(NoRails), "search").await.unwrap().is_continue());
    assert_eq!(waiting.await.unwrap(), HookPoint::PreToolCall);
}

#[rail(on = [PreToolCall])]
async fn waits_for_ever() {
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_dropped_dispatch_publishes_nothing() {
    let bus = EventBus::new(4);
    let (mut all, rails) = (bus.subscribe(), bus.wrap(rails![waits_for_ever]));
    assert!(pre_tool_call(&rails, "search").now_or_never().is_none());
    assert_eq!(events(&mut all), []);
}

#[rail(on = [PreToolCall])]
fn faults() -> Result<Verdict, std::io::Error> {
    Err(std::io::Error::other("no policy"))
}

#[tokio::test]
async fn a_fault_is_recorded_with_its_rail_and_reason() {
    let bus = EventBus::new(4);
    let mut all = bus.subscribe();
    pre_tool_call(&bus.wrap(rails![faults]), "search").await.unwrap_err();
    let record = &records(&mut all)[0];
    let stopped = record.stopped.as_ref().unwrap();
    assert_eq!(
        (stopped.how, stopped.rail_name.as_str(), stopped.reason.as_str()),
        (StopKind::Fault, "faults", "no policy")
    );
}

#[derive(Debug)]
struct Query(#[allow(dead_code)] &'static str);

#[derive(Debug)]
struct Memories(#[allow(dead_code)] Vec<String>);

#[derive(Event)]
#[event(payload = (&Query, &mut Memories), allows = "abort")]
struct MemoriesRecalled;

/// Publishes something of its own, in the middle of a dispatch that is published.
struct Recalls(EventBus);

#[rail]
impl Recalls {
    #[on(PreToolCall)]
    async fn recall(&self, ctx: &RailContext) -> Result<Verdict, RailFault> {
        let rails = self.0.wrap(NoRails);
        let decision = rails
            .dispatch::<MemoriesRecalled>((&Query("drinks"), &mut Memories(vec!["tea".into()])), &mut ctx.child())
            .await?;
        Ok(Verdict::abort_if(!decision.is_continue(), "no memories"))
    }
}

#[tokio::test]
async fn a_rail_may_publish_custom_events() {
    let bus = EventBus::new(4);
    let mut all = bus.subscribe();
    let rails = bus.wrap(rails![Recalls(bus.clone())]);
    assert!(pre_tool_call(&rails, "search").await.unwrap().is_continue());
    let told = records(&mut all);
    assert_eq!(
        told.iter().map(|record| record.event.name()).collect::<Vec<_>>(),
        ["memories_recalled", "pre_tool_call"]
    );
    assert_eq!(told[0].payload["debug"], r#"memories_recalled(Query("drinks"), Memories(["tea"]))"#);
    assert_eq!(told[0].run_id, told[1].run_id);
    let mut own = bus.subscribe().with_events([MemoriesRecalled::POINT]);
    assert!(pre_tool_call(&rails, "search").await.unwrap().is_continue());
    assert_eq!(events(&mut own), [MemoriesRecalled::POINT]);
}

#[rail(on = [PreToolCall])]
fn looks_only() {}

#[rail(on = [LlmChunk], window = 7)]
fn of_seven(window: &mut StreamWindow) {
    window.text = window.text.replace('a', "o");
}

#[test]
fn a_wrapped_guard_set_reports_the_same_rewrites_and_window() {
    fn says<E: Event>(rails: &impl Serves<E>) -> (bool, usize) {
        (rails.fact::<MayRewrite>(), rails.fact::<WindowSize>())
    }
    let bus = EventBus::new(4);
    let rails = rails![looks_only, of_seven, redact];
    assert_eq!(says::<PreToolCall>(&bus.wrap(&rails)), says::<PreToolCall>(&rails));
    assert_eq!(says::<PostToolCall>(&bus.wrap(&rails)), says::<PostToolCall>(&rails));
    assert_eq!(says::<LlmChunk>(&bus.wrap(&rails)), (true, 7));
    assert_eq!(says::<Start>(&bus.wrap(NoRails)), (false, 0));
}

#[tokio::test]
async fn the_bus_records_the_chunks_of_a_stream_piece_by_piece() {
    let bus = EventBus::new(64);
    let mut chunks = bus.subscribe().with_events([HookPoint::LlmChunk]);
    let model = |_| {
        let pieces = ["banana ", "and apple"];
        stream::iter(pieces.map(|text| Ok::<_, OperationError>(exo_rails::ModelDelta::Text(text.into()))))
    };
    let said = Mutex::new(String::new());
    let sink = |piece| {
        if let StreamPiece::Text(text) = piece {
            said.lock().unwrap().push_str(&text);
        }
        async {}
    };
    let (rails, mut ctx) = (bus.wrap(rails![of_seven]), RunContext::new("tests"));
    rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await.unwrap();
    assert_eq!(*said.lock().unwrap(), "bonono ond opple");
    let told = records(&mut chunks);
    assert!(told.len() >= 2 && told.last().unwrap().payload["is_last"] == true, "{told:?}");
    assert_eq!(texts(&told).concat(), "bonono ond opple");
}

/// The text of each record; none where a rail has stopped the event.
fn texts(records: &[Arc<EventRecord>]) -> Vec<&str> {
    records.iter().map(|record| record.payload["text"].as_str().unwrap_or_default()).collect()
}

#[rail(priority = 10, on = [LlmChunk])]
fn trusted(window: &StreamWindow) -> RailAction {
    if window.text.starts_with("TRUST") { RailAction::skip("it is ours") } else { RailAction::Continue }
}

#[rail(priority = 20, on = [LlmChunk])]
fn no_key(window: &mut StreamWindow) {
    window.replace("sk-4711", "[key]");
}

#[rail(priority = 30, on = [LlmChunk])]
fn no_weapons(window: &mut StreamWindow) -> RailAction {
    match window.find(&["bomb", "AGAIN"]).as_deref() {
        Some("bomb") => RailAction::abort("no weapons"),
        Some(_) => RailAction::retry(RetryRequest::new("again").with_max_retries(0)),
        None => RailAction::Continue,
    }
}

#[tokio::test]
async fn the_record_of_a_chunk_has_the_text_that_was_released() {
    let cases: [(&[&str], &[&str]); 5] = [
        (&["The key is sk-", "47", "11.", " Yes, s"], &["The key is ", "", "[key].", " Yes, ", "s"]),
        // What a rail stops has not left.
        (&["Take a bo", "mb, sk-4"], &["Take a ", ""]),
        (&["Not A", "GAIN"], &["Not ", ""]),
        (&["TRUST me", ", sk-47", "11"], &["TRUST me", ", ", "[key]", ""]),
        (&["sk-47"], &["", "sk-47"]),
    ];
    for (pieces, texts_told) in cases {
        let bus = EventBus::new(64);
        let mut chunks = bus.subscribe().with_events([HookPoint::LlmChunk]);
        let model = |_| {
            stream::iter(pieces.iter().map(|text| Ok::<_, OperationError>(exo_rails::ModelDelta::Text((*text).into()))))
        };
        let left = Mutex::new(String::new());
        let sink = |piece| {
            if let StreamPiece::Text(text) = piece {
                left.lock().unwrap().push_str(&text);
            }
            async {}
        };
        let (rails, mut ctx) = (bus.wrap(rails![trusted, no_key, no_weapons]), RunContext::new("tests"));
        let _ = rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await;
        let told = records(&mut chunks);
        assert_eq!(texts(&told).concat(), *left.lock().unwrap());
        assert_eq!(texts(&told), texts_told);
    }
}

/// Stops one event in one way.
#[derive(Clone, Copy)]
struct Stops(HookPoint, &'static str);

#[rail(priority = 50)]
impl Stops {
    #[on(Start, PreLlmCall, PostLlmCall, PreToolCall, PostToolCall, Finished, PreStoreSecret, PostStoreSecret, Told)]
    fn any(&self, ctx: &RailContext) -> Result<RailAction, &'static str> {
        match self.1 {
            _ if ctx.event() != self.0 => Ok(RailAction::Continue),
            "skip" => Ok(RailAction::skip("stopped")),
            "retry" => Ok(RailAction::retry(RetryRequest::new("stopped").with_max_retries(0))),
            "abort" => Ok(RailAction::abort("stopped")),
            "answer" => Ok(RailAction::abort_with("no", "stopped")),
            "suspend" => Ok(RailAction::suspend(ctx.question("may it?"))),
            _ => Err("stopped"),
        }
    }

    #[on(PreCompaction)]
    fn compaction(&self, ctx: &RailContext) -> RailAction<CompactionOutput, NoRetry> {
        match self.1 {
            _ if ctx.event() != self.0 => RailAction::Continue,
            "abort" => RailAction::abort("stopped"),
            "suspend" => RailAction::suspend(ctx.question("may it?")),
            // Without a substitute, the history goes on as it is.
            _ => RailAction::skip_with(CompactionOutput::default(), "stopped"),
        }
    }
}

#[derive(Debug)]
struct Receipt(#[allow(dead_code)] String);

#[derive(Operation)]
#[operation(inputs = String, output = Receipt)]
struct StoreSecret;

#[derive(Event)]
#[event(payload = &mut String, allows = "retry")]
struct Told;

rail_chain! {
    #[chain(events = [Told], operations = [StoreSecret])]
    struct Stopping { stops: Stops }
}

const SECRET: &str = "sk-live-4711";

/// Guards an operation of each kind, each with a secret in its inputs or, at an event after it, in its output.
async fn guard_all<R>(rails: &R, at: HookPoint, ctx: &mut RunContext)
where
    R: GuardSet + ServesOperation<StoreSecret> + Serves<Told>,
{
    let (inputs, output) = if at.is_after() { ("", SECRET) } else { (SECRET, "") };
    let run = |_| async move { Ok::<_, OperationError>(InvokeOutput::text(output)) };
    let _ = rails.guard_run(inputs, ctx, run).await;
    let request = ModelCallInputs::new([exo_rails::message::Message::user(inputs)]);
    // A window lets the text of an answer leave before the rails after the call.
    let answer = |_| async move {
        let mut answer = ModelResponse::text("");
        answer.message.extra.insert("reasoning".into(), output.into());
        Ok::<_, OperationError>(answer)
    };
    let _ = rails.guard_llm_call(request, ctx, answer).await;
    let call = ToolCallInputs::new("search").with_arguments(json!({ "query": inputs }));
    let tool = |_| async move { Ok::<_, OperationError>(ToolOutput::text(output)) };
    let _ = rails.guard_tool_call(call, ctx, tool).await;
    let store = |_| async move { Ok::<_, OperationError>(Receipt(output.to_owned())) };
    let _ = rails.guard_operation::<StoreSecret, _>(inputs.to_owned(), ctx, store).await;
    let history = CompactionInputs {
        messages: [exo_rails::message::Message::user(inputs)].into(),
        ..CompactionInputs::default()
    };
    let compact = |_| async { Ok::<_, OperationError>(CompactionOutput::default()) };
    let _ = rails.guard_compaction(history, ctx, compact).await;
    let _ = rails.dispatch::<Told>(&mut inputs.to_owned(), ctx).await;
}

/// What was published of the operation that the event belongs to, as JSON.
fn published(all: &mut Subscription, of: &[HookPoint]) -> String {
    let records = records(all);
    let of_operation: Vec<_> = records.iter().filter(|record| of.contains(&record.event)).collect();
    assert!(!of_operation.is_empty());
    for record in &of_operation {
        assert!(record.stopped.is_none() || record.payload.is_null(), "{record:?}");
    }
    format!(
        "{}{of_operation:?}",
        serde_json::to_string(&of_operation.iter().map(|record| &***record).collect::<Vec<_>>()).unwrap()
    )
}

#[tokio::test]
async fn the_payload_of_a_stopped_event_is_not_published() {
    use HookPoint as At;
    let (pre_store, post_store, told) = (PreStoreSecret::POINT, PostStoreSecret::POINT, Told::POINT);
    let operations: [(HookPoint, &[HookPoint]); 10] = [
        (At::Start, &[At::Start, At::Finished, At::Error, At::Suspended]),
        (At::Finished, &[At::Start, At::Finished, At::Error, At::Suspended]),
        (At::PreLlmCall, &[At::PreLlmCall, At::PostLlmCall, At::LlmChunk]),
        (At::PostLlmCall, &[At::PreLlmCall, At::PostLlmCall, At::LlmChunk]),
        (At::PreToolCall, &[At::PreToolCall, At::PostToolCall]),
        (At::PostToolCall, &[At::PreToolCall, At::PostToolCall]),
        (At::PreCompaction, &[At::PreCompaction, At::PostCompaction]),
        (pre_store, &[pre_store, post_store]),
        (post_store, &[pre_store, post_store]),
        (told, &[told]),
    ];
    for (at, of) in operations {
        for how in ["skip", "retry", "abort", "answer", "suspend", "fault"] {
            let bus = EventBus::new(64);
            let mut all = bus.subscribe();
            // One context for all: what has passed in it once has not passed for ever.
            let mut ctx = RunContext::new("tests");
            guard_all(&bus.wrap(Stopping { stops: Stops(At::SessionEnd, how) }), at, &mut ctx).await;
            assert!(published(&mut all, of).contains(SECRET), "{at}: it is published where nothing is stopped");
            guard_all(&bus.wrap(Stopping { stops: Stops(at, how) }), at, &mut ctx).await;
            let published = published(&mut all, of);
            assert!(!published.contains(SECRET), "{at}, {how}: {published}");
        }
    }
}

#[rail(priority = 10, on = [Start])]
fn no_keys(run: &mut InvokeInputs) {
    run.for_each_text(|text| *text = text.replace(SECRET, "[key]"));
}

/// Has the run done again, and cancels it before its rails are asked again.
#[rail(priority = 20, on = [Finished])]
fn again_and_cancel(ctx: &RailContext) -> RailAction {
    ctx.cancellation().unwrap().cancel();
    RailAction::retry(RetryRequest::new("again"))
}

#[tokio::test]
async fn the_error_of_a_run_that_did_not_start_has_no_input() {
    let bus = EventBus::new(64);
    let mut errors = bus.subscribe().with_events([HookPoint::Error]);
    let rails = bus.wrap(rails![no_keys, again_and_cancel]);
    let answer = |_| async { Ok::<_, OperationError>("done") };
    let mut ctx = RunContext::new("tests").with_cancellation(exo_rails::CancellationToken::new());
    rails.guard_run(SECRET, &mut ctx, answer).await.unwrap_err();
    // Cancelled before it begins, in a context in which another run has begun.
    rails.guard_run(SECRET, &mut ctx, answer).await.unwrap_err();
    let told: Vec<_> = records(&mut errors).iter().map(|record| record.payload.clone()).collect();
    assert_eq!(told[0]["error"], "the run was cancelled");
    assert!(!told[0].to_string().contains(SECRET), "{told:?}");
    assert_eq!(told[1], json!({ "error": "the run was cancelled" }));
}

#[tokio::test]
async fn a_bus_around_a_part_knows_when_another_part_has_stopped_the_event() {
    #[rail(priority = 5, on = [PreToolCall])]
    fn no_second(ctx: &RailContext) -> RailAction {
        let calls = ctx.run.update(|calls: &mut u32| {
            *calls += 1;
            *calls
        });
        if calls == 2 { RailAction::skip("one is enough") } else { RailAction::Continue }
    }
    rail_chain! {
        struct Around { no_second, part: DynGuardSet }
    }
    let bus = EventBus::new(64);
    let mut after = bus.subscribe().with_events([HookPoint::PostToolCall]);
    let (rails, mut ctx) = (Around { part: DynGuardSet::new(bus.wrap(NoRails)) }, RunContext::new("tests"));
    for query in ["orders", SECRET] {
        let call = ToolCallInputs::new("search").with_arguments(json!({ "query": query }));
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
        rails.guard_tool_call(call, &mut ctx, tool).await.unwrap();
    }
    let told = records(&mut after);
    assert_eq!(told[0].payload["call"]["arguments"]["query"], "orders");
    assert!(told[1].payload["call"].is_null());
}

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(ctx: &RailContext) {
    ctx.run
        .update(|seen: &mut Vec<String>| seen.push(format!("{:?}", ctx.stopped().map(|stopped| &stopped.rail_name))));
}

#[tokio::test]
async fn always_rails_inside_a_bus_see_stopped_events() {
    let bus = EventBus::new(4);
    let mut all = bus.subscribe();
    let rails = bus.wrap(rails![no_delete, audit]);
    let mut ctx = RunContext::new("tests");
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("delete"), &mut ctx).await.unwrap();
    assert!(!decision.is_continue());
    assert_eq!(ctx.run.get::<Vec<String>>().unwrap(), [r#"Some("no_delete")"#]);
    assert_eq!(events(&mut all).len(), 1);
    let part = tests::AlwaysOnly(rails);
    let _ = part.dispatch::<PreToolCall>(&mut ToolCallInputs::new("delete"), &mut ctx).await.unwrap();
    assert_eq!(ctx.run.get::<Vec<String>>().unwrap().len(), 2);
    assert_eq!(events(&mut all).len(), 0);
}

#[tokio::test]
async fn a_bus_can_wrap_a_hook_manager() {
    let bus = EventBus::new(64);
    let mut all = bus.subscribe();
    let mut hooks = HookManager::new();
    rail_chain![no_delete].register(&mut hooks);
    let rails = bus.wrap(hooks);
    assert!(!pre_tool_call(&rails, "delete").await.unwrap().is_continue());
    assert_eq!(records(&mut all)[0].stopped.as_ref().unwrap().rail_name, "no_delete");
}

#[tokio::test]
async fn a_record_is_json() {
    let bus = EventBus::new(4);
    let mut all = bus.subscribe();
    assert!(!pre_tool_call(&bus.wrap(rails![no_delete]), "delete").await.unwrap().is_continue());
    let record = &records(&mut all)[0];
    let mut json = serde_json::to_value(&**record).unwrap();
    for varying in ["at", "took", "run_id"] {
        assert!(json.as_object_mut().unwrap().remove(varying).is_some());
    }
    assert_eq!(
        json,
        json!({
            "number": 0, "agent": "tests", "session_id": null, "turn": 0, "step": 0, "attempt": 0,
            "emitted": null, "event": "pre_tool_call",
            "payload": null,
            "stopped": { "rail_name": "no_delete", "how": "skip", "reason": "nothing is deleted" },
            "substituted_by": null,
        })
    );
}

#[tokio::test]
async fn a_subscriber_that_never_receives_does_not_hold_up_a_run() {
    let bus = EventBus::new(1);
    let (_stuck, rails) = (bus.subscribe(), bus.wrap(NoRails));
    for _ in 0..1000 {
        // Ready at the first poll: nothing has waited.
        assert!(pre_tool_call(&rails, "search").now_or_never().unwrap().unwrap().is_continue());
    }
    assert_eq!(bus.subscribers(), 1);
}

#[tokio::test]
async fn the_journal_of_a_run_is_the_same_with_a_bus() {
    let answers = || [asks_for(&["search", "delete"]), ModelResponse::text("Done.")];
    let bus = EventBus::new(64);
    let _all = bus.subscribe();
    let mut told = Vec::new();
    for around in [false, true] {
        let mut ctx = RunContext::new("tests");
        let chain = rails![no_delete, redact];
        let output = if around {
            run_agent(&bus.wrap(chain), &Model::new(answers()), "Please!", &mut ctx).await
        } else {
            run_agent(&chain, &Model::new(answers()), "Please!", &mut ctx).await
        };
        told.push((notes(&ctx), output.unwrap()));
    }
    assert_eq!(told[0], told[1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn records_arrive_in_the_order_of_their_numbers() {
    let bus = EventBus::new(1 << 16);
    let mut subscription = bus.subscribe();
    let tasks = (0..8).map(|_| {
        let rails = bus.wrap(NoRails);
        tokio::spawn(async move {
            for _ in 0..4_000 {
                let _ = pre_tool_call(&rails, "search").await;
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    for task in tasks {
        task.await.unwrap();
    }
    for number in 0..32_000 {
        assert_eq!(subscription.recv().await.unwrap().unwrap().number, number);
    }
}

#[tokio::test]
async fn a_rail_can_emit_named_records() {
    #[rail(on = [PreToolCall, PostToolCall])]
    fn score(call: &ToolCallInputs, ctx: &RailContext) {
        ctx.emit(format!("score of {}", call.tool_name), &json!({ "score": ctx.step() }));
        // What cannot be JSON is not lost.
        ctx.emit("odd", &std::collections::HashMap::from([((1, 2), 3)]));
    }
    rail_chain! { struct Outer { score } }
    let bus = EventBus::new(64);
    let mut before = bus.subscribe().with_events([HookPoint::PreToolCall]);
    for rails in [bus.wrap(Outer), EventBus::new(1).wrap(Outer)] {
        let mut ctx = RunContext::new("emits").with_run_id("run-1");
        ctx.set_step(3);
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
        rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    }
    let records = records(&mut before);
    let told: Vec<_> = records.iter().map(|record| (record.number, record.emitted.as_deref(), record.step)).collect();
    assert_eq!(told, [(0, Some("score of search"), 3), (1, Some("odd"), 3), (2, None, 3)]);
    assert_eq!(records[0].payload, json!({ "data": { "score": 3 } }));
    assert!(records[1].payload["data"].as_str().unwrap().starts_with("not JSON: "));
    let json = serde_json::to_value(&*records[0]).unwrap();
    assert_eq!((&json["emitted"], &json["payload"]["data"]["score"]), (&json!("score of search"), &json!(3)));
    // Without a bus, nothing happens.
    let call = &mut ToolCallInputs::new("search");
    assert!(Outer.dispatch::<PreToolCall>(call, &mut RunContext::new("emits")).await.unwrap().is_continue());
}
