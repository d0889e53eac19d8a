//! Visits of nodes by the agent: its tools, its prompts, and what it may not do.

use std::sync::{Arc, Mutex};

use exo_rails::message::Role;
use exo_rails::prelude::*;
use exo_rails_guards::Secrets;
use exo_rails_guards::budgets::{BudgetLimit, Budgets, Measure};
use exo_rails_machine::{
    BuildError, Executor, MachineError, PreTransition, Transition, TransitionRecord, TransitionRequest,
};
use serde_json::{Value, json};

use crate::helper::{Answers, calls, go, machine, recorded, run, trace};

const REVIEW: &str = r#"
machine "Review"
Context job { title<string>: "Tea"; score<number>: 0; secret<string>: "s3cret"; }
Context other { hidden<string>: "h1dden"; }
Task review "Rates a text" { prompt: "Rate {{job.title}} from 0 to 1."; }
End accept; End reject "The text is bad";
review -read: title-> job;
review -write: score-> job;
review -@auto, when: "score > 0.9"-> accept;
review -> reject; review -looks good-> accept;
"#;

#[tokio::test]
async fn the_agent_has_the_tools_and_the_prompt_of_its_node_and_nothing_else() {
    let model = Answers::new(|_: &ModelCallInputs| calls("transition_to_reject", json!({ "reason": "bad" })));
    let reading = exo_rails_dygram::read("flow.dygram", REVIEW);
    let executor = Executor::builder(&reading.machine, model.clone()).build().unwrap();
    let done = executor.run().await.unwrap();
    assert_eq!(done.ended_at, ["reject"]);

    let requests = model.requests.lock().unwrap();
    assert_eq!(requests.len(), 1, "the transition ends the visit before the next model call");
    let tools: Vec<_> = requests[0].tools.iter().map(|tool| tool.function.name.clone()).collect();
    assert_eq!(tools, ["transition_to_reject", "transition_to_accept", "read_job", "write_job"]);
    let texts = requests[0].messages.iter().map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n");
    for expected in [
        "- Node: **review** (Task)",
        "- Objective: Rate Tea from 0 to 1.",
        "- **job**: read\n  - Fields: score, title",
        "- **job**: write\n  - Fields: score",
        "- **reject** with `transition_to_reject`: The text is bad",
        "- **accept** with `transition_to_accept`: looks good",
    ] {
        assert!(texts.contains(expected), "{expected}\n---\n{texts}");
    }
    let all = serde_json::to_string(&*requests).unwrap();
    for hidden in ["s3cret", "secret", "h1dden", "hidden", "other"] {
        assert!(!all.contains(hidden), "{hidden}\n---\n{all}");
    }
    let schema = serde_json::to_value(&requests[0].tools[3]).unwrap();
    assert_eq!(
        schema["function"]["parameters"]["properties"]["data"]["properties"],
        json!({ "score": { "type": "number" } })
    );
}

#[tokio::test]
async fn contexts_are_written_in_both_shapes() {
    let file = "Context c { a<number>: 0; b<string>: \"\"; } Task t { prompt: \"x\"; } End e; t -writes-> c; t -> e;";
    let script = r#"[
        { "call": [{ "tool": "write_c", "arguments": { "field": "a", "value": 1 } }] },
        { "call": [{ "tool": "write_c", "arguments": { "data": { "a": 2, "b": "two" } } }] },
        { "call": [{ "tool": "read_c", "arguments": { "field": "b" } }, { "tool": "read_c", "arguments": { "fields": ["a"] } }, { "tool": "read_c" }] },
        { "say": "done" }
    ]"#;
    let done = run(file, script).await.unwrap();
    assert_eq!(done.state.contexts().fields("c").map(|fields| json!(fields)), Some(json!({ "a": 2, "b": "two" })));
    let invocation = done.history.steps[0].agent_invocation.clone().unwrap();
    let said: Vec<_> = invocation.conversation_history.iter().map(|said| said.content.as_str()).collect();
    assert!(said.contains(&"\"two\"") && said.contains(&"{\"a\":2}"), "{said:?}");
    assert_eq!(invocation.tools_used, ["write_c", "read_c"]);
    let writes: Vec<_> =
        done.history.steps[0].writes.iter().map(|write| (write.field.as_str(), &write.after)).collect();
    assert_eq!(writes, [("a", &json!(1)), ("a", &json!(2)), ("b", &json!("two"))]);
}

/// In upstream, any name of a tool executes, fields are compared in lower case, and targets are not checked.
#[tokio::test]
async fn the_tools_refuse_actions_that_the_node_may_not_take() {
    let calls = [
        ("transition_to_deploy", json!({ "reason": "x" })),
        ("transition_to_Reject", json!({ "reason": "x" })),
        ("transition_to_reject", json!({ "reason": 5 })),
        ("read_other", json!({})),
        ("read_job", json!({ "field": "secret" })),
        ("read_job", json!({ "fields": "title" })),
        ("read_job", json!({ "field": "Title" })),
        ("write_other", json!({ "field": "hidden", "value": 1 })),
        ("write_job", json!({ "field": "title", "value": "Coffee" })),
        ("write_job", json!({ "field": "Score", "value": 1 })),
        ("write_job", json!({ "field": "score", "value": "high" })),
        ("write_job", json!({ "data": { "score": 1, "secret": "x" } })),
        ("write_job", json!({ "data": [["score", 1]] })),
        ("write_job", json!({})),
        ("construct_tool", json!({})),
    ];
    let calls: Vec<Value> =
        calls.iter().map(|(tool, arguments)| json!({ "call": [{ "tool": tool, "arguments": arguments }] })).collect();
    let script = json!([calls, [{ "call": [{ "tool": "transition_to_reject", "arguments": { "reason": "done" } }] }]]);
    let script: Vec<Value> =
        script.as_array().unwrap().iter().flat_map(|part| part.as_array().unwrap().clone()).collect();
    let done = run(REVIEW, &Value::from(script).to_string()).await.unwrap();
    assert_eq!(done.ended_at, ["reject"]);
    let fields = json!(done.state.contexts().fields("job"));
    assert_eq!(fields, json!({ "title": "Tea", "score": 0, "secret": "s3cret" }));
    assert!(done.history.steps[0].writes.is_empty());
    let invocation = done.history.steps[0].agent_invocation.clone().unwrap();
    let outputs = invocation.conversation_history.iter().filter(|said| said.role == "user").skip(1);
    let all: Vec<_> = outputs.map(|said| said.content.clone()).collect();
    assert_eq!(all.len(), 16, "{all:#?}");
    assert!(!all.join("\n").contains("s3cret"));
}

#[tokio::test]
async fn an_automatic_edge_is_taken_after_the_work_of_a_task() {
    let script = r#"[{ "call": [{ "tool": "write_job", "arguments": { "field": "score", "value": 0.95 } }] }, { "say": "Good." }]"#;
    let done = run(REVIEW, script).await.unwrap();
    assert_eq!((trace(&done.history), done.ended_at), (vec!["review".into(), "accept".into()], vec!["accept".into()]));
}

#[tokio::test]
async fn a_state_with_several_ways_asks_the_agent() {
    let file = "State s; End a; End b; s -> a, b;";
    let done = run(file, &format!("[{}]", go("b"))).await.unwrap();
    assert_eq!(trace(&done.history), ["s*", "b"]);
    assert_eq!(done.history.steps[0].reason.as_deref(), Some("because"));
}

#[tokio::test]
async fn an_agent_that_does_not_choose_is_reminded() {
    let file = "Task s { prompt: \"Choose\"; } End a; End b; s -> a, b;";
    let script = format!(r#"[{{ "say": "Hm." }}, {{ "say": "Well." }}, {}]"#, go("a"));
    let done = run(file, &script).await.unwrap();
    let said = done.history.steps[0].agent_invocation.clone().unwrap().conversation_history;
    let reminders = said.iter().filter(|said| said.content.starts_with("The machine cannot go on")).count();
    assert_eq!((done.ended_at, reminders), (vec!["a".to_owned()], 2));

    let error = run(file, r#"[{ "say": "Hm." }, { "say": "Well." }, { "say": "No." }]"#).await.unwrap_err();
    assert_eq!(error.to_string(), "the agent at `s` did not choose one of `a`, `b`, although it was reminded 2 times");
}

#[tokio::test]
async fn the_instructions_of_a_reminded_agent_name_the_edges_that_are_open_now() {
    let file = "Context c { n<number>: 0; } Task t { prompt: \"Choose\"; } End a; End b; End other; t -writes-> c; t -> a; \
                t -when: \"c.n == 0\"-> b; t -when: \"c.n == 1\"-> other;";
    let write = r#"{ "call": [{ "tool": "write_c", "arguments": { "field": "n", "value": 1 } }] }"#;
    let (builder, model) = recorded(file, &format!(r#"[{write}, {{ "say": "Hm." }}, {}]"#, go("other")));
    let done = builder.build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["other"]);
    let systems = model.systems();
    let named = |at: usize, target: &str| systems[at].contains(&format!("`transition_to_{target}`"));
    assert_eq!((named(0, "b"), named(0, "other")), (true, false), "{systems:#?}");
    assert_eq!((named(2, "b"), named(2, "other")), (false, true), "{systems:#?}");
}

#[tokio::test]
async fn the_first_choice_counts_and_further_calls_do_not_run() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&log);
    let note = Tool::new("note", "Notes.", json!({}), move |arguments: Value| {
        seen.lock().unwrap().push(arguments);
        async { Ok::<_, OperationError>("noted") }
    });
    let script = r#"[{ "call": [
        { "tool": "note", "arguments": { "n": 1 } },
        { "tool": "transition_to_a", "arguments": { "reason": "1" } },
        { "tool": "transition_to_b", "arguments": { "reason": "2" } },
        { "tool": "note", "arguments": { "n": 2 } }
    ] }]"#;
    let file = "Task s { prompt: \"x\"; } End a; End b; s -> a, b;";
    let done = machine(file, script).tool(note).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["a"]);
    assert_eq!(*log.lock().unwrap(), [json!({ "n": 1 })]);
}

#[tokio::test]
async fn a_condition_is_checked_again_when_the_agent_takes_its_edge() {
    let file = "Context c { open<boolean>: true; } Task t { prompt: \"x\"; } End a; End b;
        t -writes-> c; t -when: \"c.open\"-> a; t -> b;";
    let script = format!(
        r#"[{{ "call": [{{ "tool": "write_c", "arguments": {{ "field": "open", "value": false }} }}] }}, {}, {}]"#,
        go("a"),
        go("b")
    );
    assert_eq!(run(file, &script).await.unwrap().ended_at, ["b"]);
}

#[tokio::test]
async fn nodes_with_one_agent_share_its_conversation() {
    let model = Answers::new(|_: &ModelCallInputs| ModelResponse::text("Fine."));
    let file = "Task a { prompt: \"First\"; agent: writer; } Task b { prompt: \"Second\"; } Task c { prompt: \"Third\"; agent: writer; } a -> b -> c;";
    let reading = exo_rails_dygram::read("flow.dygram", file);
    Executor::builder(&reading.machine, model.clone()).build().unwrap().run().await.unwrap();
    let requests = model.requests.lock().unwrap();
    let users = |request: &ModelCallInputs| {
        let users = request.messages.iter().filter(|message| message.role == Role::User);
        users.map(|message| message.text().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(users(&requests[0]), ["First"]);
    assert_eq!(users(&requests[1]), ["Second"]);
    assert_eq!(users(&requests[2]), ["First", "Third"]);
    let systems = requests[2].messages.iter().filter(|message| message.role == Role::System).count();
    assert_eq!(systems, 1);
}

#[tokio::test]
async fn a_tool_node_gives_its_tool_only_to_nodes_with_an_edge() {
    let model = Answers::new(|_: &ModelCallInputs| ModelResponse::text("Fine."));
    let file = "Tool search { input: \"text\"; } Task a { prompt: \"x\"; } Task b { prompt: \"y\"; } a -> b; b -uses-> search;";
    let reading = exo_rails_dygram::read("flow.dygram", file);
    let tool = |name: &str| Tool::new(name, "", json!({}), |_: Value| async { Ok::<_, OperationError>("") });
    let error = Executor::builder(&reading.machine, model.clone()).build().unwrap_err();
    assert!(matches!(error, BuildError::NoTool { node, tool } if node == "b" && tool == "search"));
    let executor = Executor::builder(&reading.machine, model.clone()).tool(tool("search")).tool(tool("clock"));
    executor.build().unwrap().run().await.unwrap();
    let requests = model.requests.lock().unwrap();
    let names = |at: usize| requests[at].tools.iter().map(|tool| tool.function.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(0), ["transition_to_b", "clock"]);
    assert_eq!(names(1), ["search", "clock"]);

    let error =
        machine("State a; State b; State c; a -> b, c;", "[]").tool(tool("transition_to_b")).build().unwrap_err();
    assert!(matches!(error, BuildError::ToolName { .. }));
}

#[rail(priority = 10, on = [PreTransition])]
fn not_to_a(request: &TransitionRequest) -> RailAction<TransitionRecord> {
    if request.to == "a" { RailAction::skip("a is closed") } else { RailAction::Continue }
}

#[rail(priority = 10, on = [PreTransition])]
fn to_b(request: &mut TransitionRequest) {
    "b".clone_into(&mut request.to);
}

#[rail(priority = 10, on = [PreTransition])]
fn stop() -> RailAction<TransitionRecord> {
    RailAction::abort("enough")
}

#[tokio::test]
async fn a_refusal_of_a_rail_goes_back_to_the_model() {
    let file = "Task s { prompt: \"x\"; } End a; End b; s -> a, b;";
    let rails = || {
        rail_chain![
            #[chain(operations = [Transition])]
            not_to_a
        ]
    };
    let executor = machine(file, &format!("[{}, {}]", go("a"), go("b"))).rails(rails()).build().unwrap();
    let done = executor.run().await.unwrap();
    assert_eq!(done.ended_at, ["b"]);
    let said = done.history.steps[0].agent_invocation.clone().unwrap().conversation_history;
    assert!(said.iter().any(|said| said.content.contains("a is closed")), "{said:#?}");

    // An automatic transition has no other way.
    let stopped = machine("State s; End a; s -> a;", "[]").rails(rails()).build().unwrap().run().await.unwrap_err();
    assert!(stopped.to_string().contains("a is closed"), "{stopped}");
}

#[tokio::test]
async fn a_rail_may_choose_another_edge_but_not_one_that_does_not_exist() {
    let rails = || {
        rail_chain![
            #[chain(operations = [Transition])]
            to_b
        ]
    };
    let file = "Task s { prompt: \"x\"; } End a; End b; s -> a, b;";
    let done = machine(file, &format!("[{}]", go("a"))).rails(rails()).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["b"]);
    let file = "State s; End a; State b; s -> a; b -> s;";
    let stopped = machine(file, "[]").start_at("s").rails(rails()).build().unwrap().run().await.unwrap_err();
    assert!(stopped.to_string().contains("`s` has no edge to `b` that can be taken"), "{stopped}");
}

#[tokio::test]
async fn a_rail_that_aborts_a_transition_ends_the_machine() {
    let file =
        "machine \"M\" @errorHandling(\"continue\")\nTask s @retry(3) { prompt: \"x\"; } End a; End b; s -> a, b;";
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        stop
    ];
    let stopped = machine(file, &format!("[{}]", go("a"))).rails(rails).build().unwrap().run().await.unwrap_err();
    assert!(
        matches!(&stopped.error, MachineError::Run { error: RunError::Abort(abort), .. } if abort.reason == "enough"),
        "{stopped}"
    );
}

#[derive(Clone, Default)]
struct Counted(u32);

#[rail(priority = 20, on = [PreLlmCall])]
fn three_calls(ctx: &RailContext) -> Verdict {
    let calls = ctx.run.update(|counted: &mut Counted| {
        counted.0 += 1;
        counted.0
    });
    Verdict::abort_if(calls > 3, "three calls are enough")
}

#[tokio::test]
async fn a_budget_holds_for_the_whole_machine() {
    let file = "Task a { prompt: \"x\"; } Task b { prompt: \"y\"; } End c; a -> b; b -> a, c;";
    let script = format!(r#"[{{ "say": "done" }}, {}, {{ "say": "done" }}, {}]"#, go("a"), go("c"));
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        three_calls
    ];
    let stopped = machine(file, &script).rails(rails).build().unwrap().run().await.unwrap_err();
    assert!(stopped.to_string().contains("three calls are enough"), "{stopped}");
    assert_eq!(trace(stopped.state.history()), ["a", "b*", "a"]);
}

#[rail(priority = 20, on = [PreToolCall])]
fn no_writes(call: &ToolCallInputs) -> RailAction {
    if call.tool_name.starts_with("write_") { RailAction::skip("read only") } else { RailAction::Continue }
}

#[tokio::test]
async fn rails_guard_the_tools_of_the_machine_too() {
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        no_writes
    ];
    let script = format!(
        r#"[{{ "call": [{{ "tool": "write_job", "arguments": {{ "field": "score", "value": 1 }} }}] }}, {}]"#,
        go("reject")
    );
    let done = machine(REVIEW, &script).rails(rails).build().unwrap().run().await.unwrap();
    assert_eq!(done.state.contexts().get("job", "score"), Some(&json!(0)));
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct Guards {
        budgets: Budgets,
        secrets: Secrets,
    }
}

#[tokio::test]
async fn guards_of_the_kit_work_unchanged() {
    let file = "Context c { n<integer>: 0; text<string>: \"\"; } Task a { prompt: \"a\"; } Task b { prompt: \"b\"; } Task d { prompt: \"d\"; }
        a -> b -> d; a -writes-> c; b -writes-> c; d -writes-> c;";
    let write = |n: u32| {
        format!(
            r#"{{ "call": [{{ "tool": "write_c", "arguments": {{ "field": "n", "value": {n} }} }}] }}, {{ "say": "ok" }}"#
        )
    };
    let budgets = Budgets::builder()
        .limits([BudgetLimit::new("writes", Measure::ToolCalls, 2).tools(["write_*".parse().unwrap()])]);
    let rails = Guards { budgets: budgets.build().unwrap(), secrets: Secrets::builder().build().unwrap() };
    let executor = machine(file, &format!("[{}, {}, {}]", write(1), write(2), write(3))).rails(rails).build().unwrap();
    let done = executor.run().await.unwrap();
    assert_eq!(done.state.contexts().get("c", "n"), Some(&json!(2)), "the budget is of the whole machine");
    let said = done.history.steps[2].agent_invocation.clone().unwrap().conversation_history;
    assert!(said.iter().any(|said| said.content.contains("budgets/writes")), "{said:#?}");
}
