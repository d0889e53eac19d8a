//! Models, rails and states that try to break a machine.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails_machine::{
    MachineError, MachineState, PostTransition, PreTransition, Transition, TransitionRecord, TransitionRequest,
};
use serde_json::{Value, json};

use crate::helper::{call, machine, run, say, take, trace};
use crate::resume::Saved;

const CHOICE: &str = "Task t { prompt: \"x\"; } End a; End b; t -> a, b;";

fn script(turns: &[Value]) -> String {
    Value::from(turns.to_vec()).to_string()
}

/// What was said in a step.
fn said(state: &exo_rails_machine::History, step: usize) -> String {
    let said = state.steps[step].agent_invocation.clone().unwrap().conversation_history;
    said.iter().map(|said| said.content.clone()).collect::<Vec<_>>().join("\n")
}

#[rail(on = [PostTransition])]
fn undo_a(record: &TransitionRecord) -> RailAction {
    if record.to == "a" { RailAction::abort("not to a") } else { RailAction::Continue }
}

#[tokio::test]
async fn an_abort_after_a_transition_ends_the_machine() {
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        undo_a
    ];
    let stopped = machine(CHOICE, &script(&[take("a")])).rails(rails).build().unwrap().run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::Run { .. }), "{stopped}");
    assert!(stopped.error.to_string().contains("not to a"), "{stopped}");
}

struct Once(AtomicU32);
#[rail]
impl Once {
    #[on(PostTransition)]
    fn again(&self) -> RailAction {
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 { RailAction::retry("once more") } else { RailAction::Continue }
    }
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct OnceRails {
        once: Once,
    }
}

#[tokio::test]
async fn a_rail_that_repeats_a_transition_repeats_no_effect() {
    let rails = OnceRails { once: Once(AtomicU32::new(0)) };
    let done = machine(CHOICE, &script(&[take("a")])).rails(rails).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["a"]);
    assert!(!said(&done.history, 0).contains("failed"), "{}", said(&done.history, 0));

    let file = "Task t { prompt: \"x\"; } State side; End a; End b; t -@async-> side; t -> a, b;";
    let rails = OnceRails { once: Once(AtomicU32::new(0)) };
    let spawn = call("spawn_async_to_side", json!({ "reason": "r" }));
    let done = machine(file, &script(&[spawn, take("a")])).rails(rails).build().unwrap().run().await.unwrap();
    assert_eq!(trace(&done.history).iter().filter(|node| *node == "side").count(), 1, "{:?}", trace(&done.history));
}

#[rail(on = [PostTransition])]
fn never() -> RailAction {
    RailAction::retry("never")
}

#[tokio::test]
async fn a_transition_that_failed_at_a_rail_is_not_taken() {
    let executor = machine(CHOICE, &script(&[take("a"), say("no"), say("no"), say("no")]));
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        never
    ];
    let result = executor.rails(rails).build().unwrap().run().await;
    let ended = result.map(|done| done.ended_at);
    assert!(ended.is_err(), "{ended:?}");
}

#[rail(on = [PreTransition])]
fn answer_for(request: &TransitionRequest) -> RailAction<TransitionRecord> {
    if request.to == "a" {
        RailAction::skip_with(TransitionRecord::new(&request.from, "a"), "the rail goes there")
    } else {
        RailAction::Continue
    }
}

#[tokio::test]
async fn a_rail_that_replaces_a_transition_does_not_move_the_machine() {
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        answer_for
    ];
    let done = machine(CHOICE, &script(&[take("a"), take("b")])).rails(rails).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["b"]);
    assert!(!said(&done.history, 0).contains("goes to `a`"), "{}", said(&done.history, 0));
}

const META: &str =
    "Context c { n<number>: 0; any: 0; } Task t { prompt: \"x\"; meta: true; } End e; t -writes-> c; t -> e;";

fn construct(name: &str, strategy: &str, details: &str) -> Value {
    call(
        "construct_tool",
        json!({ "name": name, "description": "d", "input_schema": { "type": "object" },
            "implementation_strategy": strategy, "implementation_details": details }),
    )
}

#[rail(on = [PreToolCall])]
fn stop_reads(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "read_c" { RailAction::abort("nobody reads") } else { RailAction::Continue }
}

#[tokio::test]
async fn an_abort_inside_a_composition_ends_the_machine() {
    let turns = [construct("look", "composition", "read_c"), call("look", json!({})), take("e")];
    let executor = machine(META, &script(&turns)).rails(rail_chain![
        #[chain(operations = [Transition])]
        stop_reads
    ]);
    let result = executor.build().unwrap().run().await;
    let error = result.map(|done| done.ended_at).unwrap_err().error;
    assert!(error.to_string().contains("nobody reads"), "{error}");
}

#[rail(on = [PreToolCall])]
fn ask_about_reads(call: &ToolCallInputs, ctx: &RailContext) -> RailAction<ToolOutput> {
    if call.tool_name == "read_c" { RailAction::suspend(ctx.question("read?")) } else { RailAction::Continue }
}

/// The steps before would run twice if the composition could wait.
#[tokio::test]
async fn a_rail_that_asks_inside_a_composition_refuses_it() {
    let turns = [construct("look", "composition", "read_c"), call("look", json!({})), take("e")];
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        ask_about_reads
    ];
    let done = machine(META, &script(&turns)).rails(rails).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["e"]);
    let said = said(&done.history, 0);
    assert!(said.contains("cannot wait for the answer: call that tool directly"), "{said}");
}

#[rail(on = [PreLlmCall])]
fn no_inner_models(request: &ModelCallInputs) -> RailAction {
    let is_tool = request.messages.iter().any(|message| message.text().contains("You are the tool"));
    if is_tool { RailAction::abort("no inner models") } else { RailAction::Continue }
}

#[tokio::test]
async fn an_abort_inside_an_agent_backed_tool_ends_the_machine() {
    let turns = [construct("ask", "agent_backed", "Answer."), call("ask", json!({})), take("e")];
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        no_inner_models
    ];
    let result = machine(META, &script(&turns)).rails(rails).build().unwrap().run().await;
    let error = result.map(|done| done.ended_at).unwrap_err().error;
    assert!(error.to_string().contains("no inner models"), "{error}");
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn a_deep_value_does_not_make_the_state_unreadable() {
    for depth in [50, 100, 118, 122, 124] {
        let saved = Saved::default();
        let schema = |value: Value| {
            json!({ "name": "z", "description": "d", "input_schema": { "type": "object", "enum": value },
                "implementation_strategy": "agent_backed", "implementation_details": "x" })
        };
        let turns = Mutex::new(vec![
            ("transition_to_e", json!({ "reason": "r" })),
            ("nothing", json!({ "x": nested(depth) })),
            ("construct_tool", schema(nested(depth))),
            ("write_c", json!({ "field": "any", "value": nested(depth) })),
        ]);
        let model = crate::helper::Answers::new(move |_: &ModelCallInputs| {
            let (tool, arguments) = turns.lock().unwrap().pop().unwrap();
            crate::helper::calls(tool, arguments)
        });
        let reading = exo_rails_dygram::read("flow.dygram", META);
        let executor = exo_rails_machine::Executor::builder(&reading.machine, model).save_to(saved.clone());
        let result = executor.build().unwrap().run().await;
        assert!(result.is_ok(), "{depth}: {:?}", result.map(|done| done.ended_at));
        for state in saved.0.lock().unwrap().iter() {
            let read: Result<MachineState, _> = serde_json::from_str(state);
            assert!(read.is_ok(), "{depth}: {:?}", read.err());
        }
    }
}

#[tokio::test]
async fn a_field_of_an_open_context_does_not_stand_in_for_a_declared_one() {
    let file = "Context order { approved<boolean>; } Context notes; Task t { prompt: \"x\"; } State c; End yes; End no;
        t -reads-> order; t -writes-> notes; c -reads-> order; c -reads-> notes;
        t -> c; c -when: \"approved == true\"-> yes; c -> no;";
    let turns = [call("write_notes", json!({ "field": "approved", "value": true })), say("done")];
    let result = run(file, &script(&turns)).await;
    assert!(
        result.as_ref().is_err_and(|error| matches!(error, MachineError::Condition { .. })),
        "{:?}",
        result.map(|done| done.ended_at)
    );
}

#[tokio::test]
async fn an_open_context_does_not_hide_the_item() {
    let file = "Context job { list<array>: [1, 2]; } Context notes; State s; Task t { prompt: \"Do {{item}}\"; } End e;
        s -reads-> job; t -reads-> notes; s -@map(\"job.list\")-> t; t -> e;";
    let done = run(file, &script(&[say("one"), say("two")])).await.unwrap();
    assert!(said(&done.history, 1).contains("Do 1"), "{}", said(&done.history, 1));
}

#[tokio::test]
async fn huge_numbers_of_a_model_and_of_a_state_do_not_overflow() {
    let saved = Saved::default();
    let turns = [call("read_c", json!({})), take("e")];
    machine(META, &script(&turns)).save_to(saved.clone()).build().unwrap().run().await.unwrap();
    let state: Value = serde_json::from_str(&saved.0.lock().unwrap()[0]).unwrap();
    for (at, number) in [
        ("/steps", json!(u64::MAX)),
        ("/visits/t", json!(u32::MAX)),
        ("/visits/e", json!(u32::MAX)),
        ("/contexts/revision", json!(u64::MAX)),
        ("/history/summary/totalTokens", json!(u64::MAX)),
        ("/history/summary/totalSteps", json!(u64::MAX)),
        ("/history/summary/agentDecisions", json!(u64::MAX)),
        ("/paths/0/last_step", json!(u64::MAX)),
        ("/paths/0/visit/reminders", json!(u32::MAX)),
        ("/paths/0/visit/renewals", json!(u32::MAX)),
        ("/paths/0/visit/usage/prompt_tokens", json!(u64::MAX)),
        ("/paths/0/id", json!(u64::MAX)),
        ("/paths/0/parent", json!(0)),
        ("/paths/0/parent", json!(7)),
        ("/paths/0/node", json!("e")),
        ("/paths/0/node", json!("c")),
        ("/paths/0/status", json!("forked")),
        ("/paths/0/status", json!({ "waiting": { "barrier": "b", "target": "nowhere", "is_merge": true } })),
        ("/paths/0/status", json!({ "waiting": { "barrier": "b", "target": "t", "is_merge": true } })),
        ("/paths", json!([])),
        ("/round", json!([u64::MAX, 0, 0, 0])),
        ("/paths/0/visit/offered", json!(["transition_to_e", "transition_to_e", "read_c", "update_definition"])),
        ("/paths/0/visit/chosen", json!({ "target": "c", "is_map": false, "reason": null })),
        ("/paths/0/visit/chosen", json!({ "target": "e", "is_map": true, "reason": null })),
        ("/is_changed", json!(true)),
        ("/definition", json!("State x;")),
    ] {
        let mut forged = state.clone();
        if let Some(place) = forged.pointer_mut(at) {
            *place = number.clone();
        } else {
            let (outer, name) = at.rsplit_once('/').unwrap();
            if let Some(outer) = forged.pointer_mut(outer).and_then(Value::as_object_mut) {
                outer.insert(name.to_owned(), number.clone());
            }
        }
        let Ok(forged) = serde_json::from_value::<MachineState>(forged) else { continue };
        for until in [false, true] {
            let executor = machine(META, &script(&turns));
            let executor = if until { executor.until("e", 1) } else { executor }.build().unwrap();
            let result = match executor.resume(forged.clone()) {
                Ok(execution) => execution.run().await.map(|done| done.ended_at).map_err(|stopped| stopped.error),
                Err(error) => Err(error),
            };
            // Whatever the state says, the machine ends at its end, or with an error.
            if let Ok(ended) = result {
                assert_eq!(ended, ["e"], "{at} = {number}");
            }
        }
    }
}

#[tokio::test]
async fn two_tools_never_have_the_same_name() {
    let file = "Process x { Context a { v: 1; } } Process y { Context a { v: 2; } } Context x__a { v: 3; }
        Task t { prompt: \"x\"; } State f; End e; End g; t -reads-> x.a; t -reads-> y.a; t -reads-> x__a; t -> e, g;
        t -@async, when: \"1 == 1\"-> f; t -@async, when: \"2 == 2\"-> f;";
    let reading = exo_rails_dygram::read("flow.dygram", file);
    let model = crate::helper::Recorded::new(&script(&[take("e")]));
    let result = exo_rails_machine::Executor::builder(&reading.machine, model.clone()).build();
    let Ok(executor) = result else { return };
    executor.run().await.unwrap();
    let mut names = model.tools().remove(0);
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
}

/// Calls that end in the middle: the second path saves the state while a composition of the first one is under way.
#[tokio::test]
async fn an_interrupted_composition_has_an_unknown_result() {
    let file = "Context c { n<number>: 0; } State s; Task t { prompt: \"x\"; meta: true; } Task u { prompt: \"y\"; } End e; End f;
        s -@parallel-> t; s -@parallel-> u; t -writes-> c; t -> e; u -> f;";
    let saved = Saved::default();
    let begun = Arc::new(tokio::sync::Notify::new());
    let (begins, states) = (Arc::clone(&begun), saved.clone());
    let schema = json!({ "type": "object", "properties": { "done": { "type": "string" } } });
    let slow = Tool::new("slow", "Never ends.", schema, move |_: Value| {
        states.0.lock().unwrap().push("slow".to_owned());
        begins.notify_one();
        std::future::pending::<Result<String, OperationError>>()
    });
    let wait = Tool::new("wait", "Waits for the slow tool.", json!({ "type": "object" }), move |_: Value| {
        let begun = Arc::clone(&begun);
        async move {
            begun.notified().await;
            Ok::<_, OperationError>("waited")
        }
    });
    let model = crate::helper::Answers::new(move |request: &ModelCallInputs| {
        let text = request.messages.iter().map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n");
        let system = crate::helper::system_of(request);
        if system.contains("**u**") {
            let has_waited = text.contains("waited");
            return if has_waited { ModelResponse::text("done") } else { crate::helper::calls("wait", json!({})) };
        }
        if !text.contains("is ready") {
            let schema = json!({ "type": "object", "properties": { "field": { "type": "string" }, "value": {} } });
            return crate::helper::calls(
                "construct_tool",
                json!({ "name": "both", "description": "d", "input_schema": schema,
                "implementation_strategy": "composition", "implementation_details": "write_c -> slow" }),
            );
        }
        if text.contains("is ready") && !text.contains("changed") {
            return ModelResponse::text("go on");
        }
        crate::helper::calls("both", json!({ "field": "n", "value": 7 }))
    });
    let reading = exo_rails_dygram::read("flow.dygram", file);
    let executor = exo_rails_machine::Executor::builder(&reading.machine, model)
        .tool(slow)
        .tool(wait)
        .save_to(saved.clone())
        .build()
        .unwrap();
    let after_slow = || {
        let states = saved.0.lock().unwrap();
        let at = states.iter().position(|state| state == "slow");
        at.map(|at| states[at + 1..].to_vec()).unwrap_or_default()
    };
    let other_path_has_saved = async {
        while after_slow().len() < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = executor.run() => panic!("the slow tool never ends"),
        () = other_path_has_saved => {}
    }
    for state in &after_slow() {
        let value: Value = serde_json::from_str(state).unwrap();
        assert_eq!(value["contexts"]["values"]["c"]["n"], 7);
        assert!(
            value["paths"][1]["visit"]["effect"].is_null(),
            "the write inside is not the output of the composition"
        );
    }
}

#[tokio::test]
async fn compositions_inside_each_other_do_not_use_up_the_stack() {
    let tool = |number: usize| if number == 0 { "read_c".to_owned() } else { format!("t{number}") };
    let mut turns: Vec<_> =
        (1..=100).map(|number| construct(&tool(number), "composition", &tool(number - 1))).collect();
    turns.extend([call("t100", json!({})), call("t3", json!({})), take("e")]);
    let executor = machine(META, &script(&turns)).limits(|limits| limits.model_calls = 200).build().unwrap();
    let said = said(&executor.run().await.unwrap().history, 0);
    assert!(said.contains("more than 8 compositions would be nested"), "{said}");
    assert!(said.contains("\n{\"any\":0,\"n\":0}\n"), "{said}");
}

/// Waits after each write until another path has saved the state.
struct Late(Arc<tokio::sync::Notify>);
#[rail]
impl Late {
    #[on(PostToolCall)]
    async fn wait(&self, ctx: &RailContext) {
        if ctx.step() == 0 {
            self.0.notify_one();
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct LateRails {
        late: Late,
    }
}

#[tokio::test]
async fn a_write_inside_a_composition_is_not_its_output_while_the_rails_look_at_it() {
    let file = "Context c { n<number>: 0; } State s; Task t { prompt: \"x\"; meta: true; } Task u { prompt: \"y\"; } End e; End f;
        s -@parallel-> t; s -@parallel-> u; t -writes-> c; t -> e; u -> f;";
    let (saved, written) = (Saved::default(), Arc::new(tokio::sync::Notify::new()));
    let is_written = Arc::clone(&written);
    let wait = Tool::new("wait", "Waits for the write.", json!({ "type": "object" }), move |_: Value| {
        let is_written = Arc::clone(&is_written);
        async move {
            is_written.notified().await;
            Ok::<_, OperationError>("waited")
        }
    });
    let count =
        Tool::new("count", "Counts.", json!({ "type": "object", "properties": { "x": {} } }), |_: Value| async {
            Ok::<_, OperationError>("counted")
        });
    let model = crate::helper::Answers::new(move |request: &ModelCallInputs| {
        let text = request.messages.iter().map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n");
        if crate::helper::system_of(request).contains("**u**") {
            return if text.contains("waited") {
                ModelResponse::text("done")
            } else {
                crate::helper::calls("wait", json!({}))
            };
        }
        if text.contains("counted") {
            return ModelResponse::text("done");
        }
        if text.contains("is ready") {
            return crate::helper::calls("both", json!({ "field": "n", "value": 7 }));
        }
        let schema = json!({ "type": "object", "properties": { "field": { "type": "string" }, "value": {} } });
        let both = json!({ "name": "both", "description": "d", "input_schema": schema,
            "implementation_strategy": "composition", "implementation_details": "write_c -> count" });
        crate::helper::calls("construct_tool", both)
    });
    let reading = exo_rails_dygram::read("flow.dygram", file);
    let executor = exo_rails_machine::Executor::builder(&reading.machine, model)
        .tools([wait, count])
        .rails(LateRails { late: Late(written) })
        .save_to(saved.clone());
    executor.build().unwrap().run().await.unwrap();
    let states = saved.0.lock().unwrap();
    let mut during = 0;
    for state in states.iter() {
        let value: Value = serde_json::from_str(state).unwrap();
        if value["contexts"]["values"]["c"]["n"] == 7 {
            during += 1;
            assert!(value["paths"][1]["visit"]["effect"].is_null(), "{value}");
        }
    }
    assert!(during > 2, "the other path saves between the write and the end of the composition");
}

#[tokio::test]
async fn the_errors_that_a_prompt_shows_have_no_values_of_contexts() {
    let file = "machine \"M\" @errorHandling(\"continue\")
        Context c { secret<string>: \"hunter2\"; } State s; State check; State next; Task t { prompt: \"{{errors}}\"; } End e; End f;
        s -@parallel-> check; s -@parallel-> next; check -reads-> c; check -when: \"{'x': 1}[c.secret] == 1\"-> e; check -> f;
        next -> t; t -> e;";
    let (builder, model) = crate::helper::recorded(file, &script(&[say("done")]));
    let done = builder.build().unwrap().run().await.unwrap();
    let shown = model.systems().remove(0);
    assert!(shown.contains("cannot be evaluated") && !shown.contains("hunter2"), "{shown}");
    // People read the cause in the history.
    assert!(done.history.steps.iter().any(|step| step.errors.iter().any(|error| error.contains("hunter2"))));
}

#[tokio::test]
async fn the_model_calls_of_all_runs_in_a_visit_count() {
    // The agent makes no choice, and is asked again.
    let model = crate::helper::Answers::new(|request: &ModelCallInputs| {
        let has_read = request.messages.last().unwrap().role == exo_rails::message::Role::Tool;
        if has_read { ModelResponse::text("hm") } else { crate::helper::calls("read_c", json!({})) }
    });
    let file = "Context c { n<number>: 0; } Task t { prompt: \"x\"; } End e; End f; t -reads-> c; t -> e, f;";
    let reading = exo_rails_dygram::read("flow.dygram", file);
    for limit in [1, 3, 4, 5] {
        let executor = exo_rails_machine::Executor::builder(&reading.machine, model.clone());
        let executor = executor.limits(|limits| limits.model_calls = limit).build().unwrap();
        let before = model.requests.lock().unwrap().len();
        let error = executor.run().await.unwrap_err().to_string();
        assert!(error.contains(&format!("the agent took {limit} steps without an answer")), "{error}");
        assert_eq!(model.requests.lock().unwrap().len() - before, usize::try_from(limit).unwrap());
    }
    // A choice in the last call counts.
    for turns in [vec![take("e")], vec![call("read_c", json!({})), say("hm"), take("e")]] {
        let limit = u32::try_from(turns.len()).unwrap();
        let executor = machine(file, &script(&turns)).limits(|limits| limits.model_calls = limit).build().unwrap();
        assert_eq!(executor.run().await.unwrap().ended_at, ["e"]);
    }
}

#[rail(on = [PreTransition])]
fn to_b_instead(request: &mut TransitionRequest) -> RailAction<TransitionRecord> {
    if request.to == "a" {
        "b".clone_into(&mut request.to);
    }
    RailAction::Continue
}

#[tokio::test]
async fn a_map_edge_that_a_rail_chose_uses_its_own_list() {
    let file = "Context c { one<array>: [1]; two<array>: [7, 8]; } State s; State a; State b; s -reads-> c;
        s -@map(\"c.one\")-> a; s -@map(\"c.two\")-> b;";
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        to_b_instead
    ];
    let done = machine(file, "[]").rails(rails).build().unwrap().run().await.unwrap();
    assert_eq!(trace(&done.history), ["s", "b", "b"]);
}
