//! The examples of the document that describes the language: each is read, checked and executed.
//!
//! The files are in `tests/seed`. They have the nodes, edges, fields and permissions of the examples. Some examples are fragments
//! and name nodes that they do not declare: these files are lenient, and the nodes are declared with a warning.

use exo_rails_machine::{Executor, MachineError, Status, StepOutcome, TransitionType};
use serde_json::{Value, json};

use crate::helper::{Recorded, call, recorded, say, system_of, take, trace};

const AUTO: &str = include_str!("../seed/auto-transition.dygram");
const AGENT: &str = include_str!("../seed/agent-controlled.dygram");
const PERMISSIONS: &str = include_str!("../seed/permissions.dygram");
const META: &str = include_str!("../seed/basic.dygram");
const MODEL: &str = include_str!("../seed/permissions-model.dygram");
const PIPELINE: &str = include_str!("../seed/self-improving-pipeline.dygram");
const PARALLEL: &str = include_str!("../seed/parallel-execution.dygram");
const SHARED: &str = include_str!("../seed/distributed-execution.dygram");

/// The name, the file, the codes of its warnings, a script, and the steps: `*` is behind those that the agent decided.
type Example<'a> = (&'a str, &'a str, Vec<&'a str>, Value, &'a [&'a str]);

#[tokio::test]
async fn every_example_is_read_checked_and_executed() {
    let undeclared = |count: usize| vec!["unknown-node"; count];
    let cases: [Example<'_>; 8] = [
        ("auto-transition", AUTO, vec!["no-fallback", "unknown-node"], json!([]), &["idle", "processing"]),
        ("agent-controlled", AGENT, undeclared(3), json!([take("retry")]), &["analyze*", "retry"]),
        ("permissions", PERMISSIONS, undeclared(3), json!([say("done")]), &["analyze"]),
        ("basic", META, vec!["no-way-out"], json!([say("done")]), &["optimizer"]),
        ("permissions-model", MODEL, undeclared(5), json!([]), &["query"]),
        // The two nodes have no edges in the document either.
        (
            "self-improving-pipeline",
            PIPELINE,
            vec!["unreachable", "unreachable"],
            json!([say("loaded"), take("complete")]),
            &["idle", "ingest", "process*", "complete", "idle"],
        ),
        (
            "parallel-execution",
            PARALLEL,
            undeclared(1),
            json!([say("analyzed"), say("validated")]),
            &["start", "analyze", "validate", "mergeResults"],
        ),
        ("distributed-execution", SHARED, vec!["no-way-out"], json!([say("done")]), &["process"]),
    ];
    for (name, file, codes, script, steps) in cases {
        let reading = exo_rails_dygram::read(name, file);
        assert!(!reading.report.has_errors(), "{}", reading.report);
        let mut found: Vec<_> = reading.report.diagnostics().iter().map(|found| found.code).collect();
        found.sort_unstable();
        assert_eq!(found, codes, "{name}\n{}", reading.report);
        let mut builder = Executor::builder(&reading.machine, Recorded::new(&script.to_string()));
        if name == "self-improving-pipeline" {
            builder = builder.until("idle", 2);
        }
        let history = match builder.build().unwrap().run().await {
            Ok(done) => done.history,
            // "Conditional automatic transition": the only edge has a condition, and it is false without errors.
            Err(stopped) if name == "auto-transition" => {
                assert!(matches!(&stopped.error, MachineError::NoWay { node, .. } if node == "processing"));
                stopped.state.history().clone()
            }
            Err(stopped) => panic!("{name}: {stopped}"),
        };
        assert_eq!(trace(&history), steps, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn automatic_transitions_need_no_agent() {
    // Four attempts at `work` fail before it is done, so the condition `errorCount > 3` is true.
    let file = format!("{AUTO}\nTask work @retry(4) {{ prompt: \"Work\"; }} work -> idle;");
    let fail = json!({ "fail": { "kind": "unavailable", "message": "down" } });
    for (failures, ended) in [(4, true), (3, false)] {
        let mut script = vec![fail.clone(); failures];
        script.push(say("done"));
        let (builder, model) = recorded(&file, &Value::from(script).to_string());
        let result = builder.start_at("work").build().unwrap().run().await;
        assert_eq!(model.requests.lock().unwrap().len(), failures + 1, "only `work` asks the model");
        let history = match result {
            Ok(done) => done.history,
            Err(stopped) => stopped.state.history().clone(),
        };
        let expected: &[&str] =
            if ended { &["work", "idle", "processing", "error"] } else { &["work", "idle", "processing"] };
        assert_eq!(trace(&history), expected, "{failures} failures");
        assert_eq!(history.status == Status::Completed, ended);
        assert_eq!(history.summary.agent_decisions, 0);
    }
}

#[tokio::test]
async fn the_agent_decides_with_a_tool_for_each_edge() {
    for target in ["summarize", "retry", "abort"] {
        let (builder, model) = recorded(AGENT, &json!([take(target)]).to_string());
        let done = builder.build().unwrap().run().await.unwrap();
        assert_eq!(model.tools(), [["transition_to_summarize", "transition_to_retry", "transition_to_abort"]]);
        assert_eq!(done.ended_at, [target]);
        let step = &done.history.steps[0];
        assert_eq!(step.transition_type, TransitionType::AgentControlled);
        assert_eq!(step.agent_invocation.as_ref().unwrap().transition_chosen, target);
        let requests = model.requests.lock().unwrap();
        let tool = serde_json::to_value(&requests[0].tools[0]).unwrap();
        assert_eq!(tool["function"]["parameters"]["properties"]["reason"]["type"], "string");
    }
}

/// The document shows the instructions at a node `analyze`, with two contexts and three transitions.
#[tokio::test]
async fn the_system_prompt_has_the_node_its_objective_its_contexts_and_its_transitions() {
    let file = format!(
        "{AGENT}\n{PERMISSIONS}
        Context input {{ data<array>: \"[\\\"raw\\\"]\"; format<string>: \"json\"; }}
        Context metrics {{ errorCount<number>: 0; quality<number>: 0; }}
        Context vault {{ hidden: \"no\"; }}
        Task later {{ prompt: \"Nobody comes here\"; }} later -reads-> vault;
        State summarize \"Sum it up\"; State retry \"Try another way\"; State abort;"
    );
    let (builder, model) = recorded(&file, &json!([take("abort")]).to_string());
    builder.start_at("analyze").build().unwrap().run().await.unwrap();
    let system = &model.systems()[0];
    for line in [
        "- Node: **analyze** (Task)",
        "- Objective: Look at the data, then choose",
        "- **input**: read",
        "  - Fields: data, format",
        "- **metrics**: read, write",
        "  - Fields: errorCount, quality",
        "- **summarize** with `transition_to_summarize`: Sum it up",
        "- **retry** with `transition_to_retry`: Try another way",
        "- **abort** with `transition_to_abort`",
    ] {
        assert!(system.lines().any(|other| other == line), "{line}\n---\n{system}");
    }
    // The data of the contexts, and everything of other phases, is not there.
    for hidden in ["raw", "json", "vault", "hidden", "later", "Nobody"] {
        assert!(!system.contains(hidden), "{hidden}\n---\n{system}");
    }
}

#[tokio::test]
async fn context_tools_follow_the_edges() {
    let script = json!([
        call("read_input", json!({ "field": "data" })),
        call("write_metrics", json!({ "field": "quality", "value": 1 })),
        call("write_input", json!({ "field": "data", "value": 1 })),
        say("done"),
    ]);
    let (builder, model) = recorded(PERMISSIONS, &script.to_string());
    let done = builder.build().unwrap().run().await.unwrap();
    // "Read-write access: writes", so the node may read `metrics` too.
    assert_eq!(model.tools()[0], ["read_input", "read_metrics", "write_metrics"]);
    assert_eq!(done.state.contexts().get("metrics", "quality"), Some(&json!(1)));
    assert_eq!(done.state.contexts().get("input", "data"), None);
}

/// The node, and its tools for contexts with their fields.
type Access<'a> = (&'a str, &'a [(&'a str, &'a [&'a str])]);

/// The node, the tools for contexts that it has, and the fields that the tools may use. The fragment has no flow, so each node
/// is declared as a task, and the machine begins there.
#[tokio::test]
async fn the_permission_model_decides_about_tools_and_fields() {
    let all: &[&str] = &["connection", "schema"];
    let cases: [Access<'_>; 4] = [
        ("query", &[("read_database", all)]),
        ("update", &[("read_database", all), ("write_database", all)]),
        ("store", &[("write_database", all)]),
        ("task", &[("read_context", &["field1", "field2", "field3"]), ("write_context", &["field1", "field2"])]),
    ];
    for (node, expected) in cases {
        let file = format!("{MODEL}\nTask {node} {{ prompt: \"Work\"; }}");
        let (builder, model) = recorded(&file, &json!([say("done")]).to_string());
        builder.start_at(node).build().unwrap().run().await.unwrap();
        let requests = model.requests.lock().unwrap();
        let tools: Vec<_> = requests[0].tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect();
        let found: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
        assert_eq!(found, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{node}");
        for ((name, fields), tool) in expected.iter().zip(&tools) {
            let fields_of = &tool["function"]["parameters"]["properties"]["field"]["anyOf"][0]["enum"];
            assert_eq!(*fields_of, json!(fields), "{node} {name}");
        }
        // The address of the database is data, and not part of the instructions.
        assert!(!system_of(&requests[0]).contains("postgres"));
    }
}

/// The node, a call, and whether it is allowed.
#[tokio::test]
async fn the_permission_model_is_enforced() {
    let read = |field: &str| json!({ "field": field });
    let write = |field: &str, value: Value| json!({ "field": field, "value": value });
    let cases = [
        ("query", "read_database", read("connection"), true),
        ("query", "write_database", write("connection", json!("x")), false),
        ("update", "read_database", read("schema"), true),
        ("update", "write_database", write("schema", json!({ "a": 1 })), true),
        ("update", "write_database", write("schema", json!("{}")), false),
        ("store", "write_database", write("connection", json!("x")), true),
        ("store", "read_database", read("connection"), false),
        ("task", "write_context", write("field1", json!(1)), true),
        ("task", "write_context", write("field2", json!(1)), true),
        ("task", "write_context", write("field3", json!(1)), false),
        ("task", "write_context", write("Field1", json!(1)), false),
        ("task", "read_context", read("field3"), true),
        ("task", "read_context", read("field4"), false),
        ("task", "read_database", json!({}), false),
    ];
    for (node, tool, arguments, is_allowed) in cases {
        let file = format!("{MODEL}\nTask {node} {{ prompt: \"Work\"; }}");
        let script = json!([call(tool, arguments.clone()), say("done")]);
        let (builder, model) = recorded(&file, &script.to_string());
        let done = builder.start_at(node).build().unwrap().run().await.unwrap();
        let case = format!("{node}: {tool}({arguments})");
        let output = model.requests.lock().unwrap()[1].messages.last().unwrap().text().into_owned();
        let is_refused = output.contains("may not") || output.contains("no tool") || output.contains("has the type");
        assert_eq!(!is_refused, is_allowed, "{case}: {output}");
        let writes = usize::from(is_allowed && tool.starts_with("write_"));
        assert_eq!(done.history.steps[0].writes.len(), writes, "{case}");
        assert!(!(is_refused && output.contains("postgres")), "{case}: {output}");
    }
}

#[tokio::test]
async fn a_node_with_meta_may_construct_tools_and_change_the_machine() {
    let better =
        format!("{META}\nState handled; optimizer -when: \"errorCount > 0\"-> handled; optimizer -> done; End done;");
    let script = json!([
        call("list_available_tools", json!({})),
        call("update_definition", json!({ "definition": better, "reason": "handle errors" })),
        say("done"),
    ]);
    let (builder, model) = recorded(META, &script.to_string());
    let done = builder.build().unwrap().run().await.unwrap();
    let meta = [
        "construct_tool",
        "list_available_tools",
        "propose_tool_improvement",
        "get_machine_definition",
        "get_tool_nodes",
        "build_tool_from_node",
        "update_definition",
    ];
    assert_eq!(model.tools()[0], meta);
    assert_eq!(trace(&done.history), ["optimizer", "done"]);
    assert_eq!(done.history.steps[0].mutations[0].kind, "update_definition");
    // "When a task node has `meta: true`": without it, there are none.
    let (builder, model) = recorded(&META.replace("meta: true;", ""), &json!([say("done")]).to_string());
    builder.build().unwrap().run().await.unwrap();
    assert_eq!(model.tools(), [Vec::<String>::new()]);
}

/// The document lists three strategies. Its code is JavaScript, which is refused: "Agent provides executable code" names no
/// language, and this machine executes Rhai, or no code without the feature `code`.
#[tokio::test]
async fn tools_are_constructed_by_strategy() {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let construct = |name: &str, strategy: &str, details: &str| {
        let arguments = json!({
            "name": name, "description": "A tool", "input_schema": schema,
            "output_schema": schema,
            "implementation_strategy": strategy, "implementation_details": details,
        });
        call("construct_tool", arguments)
    };
    let script = json!([
        construct("analyze_sentiment", "agent_backed", "Rate the text"),
        construct("calculate_score", "code_generation", "async (input) => { return input.x * 0.8; }"),
        construct("twice", "composition", "analyze_sentiment -> analyze_sentiment"),
        construct("other", "composition", "validate_input -> write_output"),
        say("done"),
    ]);
    let (builder, _) = recorded(META, &script.to_string());
    let done = builder.build().unwrap().run().await.unwrap();
    let names: Vec<_> = done.state.constructed_tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["analyze_sentiment", "twice"]);
    assert_eq!(done.history.summary.tools_constructed, 2);
}

/// The steps under "Execution Flow", one by one.
#[tokio::test]
async fn the_pipeline_flows_as_the_document_says() {
    let metrics = |quality: f64| call("write_output", json!({ "field": "metrics", "value": { "quality": quality } }));
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let construct = json!({
        "name": "analyze_sentiment", "description": "Rates a text.", "input_schema": schema,
        "implementation_strategy": "agent_backed", "implementation_details": "Rate the text.",
    });
    let improvement = json!({
        "tool_name": "analyze_sentiment", "rationale": "0.85 is too low", "implementation_details": "Rate it from -1 to 1.",
    });
    let script = json!([
        // 2 and 3: the agent loads the input, and chooses the way.
        call("read_input", json!({})),
        take("process"),
        // 4: there is no tool, so it constructs one and uses it.
        call("construct_tool", construct),
        call("analyze_sentiment", json!({ "text": "good" })),
        say("0.85"),
        metrics(0.85),
        take("optimizing"),
        // 5: the quality is too low for the automatic edge. "Meta tools (when `meta: true`)": `optimizing` has no `meta`, so it
        // proposes nothing, and writes into the registry instead.
        call("propose_tool_improvement", improvement.clone()),
        call("write_toolRegistry", json!({ "field": "customTools", "value": ["analyze_sentiment: improve"] })),
        take("process"),
        // 6: the second time, with the improved tool.
        call("read_toolRegistry", json!({})),
        call("propose_tool_improvement", improvement),
        call("analyze_sentiment", json!({ "text": "good" })),
        say("0.92"),
        metrics(0.92),
        take("optimizing"),
    ]);
    let (builder, model) = recorded(PIPELINE, &script.to_string());
    let done = builder.until("idle", 2).build().unwrap().run().await.unwrap();
    assert_eq!(
        trace(&done.history),
        ["idle", "ingest*", "process*", "optimizing*", "process*", "optimizing", "complete", "idle"]
    );
    let asked: Vec<_> = done.history.steps.iter().map(|step| step.agent_invocation.is_some()).collect();
    // 1, 7 and 8 are automatic: the agent is not asked.
    assert_eq!(asked, [false, true, true, true, true, false, false, false]);
    let mutations = |at: usize| done.history.steps[at].mutations.iter().map(|one| one.kind.clone()).collect::<Vec<_>>();
    assert_eq!((mutations(2), mutations(3)), (vec!["construct_tool".to_owned()], vec![]));
    assert_eq!(mutations(4), ["propose_tool_improvement"]);

    let tools = model.tools();
    assert_eq!(tools[0], ["transition_to_process", "read_input"]);
    let of_process = ["transition_to_optimizing", "transition_to_complete"];
    assert_eq!(tools[2][..2], of_process);
    for name in ["read_input", "read_output", "write_output", "write_toolRegistry", "construct_tool"] {
        assert!(tools[2].iter().any(|tool| tool == name), "{name}: {:?}", tools[2]);
    }
    assert!(!tools[2].iter().any(|tool| tool == "write_input" || tool == "analyze_sentiment"));
    let optimizing = tools
        .iter()
        .find(|tools| tools.contains(&"read_toolRegistry".to_owned()) && !tools.contains(&"construct_tool".to_owned()))
        .unwrap();
    assert_eq!(optimizing[..], ["transition_to_process", "read_output", "read_toolRegistry", "write_toolRegistry"]);
    // The model behind an agent-backed tool has the instructions of the tool, and no tools.
    let inner: Vec<_> = tools.iter().zip(model.systems()).filter(|(tools, _)| tools.is_empty()).collect();
    assert_eq!(inner.len(), 2);
    assert!(inner[0].1.contains("Rate the text.") && inner[1].1.contains("Rate it from -1 to 1."));
}

#[tokio::test]
async fn parallel_tasks_are_joined() {
    let (builder, model) = recorded(PARALLEL, &json!([say("analyzed"), say("validated")]).to_string());
    let done = builder.build().unwrap().run().await.unwrap();
    let outcomes: Vec<_> = done.history.steps.iter().map(|step| step.outcome).collect();
    assert_eq!(outcomes, [StepOutcome::Forked, StepOutcome::Waits, StepOutcome::Waits, StepOutcome::Ended]);
    assert_eq!(done.history.steps[0].next_nodes, ["analyze", "validate"]);
    assert_eq!(done.ended_at, ["mergeResults"]);
    assert_eq!(done.state.visits("mergeResults"), 1);
    // Each agent sees its own objective.
    let mut objectives: Vec<_> = model
        .requests
        .lock()
        .unwrap()
        .iter()
        .map(|request| request.messages.last().unwrap().text().into_owned())
        .collect();
    objectives.sort();
    assert_eq!(objectives, ["Analyze", "Validate"]);
}

#[tokio::test]
async fn nodes_share_an_agent_by_its_name() {
    let file = format!(
        "{SHARED}\nTask check {{ agent: analyzer; prompt: \"Check\"; }} Task alone {{ prompt: \"Alone\"; }} process -> alone -> check;"
    );
    let (builder, model) = recorded(&file, &json!([say("one"), say("two"), say("three")]).to_string());
    builder.build().unwrap().run().await.unwrap();
    let requests = model.requests.lock().unwrap();
    let said = |at: usize| {
        let others = requests[at].messages.iter().filter(|message| message.role != exo_rails::message::Role::System);
        others.map(|message| message.text().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(said(0), ["Process as the analyzer"]);
    assert_eq!(said(1), ["Alone"]);
    assert_eq!(said(2), ["Process as the analyzer", "one", "Check"]);
}
