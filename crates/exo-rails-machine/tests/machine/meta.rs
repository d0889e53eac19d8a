//! Agents that construct tools and change the machine.

use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails_machine::{Executor, Implementation, MachineState, Transition};
use serde_json::{Value, json};

use crate::helper::{Answers, go, machine, run, trace};
use crate::resume::Saved;

const META: &str = "Context c { n<number>: 0; text<string>: \"\"; } Task t { prompt: \"x\"; meta: true; } End e; t -writes-> c; t -> e;";

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "call": [{ "tool": tool, "arguments": arguments }] })
}

fn construct(name: &str, strategy: &str, details: &str) -> Value {
    let arguments = json!({
        "name": name, "description": "d", "input_schema": { "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] },
        "implementation_strategy": strategy, "implementation_details": details,
    });
    call("construct_tool", arguments)
}

/// Returns the outputs of the tools of the first step.
async fn outputs(file: &str, script: Vec<Value>) -> Vec<String> {
    let mut script = script;
    script.push(json!({ "say": "done" }));
    let done = run(file, &Value::from(script).to_string()).await.unwrap();
    let said = done.history.steps[0].agent_invocation.clone().unwrap().conversation_history;
    let outputs = said.iter().filter(|said| said.role == "user" && said.content != "x");
    outputs.filter(|said| !said.content.starts_with("The tools of")).map(|said| said.content.clone()).collect()
}

fn double() -> Tool {
    let schema = json!({ "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] });
    Tool::new("double", "Doubles.", schema, |arguments: Value| async move {
        Ok::<_, OperationError>((arguments["x"].as_f64().unwrap_or_default() * 2.0).to_string())
    })
}

/// What a model reads if it left out the argument `x`.
const MISSING: &str = "\"x\" is a required property";

#[tokio::test]
async fn nodes_without_meta_have_no_meta_tools() {
    let outputs = outputs("Task t { prompt: \"x\"; } End e; t -> e;", vec![construct("a", "agent_backed", "b")]).await;
    assert!(outputs[0].contains("there is no tool `construct_tool`"), "{outputs:?}");
}

#[tokio::test]
async fn a_tool_is_constructed_improved_and_used_in_one_visit() {
    let script = json!([
        construct("rate", "agent_backed", "Rate x."),
        call("rate", json!({ "x": 3 })),
        { "say": "0.85" },
        call("propose_tool_improvement", json!({ "tool_name": "rate", "rationale": "too low", "implementation_details": "Rate x better." })),
        call("rate", json!({ "x": 3 })),
        { "say": "0.92" },
        call("rate", json!({ "y": 3 })),
        call("list_available_tools", json!({})),
        { "call": [{ "tool": "transition_to_e", "arguments": { "reason": "good" } }] },
    ]);
    let done = run(META, &script.to_string()).await.unwrap();
    let step = &done.history.steps[0];
    let kinds: Vec<_> = step.mutations.iter().map(|mutation| mutation.kind.as_str()).collect();
    assert_eq!(kinds, ["construct_tool", "propose_tool_improvement"]);
    assert_eq!((done.history.summary.tools_constructed, done.history.summary.tool_improvements_proposed), (1, 1));
    let tool = &done.state.constructed_tools()[0];
    assert_eq!(tool.implementation, Implementation::AgentBacked("Rate x better.".to_owned()));
    assert_eq!(tool.improvements, ["too low"]);
    let said: Vec<_> =
        step.agent_invocation.as_ref().unwrap().conversation_history.iter().map(|said| said.content.as_str()).collect();
    assert!(said.contains(&"0.85") && said.contains(&"0.92"), "{said:#?}");
    assert!(said.iter().any(|said| said.contains(MISSING)), "{said:#?}");
    assert!(said.iter().any(|said| said.contains("\"improvements\":[\"too low\"]")), "{said:#?}");
}

#[tokio::test]
async fn a_constructed_tool_cannot_take_the_name_of_another_tool() {
    let names = ["write_c", "read_x", "transition_to_e", "construct_tool", "a b", "", "double"];
    let script: Vec<_> = names.iter().map(|name| construct(name, "agent_backed", "x")).collect();
    let mut script = script;
    script.push(json!({ "say": "done" }));
    let executor = machine(META, &Value::from(script).to_string()).tool(double()).build().unwrap();
    let done = executor.run().await.unwrap();
    assert!(done.state.constructed_tools().is_empty());
    assert!(done.history.steps[0].mutations.is_empty());
}

#[derive(Clone)]
struct Seen(Arc<Mutex<Vec<String>>>);
#[rail(priority = 20)]
impl Seen {
    #[on(PreToolCall)]
    fn see(&self, call: &ToolCallInputs) {
        self.0.lock().unwrap().push(call.tool_name.clone());
    }
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct SeenRails {
        seen: Seen,
    }
}

#[tokio::test]
async fn a_composition_calls_tools_within_the_permissions_of_the_node_and_under_its_rails() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let script = json!([
        construct("quadruple", "composition", "double -> double"),
        call("quadruple", json!({ "x": 2 })),
        { "say": "done" },
    ]);
    let rails = SeenRails { seen: Seen(Arc::clone(&log)) };
    let executor = machine(META, &script.to_string()).tool(double()).rails(rails).build().unwrap();
    let done = executor.run().await.unwrap();
    let said = done.history.steps[0].agent_invocation.clone().unwrap().conversation_history;
    assert!(said.iter().any(|said| said.content == "8"), "{said:#?}");
    assert_eq!(*log.lock().unwrap(), ["construct_tool", "quadruple", "double", "double"]);
}

#[tokio::test]
async fn the_types_of_a_composition_are_checked() {
    let text = json!({ "type": "object", "properties": { "t": { "type": "string" } }, "required": ["t"] });
    let number = json!({ "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] });
    let tool = |name: &str, input: &Value, output: Value, strategy: &str, details: &str| {
        let arguments = json!({ "name": name, "description": "", "input_schema": input, "output_schema": output, "implementation_strategy": strategy, "implementation_details": details });
        call("construct_tool", arguments)
    };
    let outputs = outputs(
        META,
        vec![
            tool("length", &text, json!({ "type": "integer" }), "agent_backed", "Count."),
            tool("half", &number, json!({ "type": "number" }), "agent_backed", "Halve."),
            tool("half_length", &text, json!({ "type": "number" }), "composition", "length -> half"),
            tool("wrong", &text, json!({}), "composition", "half -> length"),
            tool("worse", &number, json!({}), "composition", "half -> length"),
            tool("missing", &number, json!({}), "composition", "half -> nothing"),
            tool("forward", &number, json!({}), "composition", "transition_to_e"),
            tool("empty", &number, json!({}), "composition", ""),
            call(
                "propose_tool_improvement",
                json!({ "tool_name": "half_length", "rationale": "", "implementation_details": "half_length -> half" }),
            ),
        ],
    )
    .await;
    assert_eq!(outputs[2], "the tool `half_length` is ready");
    for (at, expected) in [
        (3, "`half` does not fit the step before it: `x` is missing"),
        (4, "`length` does not fit the step before it: `t` needs the type string, but gets a number"),
        (5, "there is no tool `nothing` for a composition"),
        (6, "there is no tool `transition_to_e` for a composition"),
        (7, "for `composition`, write the names of tools"),
        (8, "`half_length` would call itself"),
    ] {
        assert!(outputs[at].contains(expected), "{at}: {}", outputs[at]);
    }
}

#[cfg(not(feature = "code"))]
#[tokio::test]
async fn code_is_refused_without_the_feature() {
    let outputs = outputs(META, vec![construct("score", "code_generation", "input.x * 0.8")]).await;
    assert!(outputs[0].contains("this program cannot run code: use `agent_backed` or `composition`"), "{outputs:?}");
}

#[cfg(feature = "code")]
#[tokio::test]
async fn code_runs_in_a_sandbox_with_limits() {
    let outputs = outputs(
        META,
        vec![
            construct("score", "code_generation", "let y = input.x * 0.5; #{ score: y + 1.0 }"),
            call("score", json!({ "x": 3.0 })),
            construct("js", "code_generation", "async (input) => { return input.x * 0.8; }"),
            construct("endless", "code_generation", "loop { }"),
            call("endless", json!({ "x": 1 })),
            construct("large", "code_generation", "let s = \"x\"; loop { s += s; }"),
            call("large", json!({ "x": 1 })),
            construct("list", "code_generation", "let a = []; loop { a.push(1); }"),
            call("list", json!({ "x": 1 })),
            construct("deep", "code_generation", "fn f(n) { f(n + 1) } f(0)"),
            call("deep", json!({ "x": 1 })),
            construct("evil", "code_generation", "eval(\"1\")"),
            construct("files", "code_generation", "import \"std\" as s; s::read(\"/etc/passwd\")"),
        ],
    )
    .await;
    assert_eq!(outputs[1], "{\"score\":2.5}");
    assert!(
        outputs[2].contains("the code is not Rhai") && outputs[2].contains("write Rhai, and no other language"),
        "{}",
        outputs[2]
    );
    for at in [4, 6, 8, 10] {
        assert!(outputs[at].contains("the code failed"), "{at}: {}", outputs[at]);
    }
    for at in [11, 12] {
        assert!(outputs[at].contains("the code is not Rhai"), "{at}: {}", outputs[at]);
    }
}

#[cfg(feature = "code")]
#[tokio::test]
async fn code_cannot_end_the_process_or_wait_or_take_all_memory() {
    let long = "let s = \"x\"; while s.len() < 100000 { s += s; }";
    let programs = [
        ("arrays", "let a = []; for i in 0..1000 { a = [a]; } a".to_owned(), "[[[["),
        ("maps", "let a = #{}; for i in 0..500 { a = #{ a: [a] }; } a.to_string()".to_owned(), "#{"),
        ("without_end", "let a = []; loop { a = [a]; }".to_owned(), "the code failed"),
        ("sleep", "sleep(3600)".to_owned(), "may not sleep"),
        ("rest", "sleep(3600.5)".to_owned(), "may not sleep"),
        ("replace", format!("{long} s.replace(\"x\", s); s.len()"), "too long"),
        ("letters", format!("{long} s.replace('x', s); s.len()"), "too long"),
        ("replaced", "let s = \"a-b\"; s.replace(\"-\", \"+\"); s.replace('a', \"cc\"); s".to_owned(), "cc+b"),
    ];
    let x = json!({ "x": 1 });
    let script =
        programs.iter().flat_map(|(name, code, _)| [construct(name, "code_generation", code), call(name, x.clone())]);
    let begin = std::time::Instant::now();
    let outputs = outputs(META, script.collect()).await;
    for (at, (name, _, expected)) in programs.iter().enumerate() {
        let output = &outputs[at * 2 + 1];
        assert!(output.contains(expected), "{name}: {}", output.get(..200).unwrap_or(output));
    }
    assert!(begin.elapsed() < std::time::Duration::from_mins(1), "{:?}", begin.elapsed());
}

#[tokio::test]
async fn a_tool_node_describes_a_tool_that_an_agent_builds_and_another_node_uses() {
    let file = "Tool rate \"Rates a number\" { parameters: { type: \"object\"; required: [\"x\"]; }; prompt: \"Rate x.\"; }
        Task build { prompt: \"x\"; meta: true; } Task use { prompt: \"Use it\"; } Task other { prompt: \"Other\"; } End e;
        build -> use -> other -> e; use -uses-> rate;";
    let script = json!([
        call("get_tool_nodes", json!({})),
        call("build_tool_from_node", json!({ "node": "rate" })),
        { "say": "built" },
        call("rate", json!({})), call("rate", json!({ "x": 1 })), { "say": "0.9" }, { "say": "used" },
        call("rate", json!({ "x": 1 })), { "say": "no" },
    ]);
    let done = run(file, &script.to_string()).await.unwrap();
    assert_eq!(done.ended_at, ["e"]);
    let said = |at: usize| {
        let said = done.history.steps[at].agent_invocation.clone().unwrap().conversation_history;
        said.iter().map(|said| said.content.clone()).collect::<Vec<_>>().join("\n")
    };
    assert!(said(0).contains("\"node\":\"rate\"") && said(0).contains("the tool `rate` is ready"), "{}", said(0));
    assert!(said(1).contains(MISSING) && said(1).contains("0.9"), "{}", said(1));
    assert!(said(2).contains("there is no tool `rate`"), "{}", said(2));
}

#[tokio::test]
async fn an_agent_constructs_a_tool_whose_node_only_names_it() {
    let file = "Tool rate { description: \"Rates a number\"; } Task build { prompt: \"x\"; meta: true; } Task use { prompt: \"y\"; }
        End e; build -> use -> e; build, use -uses-> rate;";
    let script = json!([
        construct("rate", "agent_backed", "Rate x."), { "say": "built" },
        call("rate", json!({ "x": 1 })), { "say": "0.9" }, { "say": "used" },
    ]);
    let done = run(file, &script.to_string()).await.unwrap();
    assert_eq!(done.ended_at, ["e"]);
    assert_eq!(done.history.steps[1].agent_invocation.as_ref().unwrap().tools_used, ["rate"]);
}

#[tokio::test]
async fn the_machine_is_replaced_only_as_a_whole() {
    let changed = META.replace("t -> e;", "State audit; t -> audit; audit -> e;");
    let update = |definition: &str| call("update_definition", json!({ "definition": definition, "reason": "audit" }));
    let script = json!([
        call("get_machine_definition", json!({})),
        update("Task t { prompt: "),
        update("State s; End e; s -> e;"),
        update(&META.replace("prompt: \\\"x\\\"", "prompt: \\\"{{secret.key}}\\\"").replace("t -> e;", "t -when: \"a = b\"-> e;")),
        update(&changed),
        { "call": [{ "tool": "transition_to_audit", "arguments": { "reason": "new" } }] },
    ]);
    let done = run(META, &script.to_string()).await.unwrap();
    assert_eq!(trace(&done.history), ["t*", "audit", "e"]);
    let step = &done.history.steps[0];
    assert_eq!(step.mutations.len(), 1);
    assert_eq!(step.mutations[0].data["reason"], "audit");
    assert!(done.state.definition().contains("audit"));
    let said = step.agent_invocation.clone().unwrap().conversation_history;
    for expected in [
        "error[syntax]",
        "the machine is at `t`, and the definition has no such node",
        "is not an operator of a condition",
    ] {
        assert!(said.iter().any(|said| said.content.contains(expected)), "{expected}\n{said:#?}");
    }
}

#[tokio::test]
async fn a_changed_machine_is_resumed_as_it_is() {
    let changed = META.replace("t -> e;", "Task audit { prompt: \"Audit\"; } t -> audit; audit -> e, t;");
    let script = json!([call("update_definition", json!({ "definition": changed, "reason": "" })), { "say": "done" }]);
    let saved = Saved::default();
    let executor = machine(META, &script.to_string()).save_to(saved.clone()).build().unwrap();
    let stopped = executor.run().await.unwrap_err();
    assert_eq!(trace(stopped.state.history()), ["t", "audit"], "the script ends at `audit`");
    let state: MachineState =
        serde_json::from_str(&saved.0.lock().unwrap().iter().rev().nth(1).unwrap().clone()).unwrap();
    let again = machine(META, &format!("[{}]", go("e"))).build().unwrap();
    assert_eq!(again.resume(state).unwrap().run().await.unwrap().ended_at, ["e"]);
}

/// The pipeline of the seed, as it is written there.
#[tokio::test]
async fn the_self_improving_pipeline_of_the_seed_runs() {
    let file = r#"
machine "Self-Improving Data Pipeline"
context input { data<array>: "[]"; format<string>: "json"; };
context output { processed<array>: "[]"; metrics<object>: "{}"; };
context toolRegistry { customTools<array>: "[]"; };
State idle; State processing; State optimizing; State complete;
Task ingest { prompt: "Load data from input context"; };
Task process { meta: true; prompt: "Process the data. If no suitable tool exists, construct one."; };
Task optimize { meta: true; prompt: "Review the tools used. Can they be improved?"; };
idle -@auto-> ingest;
ingest -reads-> input;
ingest -> process;
process -reads-> input;
process -writes-> output;
process -writes-> toolRegistry;
process -> optimizing, complete;
optimizing -reads-> toolRegistry;
optimizing -reads-> output;
optimizing -writes-> toolRegistry;
optimizing -when: "metrics.quality > 0.9"-> complete;
optimizing -> process;
complete -@auto-> idle;
"#;
    let metrics = |quality: f64| call("write_output", json!({ "field": "metrics", "value": { "quality": quality } }));
    let go = |target: &str| json!({ "call": [{ "tool": format!("transition_to_{target}"), "arguments": { "reason": "next" } }] });
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let script = json!([
        call("read_input", json!({})), { "say": "loaded" },
        call("construct_tool", json!({ "name": "analyze_sentiment", "description": "Rates a text.", "input_schema": schema, "implementation_strategy": "agent_backed", "implementation_details": "Rate the text." })),
        call("analyze_sentiment", json!({ "text": "good" })), { "say": "0.85" }, metrics(0.85), go("optimizing"),
        call("write_toolRegistry", json!({ "field": "customTools", "value": ["analyze_sentiment"] })), go("process"),
        call("propose_tool_improvement", json!({ "tool_name": "analyze_sentiment", "rationale": "0.85 is too low", "implementation_details": "Rate the text from -1 to 1." })),
        call("analyze_sentiment", json!({ "text": "good" })), { "say": "0.92" }, metrics(0.92), go("optimizing"),
    ]);
    let executor = machine(file, &script.to_string()).until("complete", 1).build().unwrap();
    let done = executor.run().await.unwrap();
    assert_eq!(
        trace(&done.history),
        ["idle", "ingest", "process*", "optimizing*", "process*", "optimizing", "complete"]
    );
    let sums = &done.history.summary;
    assert_eq!((sums.tools_constructed, sums.tool_improvements_proposed, sums.agent_decisions), (1, 1, 3));
    assert_eq!(done.state.contexts().get("output", "metrics"), Some(&json!({ "quality": 0.92 })));
    let json = serde_json::to_value(&done.history).unwrap();
    for name in ["machineTitle", "startTime", "endTime", "status", "steps", "summary"] {
        assert!(json.get(name).is_some(), "{name}");
    }
    let invocation = &json["steps"][2]["agentInvocation"];
    assert_eq!(invocation["transitionChosen"], "optimizing");
    assert_eq!(
        invocation["toolsUsed"],
        json!(["construct_tool", "analyze_sentiment", "write_output", "transition_to_optimizing"])
    );
}

#[tokio::test]
async fn the_step_limit_bounds_the_number_of_constructed_tools() {
    let count = Arc::new(Mutex::new(0));
    let made = Arc::clone(&count);
    let model = Answers::new(move |_: &ModelCallInputs| {
        *made.lock().unwrap() += 1;
        let name = format!("tool{}", made.lock().unwrap());
        crate::helper::calls("construct_tool", construct(&name, "agent_backed", "x")["call"][0]["arguments"].clone())
    });
    let reading = exo_rails_dygram::read("flow.dygram", META);
    let stopped = Executor::builder(&reading.machine, model).build().unwrap().run().await.unwrap_err();
    assert!(stopped.error.to_string().contains("the agent took 50 steps without an answer"), "{stopped}");
    assert_eq!((*count.lock().unwrap(), stopped.state.constructed_tools().len()), (50, 50));
}

#[tokio::test]
async fn a_strict_machine_stays_strict() {
    let machine = |annotation: &str, edge: &str| {
        format!("machine \"M\" {annotation}\nTask t {{ prompt: \"x\"; meta: true; }} End e; t -> e; {edge}")
    };
    let update = |definition: String| call("update_definition", json!({ "definition": definition, "reason": "r" }));
    for annotation in ["", "@StrictMode(false)"] {
        let script = vec![
            update(machine(annotation, "")),
            update(machine(annotation, "t -> undeclared;")),
            call("transition_to_e", json!({ "reason": "r" })),
        ];
        let done = run(&machine("@StrictMode", ""), &Value::from(script).to_string()).await.unwrap();
        assert!(!done.state.definition().contains("undeclared"), "{}", done.state.definition());
    }
}

fn with_schema(name: &str, schema: &Value) -> Value {
    let details = json!({ "name": name, "description": "d", "input_schema": schema,
        "implementation_strategy": "agent_backed", "implementation_details": "Answer." });
    call("construct_tool", details)
}

fn of_x(schema: Value) -> Value {
    json!({ "type": "object", "properties": { "x": schema } })
}

/// Whatever a schema says is checked, or the schema is refused.
#[tokio::test]
async fn no_part_of_a_schema_is_ignored() {
    let cases = [
        (of_x(json!({ "type": "number", "minimum": 3 })), json!({ "x": 2 }), true),
        (of_x(json!({ "type": "string", "pattern": "^a+$" })), json!({ "x": "b" }), true),
        (of_x(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })), json!({ "x": 1 }), true),
        (json!({ "type": "object", "additionalProperties": { "type": "string" } }), json!({ "x": 1 }), true),
        (of_x(json!({ "type": "array", "items": { "enum": [1, 2], "description": "d" } })), json!({ "x": [3] }), true),
        (of_x(json!({ "type": ["string", "null"], "title": "t" })), json!({ "x": 1 }), true),
        (json!({ "required": ["y"] }), json!({ "x": 1 }), true),
        (of_x(json!({ "type": "text" })), json!({}), false),
        (json!({ "required": "x" }), json!({}), false),
        (json!({ "properties": [] }), json!({}), false),
        (json!({ "$ref": "#" }), json!({}), false),
        (of_x(json!({ "$ref": "https://schema.example/x" })), json!({}), false),
        (json!([1]), json!({}), false),
        (json!(null), json!({}), false),
    ];
    let script = cases.iter().enumerate().flat_map(|(at, (schema, arguments, _))| {
        let name = format!("tool{at}");
        [with_schema(&name, schema), call(&name, arguments.clone())]
    });
    let outputs = outputs(META, script.collect()).await;
    for (at, (schema, _, is_ready)) in cases.iter().enumerate() {
        let (constructed, called) = (&outputs[2 * at], &outputs[2 * at + 1]);
        assert_eq!(constructed.contains("is ready"), *is_ready, "{schema}: {constructed}");
        let expected = if *is_ready { "the arguments" } else { "there is no tool" };
        assert!(called.contains(expected) || (*is_ready && called.contains("`x")), "{schema}: {called}");
    }
}
