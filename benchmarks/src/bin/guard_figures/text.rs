//! What the sections about texts share: times, and benign texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use exo_rails::ModelDelta;
use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use futures_util::stream;
use serde_json::{Value, json};

use crate::Failure;
use crate::corpora::Corpora;
use crate::tau_bench;
use crate::time::{Micros, median};

type Result<T> = std::result::Result<T, Failure>;

/// The bytes of a hostile text.
const LARGE: usize = 16 << 20;

/// Measures the time for a tool call, for a chunk, and for large texts that are written against the guard.
pub(crate) async fn times<G>(
    table: &str,
    guard: &G,
    redacted: impl Fn(&G, &str) -> String,
    hostile: &[&str],
) -> Result<()> {
    let kit = Kit::from_toml(&format!("[{table}]"))?;
    println!("## Times\n");
    println!("| work | time |");
    println!("|---|---|");
    let start = Instant::now();
    drop(Kit::from_toml(&format!("[{table}]"))?);
    println!("| making the guard | {} |", Micros(start.elapsed()));
    let prose =
        "The customer called about the order of May, and asked whether the chairs can be delivered on Friday instead.";
    let calls = [
        (
            "a call without anything to find",
            json!({ "customer": "c-1042", "note": prose, "lines": [{ "item": "chair", "count": 2 }, { "item": "lamp", "count": 1 }], "express": false }),
        ),
        ("a call of 460 bytes of prose", json!({ "text": prose.repeat(4) })),
        (
            "a call with words such as `key` and `token`, and a phone number",
            json!({ "text": format!("The key is on the token board. {prose} Call +44 20 7946 0958.") }),
        ),
    ];
    for (name, arguments) in calls {
        let call = ToolCallInputs::new("create_order").with_arguments(arguments);
        let mut ctx = RunContext::new("figures");
        let mut times = Vec::new();
        for _ in 0..5_001 {
            let mut call = call.clone();
            let start = Instant::now();
            std::hint::black_box(kit.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
            times.push(start.elapsed());
        }
        times.sort_unstable();
        println!("| {name} | {} |", Micros(times[times.len() / 2]));
    }
    let chunk = chunks(&kit, &prose.repeat(40)).await?;
    println!("| a chunk of 50 bytes of a streamed answer | {} |", Micros(chunk));
    println!("| a text of 500 bytes, without a kit | {} |", median(|| redacted(guard, &prose.repeat(5)[..500])));
    for part in hostile {
        let text = part.repeat(LARGE / part.len());
        let start = Instant::now();
        let redacted = redacted(guard, &text);
        let time = start.elapsed();
        println!(
            "| 16 MiB of `{}` | {:.2} s, {} bytes are left |",
            part.escape_debug(),
            time.as_secs_f64(),
            redacted.len()
        );
    }
    Ok(())
}

/// Returns the time for a chunk, less the time of the same stream without guards.
pub(crate) async fn chunks(kit: &Kit, text: &str) -> Result<Duration> {
    let pieces: Vec<&str> = text.as_bytes().chunks(50).filter_map(|piece| std::str::from_utf8(piece).ok()).collect();
    let count = u32::try_from(pieces.len())?;
    let (guarded, bare) = (stream(kit, &pieces).await?, stream(&Kit::default(), &pieces).await?);
    Ok(guarded.saturating_sub(bare) / count)
}

/// Returns the median time of a stream of these pieces.
async fn stream(kit: &Kit, pieces: &[&str]) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..301 {
        let model = |_: Permit<ModelCallInputs>| {
            let deltas = pieces.iter().map(|piece| Ok::<_, OperationError>(ModelDelta::Text((*piece).to_owned())));
            stream::iter(deltas.collect::<Vec<_>>())
        };
        let start = Instant::now();
        kit.guard_stream(ModelCallInputs::default(), &mut RunContext::new("figures"), model, async |_| {}).await?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Counts the benign texts that the guard changes: the messages of tau-bench, and the source of this project.
pub(crate) fn benign(name: &str, corpora: &Corpora, redacted: impl Fn(&str) -> String) -> Result<()> {
    println!("\n## Benign texts\n");
    let runs: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(corpora.folder(tau_bench::NAME)?.join(tau_bench::RUNS))?)?;
    let messages = runs.iter().flat_map(|run| run["traj"].as_array().into_iter().flatten());
    let texts = messages.filter_map(|message| message["content"].as_str().map(str::to_owned));
    report(name, "messages of tau-bench", texts, &redacted);
    let calls = tau_bench::calls(corpora)?;
    let calls = calls.into_iter().map(|recorded| recorded.call.arguments.to_string());
    report(name, "tool calls of tau-bench", calls, &redacted);
    let mut lines = Vec::new();
    source(Path::new("."), &mut lines)?;
    report(name, "lines of the source of this project", lines.into_iter(), &redacted);
    Ok(())
}

fn report(name: &str, what: &str, texts: impl Iterator<Item = String>, redacted: &impl Fn(&str) -> String) {
    let (mut all, mut changed) = (0, 0);
    let mut marks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for text in texts {
        all += 1;
        let after = redacted(&text);
        if after == text {
            continue;
        }
        changed += 1;
        let mark = after.split('[').filter_map(|part| part.split_once(']')).map(|(mark, _)| mark).find(|mark| {
            !text.contains(&format!("[{mark}]")) && mark.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        });
        let before = text.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
        let from = text.floor_char_boundary(before.saturating_sub(30));
        let to = text.floor_char_boundary(before + 40);
        marks.entry(mark.unwrap_or(name).to_owned()).or_default().push(text[from..to].escape_debug().to_string());
    }
    println!("{what}: {all}, changed: {changed}");
    for (mark, examples) in marks {
        println!(
            "- {mark}: {}, such as `{}`",
            examples.len(),
            examples.iter().take(3).cloned().collect::<Vec<_>>().join("`, `")
        );
    }
}

/// Reads the lines of all Rust and Markdown files, apart from tests of these guards.
fn source(folder: &Path, lines: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !matches!(name.as_str(), "target" | "secrets") {
            source(&path, lines)?;
        } else if path.extension().is_some_and(|end| end == "rs" || end == "md" || end == "toml") {
            lines.extend(fs::read_to_string(&path)?.lines().map(str::to_owned));
        }
    }
    Ok(())
}
