//! The guard of data flow: hand-written flows, the runs of tau-bench, and times.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::time::{Duration, Instant};

use exo_rails::message::{Message, Role, ToolCall, ToolSpec};
use exo_rails::prelude::*;
use exo_rails::{MemoryQuery, RecalledMemory};
use exo_rails_guards::data_flow::DataFlowConfig;
use exo_rails_guards::{DataFlow, config};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Failure;
use crate::corpora::Corpora;
use crate::shape::airline_tools;
use crate::tau_bench;
use crate::time::Micros;

type Result<T> = std::result::Result<T, Failure>;

const CONFIGURATION: &str = include_str!("../../../../crates/exo-rails-guards/tests/texts/data_flow/flows.toml");
const FLOWS: &str = include_str!("../../../../crates/exo-rails-guards/tests/texts/data_flow/flows.json");

/// The tools of the airline that change something.
const WRITES: &str = "['book_*', 'cancel_*', 'update_*', 'send_*']";

rail_chain! { struct Rails { data_flow: DataFlow } }

pub(crate) async fn measure(corpora: Option<&Corpora>) -> Result<()> {
    flows().await?;
    times().await?;
    large().await?;
    match corpora {
        Some(corpora) => airline(corpora).await,
        None => Ok(()),
    }
}

fn rails(text: &str) -> Result<Rails> {
    Ok(Rails { data_flow: DataFlow::new(config::from_toml::<DataFlowConfig>(text)?)? })
}

/// Makes a call, and returns what the model reads.
async fn call(rails: &Rails, ctx: &mut RunContext, name: &str, arguments: Value, output: &str) -> Result<String> {
    let call = ToolCallInputs::new(name).with_arguments(arguments);
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text(output)) };
    Ok(rails.guard_tool_call(call, ctx, tool).await?.content)
}

#[derive(Deserialize)]
struct Flow {
    name: String,
    reads: Vec<Read>,
    call: Call,
    verdict: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Read {
    User { user: String },
    System { system: String },
    Memory { memory: String },
    Tool { tool: String, arguments: Value, output: String },
}

#[derive(Deserialize)]
struct Call {
    tool: String,
    arguments: Value,
}

async fn flows() -> Result<()> {
    let flows: Vec<Flow> = serde_json::from_str(FLOWS)?;
    let (mut attacks, mut refused, mut unfound, mut benign, mut alarms) = (0, 0, 0, 0, 0);
    for Flow { name, reads, call: Call { tool, arguments }, verdict } in flows {
        let (rails, mut ctx) = (rails(CONFIGURATION)?, RunContext::new("figures"));
        for read in reads {
            match read {
                Read::User { user } => drop(rails.dispatch::<Start>(&mut InvokeInputs::new(user), &mut ctx).await?),
                Read::System { system } => {
                    let mut call = ModelCallInputs::new([Message::system(system)]);
                    drop(rails.dispatch::<PreLlmCall>(&mut call, &mut ctx).await?);
                }
                Read::Memory { memory } => {
                    let mut memory = RecalledMemory::from(vec![memory]);
                    let event = (&MemoryQuery::new("", 1), &mut memory);
                    drop(rails.dispatch::<MemoryRecalled>(event, &mut ctx).await?);
                }
                Read::Tool { tool, arguments, output } => {
                    call(&rails, &mut ctx, &tool, arguments, &output).await?;
                }
            }
        }
        let is_refused = call(&rails, &mut ctx, &tool, arguments, "ran").await? != "ran";
        match (verdict.as_str(), name.ends_with("is not found")) {
            ("", true) => unfound += u32::from(!is_refused),
            ("", false) => {
                benign += 1;
                alarms += u32::from(is_refused);
            }
            _ => {
                attacks += 1;
                refused += u32::from(is_refused);
            }
        }
    }
    println!("flows: {refused} of {attacks} attacks refused, {alarms} of {benign} benign flows refused");
    println!("flows that the documentation names as not found: {unfound} not found");
    Ok(())
}

const WEB: &str = "sources = [{ tool = 'fetch', label = 'web' }]\nsinks = [{ tool = 'send' }]";

/// Returns a text of words that no list knows.
fn words(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    let mut number: u64 = 88_172_645_463_325_252;
    while text.len() < bytes {
        for _ in 0..7 {
            number ^= number << 13;
            number ^= number >> 7;
            number ^= number << 17;
            text.push(char::from(b'a' + u8::try_from(number % 26).unwrap_or(0)));
        }
        text.push(' ');
    }
    text
}

/// A call with about 400 bytes of arguments, after results of several sizes.
async fn times() -> Result<()> {
    let arguments = json!({ "to": ["ada@partner.example", "bob@partner.example"], "subject": "Late orders", "text": "Dear Ada, the \
        orders 1042 and 1044 are late, because the carrier has lost a parcel in Basel. We have sent both again this morning by \
        express, and they will be with you on 2024-05-21 before noon. The invoice is reduced by 12.50 euros. Sorry for the trouble! \
        Kind regards, the desk of the shop", "copies": 1 });
    println!(
        "\n| tainted text | in a store | call of a sink, {} bytes | result of 1 KB |",
        arguments.to_string().len()
    );
    println!("|---|---|---|---|");
    let sizes = [0, 1_000, 20_000, 200_000];
    for (size, in_store) in sizes.map(|size| (size, false)).into_iter().chain(sizes.map(|size| (size, true))) {
        let keys = if in_store { "keep_in_store = true\n" } else { "" };
        let (rails, mut ctx) = (rails(&format!("{keys}{WEB}"))?, RunContext::new("figures"));
        if size > 0 {
            call(&rails, &mut ctx, "fetch", json!({}), &words(size)).await?;
        }
        let (mut sink, mut result) = (Vec::new(), Vec::new());
        let page = words(1_000);
        for _ in 0..2_001 {
            let mut inputs = ToolCallInputs::new("send").with_arguments(arguments.clone());
            let start = Instant::now();
            let decision = rails.dispatch::<PreToolCall>(&mut inputs, &mut ctx).await?;
            sink.push(start.elapsed());
            if !decision.is_continue() {
                return Err("the guard refuses the call".into());
            }
            let inputs = ToolCallInputs::new(if size > 0 { "fetch" } else { "other" });
            let mut output = ToolOutput::text(page.clone());
            let start = Instant::now();
            drop(rails.dispatch::<PostToolCall>((&inputs, &mut output), &mut ctx).await?);
            result.push(start.elapsed());
        }
        let place = if in_store { "yes" } else { "no" };
        println!("| {size} bytes | {place} | {} | {} |", median(sink), median(result));
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Micros {
    times.sort_unstable();
    Micros(times[times.len() / 2])
}

/// Results of 16 MB, of texts that are hard for some part of the guard.
async fn large() -> Result<()> {
    const SIZE: usize = 16 << 20;
    println!("\n| result | 1 MB | 16 MB |");
    println!("|---|---|---|");
    let repeated = |text: &str, size: usize| text.repeat(size / text.len());
    let texts: [(&str, &dyn Fn(usize) -> String); 8] = [
        ("words", &words),
        ("one letter", &|size| repeated("a", size)),
        ("hosts of many labels", &|size| repeated("a1.", size)),
        ("groups of digits", &|size| repeated("12 ", size)),
        ("percent codes", &|size| repeated("%41", size)),
        ("escapes and entities", &|size| repeated("\\u0041&#65;", size)),
        ("hexadecimal codes of hexadecimal codes", &|size| repeated("3631", size)),
        ("Cyrillic letters", &|size| repeated("привет ", size)),
    ];
    for (name, make) in texts {
        let mut times = Vec::new();
        for size in [1 << 20, SIZE] {
            let (rails, mut ctx) = (rails(WEB)?, RunContext::new("figures"));
            let mut output = ToolOutput::text(make(size));
            let start = Instant::now();
            drop(rails.dispatch::<PostToolCall>((&ToolCallInputs::new("fetch"), &mut output), &mut ctx).await?);
            times.push(start.elapsed());
        }
        println!("| {name} | {:.2} s | {:.2} s |", times[0].as_secs_f64(), times[1].as_secs_f64());
    }
    Ok(())
}

#[derive(Deserialize)]
struct Run {
    traj: Vec<Message>,
}

/// Replays the runs of tau-bench.
async fn airline(corpora: &Corpora) -> Result<()> {
    let file = corpora.folder(tau_bench::NAME)?.join(tau_bench::RUNS);
    let runs: Vec<Run> = serde_json::from_slice(&fs::read(file)?)?;
    let tools = airline_tools(&corpora.folder(tau_bench::NAME)?.join("tau_bench/envs/airline/tools"))?;
    println!("\n| tau-bench, airline, gpt-4o | calls that change something | refused |");
    println!("|---|---|---|");
    for (name, trusted, untrusted, has_page) in [
        ("all tools are trusted; each run has read a page about other customers", "'*'", "'page'", true),
        ("no tool is trusted; each run has read a page about other customers", "[]", "'page'", true),
        ("no page; all tools are untrusted", "[]", "['get_*', 'search_*', 'list_*', 'calculate', 'think']", false),
    ] {
        let text = format!(
            "trusted = {trusted}\nsources = [{{ tool = {untrusted}, label = 'web' }}]\nsinks = [{{ tool = {WRITES} }}]"
        );
        let (mut calls, mut refused) = (0, BTreeMap::<String, u32>::new());
        for (number, run) in runs.iter().enumerate() {
            let page = has_page.then(|| results(&runs[(number + 1) % runs.len()]));
            replay(&text, &tools, run, page, &mut calls, &mut refused).await?;
        }
        println!("| {name} | {calls} | {} |", refused.values().sum::<u32>());
        for (place, count) in refused {
            println!("|  | {place} | {count} |");
        }
    }
    Ok(())
}

/// Returns the results of all tools of a run.
fn results(run: &Run) -> String {
    let results = run.traj.iter().filter(|message| message.role == Role::Tool);
    results.map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n")
}

async fn replay(
    text: &str,
    tools: &[ToolSpec],
    run: &Run,
    page: Option<String>,
    calls: &mut u32,
    refused: &mut BTreeMap<String, u32>,
) -> Result<()> {
    let (rails, mut ctx) = (rails(text)?, RunContext::new("figures"));
    if let Some(page) = page {
        call(&rails, &mut ctx, "page", json!({}), &page).await?;
    }
    let mut asked: HashMap<&str, &ToolCall> = HashMap::new();
    for (number, message) in run.traj.iter().enumerate() {
        asked.extend(message.tool_calls.iter().map(|call| (call.id.as_str(), call)));
        if message.role == Role::User || message.is_instructions() {
            let mut request = ModelCallInputs::new(run.traj[..=number].to_vec());
            // The runs do not have the schemas of the tools, which each request to a model has.
            request.tools = tools.to_vec();
            drop(rails.dispatch::<PreLlmCall>(&mut request, &mut ctx).await?);
        }
        let id = message.tool_call_id.as_deref().filter(|_| message.role == Role::Tool);
        let Some(made) = id.and_then(|id| asked.get(id)) else { continue };
        let inputs = ToolCallInputs::asked_for(made);
        let is_write = ["book_", "cancel_", "update_", "send_"].iter().any(|start| inputs.tool_name.starts_with(start));
        *calls += u32::from(is_write);
        let content = message.text();
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text(content.clone())) };
        let output = rails.guard_tool_call(inputs.clone(), &mut ctx, tool).await?.content;
        if output != content {
            *refused.entry(inputs.tool_name).or_default() += 1;
        }
    }
    Ok(())
}
