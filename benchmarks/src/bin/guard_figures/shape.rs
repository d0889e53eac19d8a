//! The guards of shapes: the JSON Schema test suite, and the tool calls of tau-bench.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use exo_rails::message::{Message, Role, ToolCall, ToolSpec};
use exo_rails::prelude::*;
use exo_rails_guards::CapabilityGap;
use exo_rails_guards::Sizes;
use exo_rails_guards::Structure;
use exo_rails_guards::StructuredAnswer;
use exo_rails_guards::ToolSchemas;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::corpora::Corpora;
use crate::tau_bench;
use crate::time::Micros;

type Result<T> = std::result::Result<T, Failure>;

pub(crate) async fn measure(corpora: Option<&Corpora>) -> Result<()> {
    times().await?;
    let Some(corpora) = corpora else { return Ok(()) };
    println!("\n## `structured_answer` and `tool_schemas`: JSON-Schema-Test-Suite, draft 2020-12\n");
    println!("| tests | count | right | wrongly accepted | wrongly refused | schema refused |");
    println!("|---|---|---|---|---|---|");
    let suite = corpora.folder("JSON-Schema-Test-Suite")?.join("tests/draft2020-12");
    let rows = [("required", suite.clone(), false), ("optional", suite.join("optional"), false)];
    let formats = [("formats, with `check_formats`", suite.join("optional/format"), true)];
    let mut notes = Vec::new();
    for (name, folder, check_formats) in rows.into_iter().chain(formats) {
        let counts = suite_of(&folder, check_formats, &mut notes).await?;
        let Counts { right, accepted, refused, bad_schema } = counts;
        let all = right + accepted + refused + bad_schema;
        println!("| {name} | {all} | {right} | {accepted} | {refused} | {bad_schema} |");
    }
    println!("\nThe differences, by file and group:\n");
    for (note, count) in notes.into_iter().fold(BTreeMap::new(), counted) {
        println!("- {count} × {note}");
    }
    recorded_calls(&corpora.folder(tau_bench::NAME)?).await
}

/// Measures a call with five arguments, after an answer that made the call.
async fn times() -> Result<()> {
    let arguments = json!({ "from": "ZRH", "to": "JFK", "day": "2024-05-20", "seats": 2, "baggage": [{ "kg": 23 }] });
    let tool = json!({ "type": "function", "function": { "name": "search", "description": "", "parameters": {
        "type": "object", "required": ["from", "to", "day"], "additionalProperties": false, "properties": {
            "from": { "type": "string", "pattern": "^[A-Z]{3}$" }, "to": { "type": "string" }, "day": { "type": "string" },
            "seats": { "type": "integer", "minimum": 1 },
            "baggage": { "type": "array", "items": { "type": "object", "properties": { "kg": { "type": "number" } } } },
        },
    } } });
    let asked =
        json!({ "id": "1", "type": "function", "function": { "name": "search", "arguments": arguments.to_string() } });
    let message: Message =
        serde_json::from_value(json!({ "role": "assistant", "content": null, "tool_calls": [asked] }))?;
    let rails = guards()?;
    let mut ctx = RunContext::new("figures");
    let request = ModelCallInputs { tools: vec![serde_json::from_value(tool)?], ..ModelCallInputs::default() };
    let call = ToolCallInputs::asked_for(&message.tool_calls[0]);
    let response = ModelResponse { message, ..ModelResponse::default() };
    let model = |_| {
        let response = response.clone();
        async { Ok::<_, OperationError>(response) }
    };
    rails.guard_llm_call(request, &mut ctx, model).await?;
    let mut times = Vec::new();
    for _ in 0..2_001 {
        let (call, start) = (call.clone(), Instant::now());
        let output =
            rails.guard_tool_call(call, &mut ctx, |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) });
        if output.await?.content != "ran" {
            return Err("the guards refuse the call".into());
        }
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!("four guards, a call of a tool with a schema: {}", Micros(times[times.len() / 2]));
    Ok(())
}

fn counted(mut counts: BTreeMap<String, u32>, note: String) -> BTreeMap<String, u32> {
    *counts.entry(note).or_default() += 1;
    counts
}

#[derive(Default)]
struct Counts {
    right: u32,
    accepted: u32,
    refused: u32,
    bad_schema: u32,
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    data: Value,
    valid: bool,
}

rail_chain! { struct Answers { answer: StructuredAnswer } }

/// Runs every test of a folder through the guard: the data is the answer of a model.
async fn suite_of(folder: &Path, check_formats: bool, notes: &mut Vec<String>) -> Result<Counts> {
    let mut counts = Counts::default();
    for file in json_files(folder)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let groups: Vec<Group> = serde_json::from_slice(&fs::read(&file)?)?;
        for group in groups {
            let guard = StructuredAnswer::builder().schema(group.schema).check_formats(check_formats).max_feedback(0);
            let Ok(answer) = guard.build() else {
                counts.bad_schema += u32::try_from(group.tests.len())?;
                notes.push(format!("{name}: {}: schema refused", group.description));
                continue;
            };
            let rails = Answers { answer };
            for case in group.tests {
                let is_valid = is_accepted(&rails, case.data.to_string()).await;
                let (count, what) = match (case.valid, is_valid) {
                    (true, true) | (false, false) => (&mut counts.right, None),
                    (false, true) => (&mut counts.accepted, Some("wrongly accepted")),
                    (true, false) => (&mut counts.refused, Some("wrongly refused")),
                };
                *count += 1;
                notes.extend(what.map(|what| format!("{name}: {}: {what}", group.description)));
            }
        }
    }
    Ok(counts)
}

async fn is_accepted(rails: &Answers, answer: String) -> bool {
    let model = |_| {
        let answer = answer.clone();
        async { Ok::<_, OperationError>(ModelResponse::text(answer)) }
    };
    rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("figures"), model).await.is_ok()
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut files: Vec<_> =
        files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    Ok(files)
}

#[derive(Deserialize)]
struct Run {
    traj: Vec<Message>,
}

rail_chain! { struct Guards { sizes: Sizes, gap: CapabilityGap, structure: Structure, schemas: ToolSchemas } }

/// What happened to the answers and calls of a corpus.
#[derive(Default)]
struct Counted {
    answers: u32,
    refused_answers: u32,
    calls: u32,
    refused_calls: u32,
    reasons: Vec<String>,
}

/// Runs the recorded tool calls of real work through the guards, and then the same calls with a mistake in each.
async fn recorded_calls(folder: &Path) -> Result<()> {
    let runs: Vec<Run> = serde_json::from_slice(&fs::read(folder.join(tau_bench::RUNS))?)?;
    let tools = airline_tools(&folder.join("tau_bench/envs/airline/tools"))?;
    let answers = runs.iter().flat_map(|run| &run.traj);
    let answers: Vec<&Message> =
        answers.filter(|message| message.role == Role::Assistant && !message.tool_calls.is_empty()).collect();

    println!("\n## `sizes`, `capability_gap`, `structure`, `tool_schemas`: the calls of tau-bench, airline, gpt-4o\n");
    println!("| calls | answers | refused answers | calls | refused calls | refused |");
    println!("|---|---|---|---|---|---|");
    let recorded = calls_of(&answers, &tools, |_, _| true).await?;
    row("as recorded", &recorded);
    for (name, change) in mistakes() {
        row(name, &calls_of(&answers, &tools, change).await?);
    }
    println!("\nReasons for the recorded calls:\n");
    for (reason, count) in recorded.reasons.into_iter().fold(BTreeMap::new(), counted) {
        println!("- {count} × {reason}");
    }
    Ok(())
}

fn row(name: &str, calls: &Counted) {
    let Counted { answers, refused_answers, calls, refused_calls, .. } = calls;
    let refused = refused_answers + refused_calls;
    let share = f64::from(refused) * 100.0 / f64::from(refused_answers + calls).max(1.0);
    println!("| {name} | {answers} | {refused_answers} | {calls} | {refused_calls} | {share:.1} % |");
}

/// A change of a call. Returns whether the call has a place for it.
type Change = fn(&mut ToolCall, &ToolSpec) -> bool;

fn mistakes() -> [(&'static str, Change); 9] {
    [
        ("a required argument is missing", |call, tool| {
            let required = tool.function.parameters["required"].as_array().cloned().unwrap_or_default();
            let Some(name) = required.last().and_then(Value::as_str) else { return false };
            change_arguments(call, |arguments| arguments.remove(name).is_some())
        }),
        ("an argument has another type", |call, tool| {
            let properties = tool.function.parameters["properties"].as_object().cloned().unwrap_or_default();
            change_arguments(call, |arguments| {
                let Some((name, value)) = arguments.iter_mut().find(|(name, _)| properties.contains_key(*name)) else {
                    return false;
                };
                *value = if properties[name]["type"] == "object" { json!("text") } else { json!({ "value": 1 }) };
                true
            })
        }),
        ("an argument is not one of the known values", |call, tool| {
            let properties = tool.function.parameters["properties"].as_object().cloned().unwrap_or_default();
            change_arguments(call, |arguments| {
                let value =
                    arguments.iter_mut().find(|(name, _)| properties.get(*name).is_some_and(|p| p["enum"].is_array()));
                value.map(|(_, value)| *value = json!("something_else")).is_some()
            })
        }),
        ("the arguments are JSON in a text", |call, _| {
            let text = Value::String(call.function.arguments.clone()).to_string();
            call.function.arguments = text;
            true
        }),
        ("the arguments break off", |call, _| call.function.arguments.pop().is_some()),
        ("the name begins with `functions.`", |call, _| {
            call.function.name.insert_str(0, "functions.");
            true
        }),
        ("the name is in camel case", |call, _| {
            let (first, rest) = call.function.name.split_once('_').unwrap_or((&call.function.name, ""));
            let mut letters = rest.chars();
            let Some(capital) = letters.next() else { return false };
            call.function.name = format!("{first}{}{}", capital.to_uppercase(), letters.as_str());
            true
        }),
        ("the id is missing", |call, _| {
            call.id.clear();
            true
        }),
        ("the arguments are nested 40 levels deep", |call, _| {
            let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
            change_arguments(call, |arguments| arguments.insert("filter".to_owned(), deep).is_none())
        }),
    ]
}

fn change_arguments(call: &mut ToolCall, change: impl FnOnce(&mut Map<String, Value>) -> bool) -> bool {
    let Ok(mut arguments) = serde_json::from_str::<Map<String, Value>>(&call.function.arguments) else { return false };
    let is_changed = change(&mut arguments);
    call.function.arguments = Value::Object(arguments).to_string();
    is_changed
}

fn guards() -> Result<Guards> {
    Ok(Guards {
        sizes: Sizes::builder().max_feedback(0).build()?,
        gap: CapabilityGap::builder().build()?,
        structure: Structure::builder().max_feedback(0).build()?,
        schemas: ToolSchemas::builder().build()?,
    })
}

/// Runs the answers through the guards, each with a changed first call. Answers that cannot be changed are left out.
async fn calls_of(answers: &[&Message], tools: &[ToolSpec], change: Change) -> Result<Counted> {
    let mut counts = Counted::default();
    let rails = guards()?;
    for message in answers {
        let mut message = Message::clone(message);
        let name = message.tool_calls[0].function.name.clone();
        let tool = tools.iter().find(|tool| tool.function.name == name).or(tools.first()).ok_or("no tools")?;
        if !change(&mut message.tool_calls[0], tool) {
            continue;
        }
        counts.answers += 1;
        let mut ctx = RunContext::new("figures");
        let response =
            ModelResponse { message, finish_reason: Some("tool_calls".to_owned()), ..ModelResponse::default() };
        let request = ModelCallInputs { tools: tools.to_vec(), ..ModelCallInputs::default() };
        let model = |_| {
            let response = response.clone();
            async { Ok::<_, OperationError>(response) }
        };
        let response = match rails.guard_llm_call(request, &mut ctx, model).await {
            Ok(response) => response,
            Err(error) => {
                counts.refused_answers += 1;
                counts.reasons.push(error.to_string());
                continue;
            }
        };
        for call in &response.message.tool_calls {
            counts.calls += 1;
            let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) };
            let output = rails.guard_tool_call(ToolCallInputs::asked_for(call), &mut ctx, tool).await?;
            if output.content != "ran" {
                counts.refused_calls += 1;
                counts.reasons.push(output.content);
            }
        }
    }
    Ok(counts)
}

/// Prints the dictionary that each tool returns as JSON. The tools are Python, and their descriptions are literals.
const READ_TOOLS: &str = "
import ast, json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).glob('*.py')):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name == 'get_info':
            print(json.dumps(ast.literal_eval(node.body[-1].value)))
";

pub(crate) fn airline_tools(folder: &Path) -> Result<Vec<ToolSpec>> {
    let output = Command::new("python3").arg("-c").arg(READ_TOOLS).arg(folder).output()?;
    if !output.status.success() {
        return Err(format!("python3 cannot read the tools in {}", folder.display()).into());
    }
    String::from_utf8(output.stdout)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}
