//! States that are saved and resumed: suspended machines, crashes, replay.

use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails_agent::Resolution;
use exo_rails_machine::{
    Checkpoint, Executor, ExecutorBuilder, MachineError, MachineState, StateFile, StateSink, Status, Transition, replay,
};
use serde_json::{Value, json};

use crate::helper::{Answers, calls, go, machine};

/// Keeps each saved state, as JSON.
#[derive(Clone, Default)]
pub(crate) struct Saved(pub(crate) Arc<Mutex<Vec<String>>>);

impl StateSink for Saved {
    async fn save(&self, state: MachineState) -> Result<(), OperationError> {
        self.0.lock().unwrap().push(serde_json::to_string(&state).unwrap());
        Ok(())
    }

    async fn keep(&self, _: Checkpoint) -> Result<(), OperationError> {
        Ok(())
    }
}

const FILE: &str = "machine \"Work\"
    Context job { count<integer>: 0; log<array>: \"[]\"; }
    State idle; Task plan { prompt: \"Plan {{job.count}}\"; } Task work @retry(1) { prompt: \"Work\"; } State check; End done;
    idle -> plan -> work -> check; plan -writes-> job; work -writes-> job; plan -reads-> job;
    check -when: \"job.count >= 3\"-> done; check -> plan; check -reads-> job;";

/// An agent that counts: what it does depends only on what it reads.
fn counter() -> Answers<impl Fn(&ModelCallInputs) -> ModelResponse + Clone + Send + Sync> {
    Answers::new(|request: &ModelCallInputs| {
        let last = request.messages.last().unwrap();
        let text = last.text().into_owned();
        if let Some(count) = text.strip_prefix("Plan ") {
            let count: i64 = count.parse().unwrap();
            return calls("write_job", json!({ "field": "count", "value": count + 1 }));
        }
        match &*text {
            "Work" => calls("read_job", json!({ "field": "count" })),
            text if text.parse::<i64>().is_ok() => calls("write_job", json!({ "data": { "log": [text] } })),
            text if text.contains("`count`") => calls("transition_to_work", json!({ "reason": "planned" })),
            _ => ModelResponse::text("done"),
        }
    })
}

fn executor(saved: &Saved) -> Executor<impl exo_rails_agent::Model + 'static> {
    let reading = exo_rails_dygram::read("flow.dygram", FILE);
    let builder = Executor::builder(&reading.machine, counter()).clock(|| std::time::SystemTime::UNIX_EPOCH);
    builder.save_to(saved.clone()).build().unwrap()
}

#[tokio::test]
async fn a_crash_at_any_point_and_a_resume_give_the_same_history() {
    let saved = Saved::default();
    let whole = executor(&saved).run().await.unwrap();
    assert_eq!(whole.ended_at, ["done"]);
    let states = saved.0.lock().unwrap().clone();
    assert!(states.len() > 30, "{}", states.len());
    for (at, state) in states.iter().enumerate() {
        let state: MachineState = serde_json::from_str(state).unwrap();
        if state.status() != Status::Running {
            continue;
        }
        let executor = executor(&Saved::default());
        let done = executor.resume(state).unwrap().run().await.unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_eq!(done.history, whole.history, "{at}");
        assert_eq!(done.state.contexts(), whole.state.contexts(), "{at}");
    }
}

/// Lets the other path go on, after a tool has done its work and before its call returns.
#[rail(on = [PostToolCall])]
async fn pause(call: &ToolCallInputs) {
    for _ in 0..call.tool_name.len() % 5 {
        tokio::task::yield_now().await;
    }
}

/// While one path saves the state, the tool of another one may have changed it and not returned.
#[tokio::test]
async fn a_crash_between_two_paths_repeats_no_effect() {
    let file = "Context c { a<integer>: 0; b<integer>: 0; } State s; Task a { prompt: \"a\"; } Task b { prompt: \"b\"; }
        State log; join all; End done; s -@parallel-> a, b; a -writes-> c; b -writes-> c; a -@spawn-> log; a -> all; b -> all; log -> all; all -> done;";
    let model = || {
        Answers::new(|request: &ModelCallInputs| {
            let said: Vec<_> = request.messages.iter().map(|message| message.text().into_owned()).collect();
            let name = if said.iter().any(|text| text == "a") { "a" } else { "b" };
            let rounds = said.iter().filter(|text| text.contains("written")).count();
            match rounds {
                0..4 => calls("write_c", json!({ "field": name, "value": rounds })),
                4 if name == "a" && !said.iter().any(|text| text.contains("has started")) => {
                    calls("spawn_async_to_log", json!({ "reason": "x" }))
                }
                _ => ModelResponse::text("done"),
            }
        })
    };
    let reading = exo_rails_dygram::read("flow.dygram", file);
    let rails = || {
        rail_chain![
            #[chain(operations = [Transition])]
            pause
        ]
    };
    let build = |saved: &Saved| {
        Executor::builder(&reading.machine, model()).rails(rails()).save_to(saved.clone()).build().unwrap()
    };
    let writes = |history: &exo_rails_machine::History| {
        let writes = history.steps.iter().flat_map(|step| step.writes.iter().map(|write| format!("{write:?}")));
        let mut writes: Vec<_> = writes.collect();
        writes.sort();
        writes
    };
    let saved = Saved::default();
    let whole = build(&saved).run().await.unwrap();
    let states = saved.0.lock().unwrap().clone();
    assert!(states.len() > 20, "{}", states.len());
    for (at, state) in states.iter().enumerate() {
        let state: MachineState = serde_json::from_str(state).unwrap();
        if state.status() != Status::Running {
            continue;
        }
        let done = build(&Saved::default()).resume(state).unwrap().run().await.unwrap();
        assert_eq!(writes(&done.history), writes(&whole.history), "{at}");
        assert_eq!(done.history.steps.len(), whole.history.steps.len(), "{at}");
        assert_eq!(done.state.contexts().fields("c"), whole.state.contexts().fields("c"), "{at}");
    }
}

#[tokio::test]
async fn a_completed_machine_and_one_of_another_file_are_not_resumed() {
    let saved = Saved::default();
    let done = executor(&saved).run().await.unwrap();
    assert!(matches!(executor(&saved).resume(done.state), Err(MachineError::HasEnded)));
    let state: MachineState = serde_json::from_str(&saved.0.lock().unwrap()[0]).unwrap();
    let other = machine("State a; End b; a -> b;", "[]").build().unwrap();
    assert!(matches!(other.resume(state), Err(MachineError::OtherMachine { .. })));
}

fn pay(log: &Arc<Mutex<u32>>) -> Tool {
    let log = Arc::clone(log);
    Tool::new("pay", "Pays.", json!({ "type": "object" }), move |_: Value| {
        *log.lock().unwrap() += 1;
        async { Ok::<_, OperationError>("paid") }
    })
}

#[tokio::test]
async fn a_tool_call_that_began_and_did_not_end_is_unknown() {
    let (saved, paid) = (Saved::default(), Arc::new(Mutex::new(0)));
    let file = "Task t { prompt: \"x\"; } End e; t -> e;";
    let script = r#"[{ "call": [{ "tool": "pay" }] }, { "say": "ok" }]"#;
    let first = machine(file, script).tool(pay(&paid)).save_to(saved.clone()).build().unwrap();
    first.run().await.unwrap();
    assert_eq!(*paid.lock().unwrap(), 1);
    // The first record is the one before the tool ran.
    let state: MachineState = serde_json::from_str(&saved.0.lock().unwrap()[0]).unwrap();

    let again = machine(file, r#"[{ "say": "ok" }]"#).tool(pay(&paid)).build().unwrap();
    let stopped = again.resume(state).unwrap().run().await.unwrap_err();
    assert!(matches!(&stopped.error, MachineError::Suspended { node, .. } if node == "t"), "{stopped}");
    assert_eq!((stopped.state.status(), *paid.lock().unwrap()), (Status::Suspended, 1));

    let mut state = *stopped.state;
    let number = state.suspended_runs().next().unwrap().unknown_calls().next().unwrap().0;
    state.suspended_runs().next().unwrap().resolve(number, Resolution::Returned(ToolOutput::text("paid"))).unwrap();
    let done = again.resume(state).unwrap().run().await.unwrap();
    assert_eq!((done.ended_at, *paid.lock().unwrap()), (vec!["e".to_owned()], 1));
}

#[rail(priority = 20, on = [PreToolCall])]
fn approval(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    if call.tool_name != "pay" {
        return Ok(RailAction::Continue);
    }
    let question = ctx.question("pay?");
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("a person has refused"),
    })
}

#[tokio::test]
async fn a_rail_suspends_a_machine_and_the_answer_resumes_it() {
    let paid = Arc::new(Mutex::new(0));
    let file = "Task t { prompt: \"x\"; } End e; t -> e;";
    let build = |script: &str| -> Executor<_, _> {
        let builder: ExecutorBuilder<_, _> = machine(file, script).tool(pay(&paid));
        builder
            .rails(rail_chain![
                #[chain(operations = [Transition])]
                approval
            ])
            .build()
            .unwrap()
    };
    let script = r#"[{ "call": [{ "tool": "pay" }] }]"#;
    let stopped = build(script).run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::Suspended { .. }), "{stopped}");
    let stored = serde_json::to_string(&stopped.state).unwrap();

    let mut state: MachineState = serde_json::from_str(&stored).unwrap();
    let run = state.suspended_runs().next().unwrap();
    let id = run.questions().next().unwrap().question.id();
    run.answer(&id, true).unwrap();
    let done = build(r#"[{ "say": "ok" }]"#).resume(state).unwrap().run().await.unwrap();
    assert_eq!((done.ended_at, *paid.lock().unwrap()), (vec!["e".to_owned()], 1));
}

#[tokio::test]
async fn a_file_keeps_the_state() {
    let path = std::env::temp_dir().join(format!("exo-rails-machine-{}.json", std::process::id()));
    let file = StateFile::new(&path);
    assert!(file.load().unwrap().is_none());
    let executor = machine("State a; State b; End c; a -> b -> c;", "[]").save_to(file.clone()).build().unwrap();
    let mut execution = executor.start();
    execution.step().await.unwrap();
    drop(execution);
    let state = file.load().unwrap().unwrap();
    assert_eq!(state.nodes().collect::<Vec<_>>(), ["b"]);
    let done = executor.resume(state).unwrap().run().await.unwrap();
    assert_eq!((done.ended_at, done.history.steps.len()), (vec!["c".to_owned()], 3));
    std::fs::write(&path, "{").unwrap();
    assert!(file.load().is_err());
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn a_state_that_cannot_be_saved_stops_the_machine() {
    struct Full;
    impl StateSink for Full {
        async fn save(&self, _: MachineState) -> Result<(), OperationError> {
            Err("the disk is full".into())
        }

        async fn keep(&self, _: Checkpoint) -> Result<(), OperationError> {
            Err("the disk is full".into())
        }
    }
    let stopped = machine("State a; End b; a -> b;", "[]").save_to(Full).build().unwrap().run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::NotSaved(_)));
    assert_eq!(stopped.state.history().steps.len(), 1);

    // The state is kept before the work of the node, so there is no step yet.
    let file = "State a @checkpoint; End b; a -> b;";
    let stopped = machine(file, "[]").save_to(Full).build().unwrap().run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::NotSaved(_)));
    assert_eq!(stopped.state.history().steps.len(), 0);
}

/// The work at a checkpoint is repeated from the state at its beginning, also in a machine that has ended since then.
#[tokio::test]
async fn a_machine_goes_back_to_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let file = StateFile::new(folder.path().join("flow.state.json"));
    let text = "Context c { n<integer>: 0; } Process p { Task work @checkpoint { prompt: \"Work\"; } State check; work -> check; }
        End done; p -writes-> c; p -reads-> c; p.work -writes-> c; p.check -when: \"c.n >= 2\"-> done; p.check -> p;";
    let write = |n: u32| json!({ "call": [{ "tool": "write_c", "arguments": { "field": "n", "value": n } }] });
    let build = |script: Value| machine(text, &script.to_string()).save_to(file.clone()).build().unwrap();
    let said = json!({ "say": "ok" });
    let done = build(json!([write(1), said, write(2), said])).run().await.unwrap();
    assert_eq!(done.history.steps.len(), 5);

    for (visit, steps, before) in [(1, 0, 0), (2, 2, 1)] {
        let kept = StateFile::new(file.of_checkpoint("p.work", visit)).load().unwrap().unwrap();
        assert_eq!((kept.history().steps.len(), kept.contexts().get("c", "n")), (steps, Some(&json!(before))));
        assert_eq!(kept.visits("p.work"), visit);
        let executor = build(json!([write(5), said]));
        let again = executor.resume(kept).unwrap().run().await.unwrap();
        assert_eq!(again.state.contexts().get("c", "n"), Some(&json!(5)));
        assert_eq!(again.history.steps.len(), steps + 3);
    }
    assert!(StateFile::new(file.of_checkpoint("p.work", 3)).load().unwrap().is_none());
}

/// What a sink was asked for, in order.
enum Event {
    Save(String),
    Keep(String),
}

/// Keeps checkpoints more slowly than another path takes its step.
#[derive(Clone, Default)]
struct SlowKeeping(Arc<Mutex<Vec<Event>>>);

impl StateSink for SlowKeeping {
    async fn save(&self, state: MachineState) -> Result<(), OperationError> {
        self.0.lock().unwrap().push(Event::Save(serde_json::to_string(&state).unwrap()));
        Ok(())
    }

    async fn keep(&self, checkpoint: Checkpoint) -> Result<(), OperationError> {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        self.0.lock().unwrap().push(Event::Keep(checkpoint.node));
        Ok(())
    }
}

/// After a crash between the visit of a node and its checkpoint, the checkpoint is kept.
#[tokio::test]
async fn a_crash_loses_no_checkpoint() {
    let file = "State s; State a @checkpoint; State b; End e; s -@parallel-> a, b; a -> e; b -> e;";
    let sink = SlowKeeping::default();
    machine(file, "[]").save_to(sink.clone()).build().unwrap().run().await.unwrap();
    let is_keep = |event: &Event| matches!(event, Event::Keep(node) if node == "a");
    let events = std::mem::take(&mut *sink.0.lock().unwrap());
    let first = events.iter().position(is_keep).unwrap();
    assert!(first > 1, "the other path has saved the state before");
    for (at, event) in events.iter().enumerate() {
        let Event::Save(state) = event else { continue };
        let state: MachineState = serde_json::from_str(state).unwrap();
        if state.status() == Status::Completed {
            continue;
        }
        let again = SlowKeeping::default();
        let executor = machine(file, "[]").save_to(again.clone()).build().unwrap();
        executor.resume(state).unwrap().run().await.unwrap();
        let kept = again.0.lock().unwrap().iter().filter(|event| is_keep(event)).count();
        assert_eq!(kept, usize::from(at < first), "{at} of {first}");
    }
}

#[tokio::test]
async fn a_history_is_replayed_without_a_model() {
    let done = executor(&Saved::default()).run().await.unwrap();
    let json = serde_json::to_string(&done.history).unwrap();
    let history: exo_rails_machine::History = serde_json::from_str(&json).unwrap();
    assert_eq!(history, done.history);
    let machine = exo_rails_dygram::read("flow.dygram", FILE).machine;
    let positions = replay(&machine, &history).unwrap();
    let counts: Vec<_> = positions.iter().map(|position| position.contexts.get("job", "count").cloned()).collect();
    assert_eq!(counts.first(), Some(&Some(json!(0))));
    assert_eq!(counts.last(), Some(&Some(json!(3))));
    assert_eq!(positions.last().unwrap().contexts.fields("job"), done.state.contexts().fields("job"));

    // A forged history is refused.
    let mut forged = history.clone();
    Arc::make_mut(&mut forged.steps[0]).next_nodes = vec!["done".to_owned()];
    let error = replay(&machine, &forged).unwrap_err().to_string();
    assert_eq!(error, "step 1 is not a step of this machine: `idle` has no edge to `done`");
    let mut forged = history;
    let written = forged.steps[1].writes[0].clone();
    Arc::make_mut(&mut forged.steps[3]).writes.push(written);
    assert!(replay(&machine, &forged).unwrap_err().problem.contains("may not write `job`"));
}

#[tokio::test]
async fn a_stopped_machine_resumes_at_its_node() {
    let file = "State a; Task b { prompt: \"x\"; } End c; a -> b; b -> c, a;";
    let executor = machine(file, &format!("[{}]", go("c"))).build().unwrap();
    let mut execution = executor.start();
    execution.step().await.unwrap();
    let state = execution.stop().await;
    assert_eq!(state.status(), Status::Stopped);
    assert_eq!(executor.resume(state).unwrap().run().await.unwrap().ended_at, ["c"]);
}

/// The state knows a call that was under way also if nothing saves it.
#[tokio::test(start_paused = true)]
async fn a_machine_that_is_stopped_in_a_tool_call_does_not_repeat_it() {
    let paid = Arc::new(Mutex::new(0));
    let log = Arc::clone(&paid);
    let slow = Tool::new("pay", "Pays.", json!({ "type": "object" }), move |_: Value| {
        *log.lock().unwrap() += 1;
        async {
            tokio::time::sleep(std::time::Duration::from_mins(1)).await;
            Ok::<_, OperationError>("paid")
        }
    });
    let file = "Task t { prompt: \"x\"; } End e; t -> e;";
    let build = |script: &str| {
        let builder = machine(file, script).tool(slow.clone());
        builder.limits(|limits| limits.time = Some(std::time::Duration::from_secs(5))).build().unwrap()
    };
    let stopped = build(r#"[{ "call": [{ "tool": "pay" }] }]"#).run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::TimeLimit { .. }));
    let again = build(r#"[{ "say": "ok" }]"#);
    let mut state = *again.resume(*stopped.state).unwrap().run().await.unwrap_err().state;
    assert_eq!((state.status(), *paid.lock().unwrap()), (Status::Suspended, 1));
    state.suspended_runs().next().unwrap().resolve(0, Resolution::TellModel).unwrap();
    let done = again.resume(state).unwrap().run().await.unwrap();
    assert_eq!((done.ended_at, *paid.lock().unwrap()), (vec!["e".to_owned()], 1));
}

#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Calls(u32);

#[rail(priority = 20, on = [PreLlmCall])]
fn two_calls(ctx: &RailContext) -> Verdict {
    let calls = ctx.run.update(|calls: &mut Calls| {
        calls.0 += 1;
        calls.0
    });
    Verdict::abort_if(calls > 2, "two calls are enough")
}

#[tokio::test]
async fn a_budget_continues_after_a_resume() {
    let file = "Task a { prompt: \"a\"; } Task b { prompt: \"b\"; } Task c { prompt: \"c\"; } a -> b -> c;";
    let kept = || exo_rails::KeptValues::new().keep::<Calls>("calls");
    let build = |script: &str| {
        let builder = machine(file, script).kept_values(kept());
        builder
            .rails(rail_chain![
                #[chain(operations = [Transition])]
                two_calls
            ])
            .build()
            .unwrap()
    };
    let first = build(r#"[{ "say": "1" }, { "say": "2" }]"#);
    let mut execution = first.start();
    execution.step().await.unwrap();
    execution.step().await.unwrap();
    let state = serde_json::to_string(&execution.state()).unwrap();
    let stopped =
        build(r#"[{ "say": "3" }]"#).resume(serde_json::from_str(&state).unwrap()).unwrap().run().await.unwrap_err();
    assert!(stopped.to_string().contains("two calls are enough"), "{stopped}");
}
