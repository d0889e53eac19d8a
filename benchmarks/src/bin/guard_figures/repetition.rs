//! Repetition in answers: generated repetitions, benign texts, and times.

use std::fs;
use std::path::Path;
use std::time::Instant;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use serde_json::Value;

use crate::corpora::Corpora;
use crate::time::Micros;
use crate::{Failure, tau_bench, text};

/// The bytes of a hostile text.
const LARGE: usize = 16 << 20;

/// The bytes of a generated answer.
const ANSWER: usize = 40_000;

pub(crate) async fn measure(corpora: Option<&Corpora>) -> Result<(), Failure> {
    let kit = Kit::from_toml("[repetition]")?;
    generated(&kit).await?;
    if let Some(corpora) = corpora {
        benign(&kit, corpora).await?;
    }
    times(&kit).await
}

/// Returns the bytes of an answer that leave.
async fn left(kit: &Kit, text: &str) -> Result<usize, Failure> {
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text(text)) };
    let answer = kit.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("figures"), model).await?;
    Ok(answer.message.text().len())
}

/// Makes a text of a length, or with a number.
type Make = fn(usize) -> String;

/// Texts that are repeated: the name, and a text of a length.
const KINDS: [(&str, Make); 4] = [
    ("prose", |length| {
        cut(&"I am sorry, but the order cannot be found in our list of all open orders today. ".repeat(20), length)
    }),
    ("code", |length| {
        cut(&(0..100).map(|row| format!("    let row_{row} = read({row})?;\n")).collect::<Vec<_>>().concat(), length)
    }),
    ("Chinese", |length| cut(&"我很抱歉,没有找到您的订单,请稍后再试。谢谢您的耐心等待!".repeat(40), length)),
    ("signs", |length| cut(&"|----|====|....|++++|****|~~~~|____|::::".repeat(60), length)),
];

/// Returns the first letters of a text, at least one and about `length` bytes.
fn cut(text: &str, length: usize) -> String {
    text[..text.ceil_char_boundary(length.clamp(1, text.len()))].to_owned()
}

/// Repeats texts of each length behind a benign beginning.
async fn generated(kit: &Kit) -> Result<(), Failure> {
    println!("| repeated text | answers | ended | bytes that left, at most |\n|---|---|---|---|");
    for (name, make) in KINDS {
        for (from, to) in [(1, 64), (65, 512), (513, 1_024)] {
            let (mut all, mut ended, mut most) = (0, 0, 0);
            for length in from..=to {
                let unit = make(length);
                let text = format!("Let me look at the orders of this week. {}", unit.repeat(ANSWER / unit.len()));
                let left = left(kit, &text).await?;
                all += 1;
                if left < text.len() {
                    ended += 1;
                    most = most.max(left);
                }
            }
            println!("| {name}, {from} to {to} bytes | {all} | {ended} | {most} |");
        }
    }
    let rows: [(&str, Make); 4] = [
        ("a text of 2000 bytes", |_| {
            cut(&(0..500).map(|word| format!("word{word} ")).collect::<Vec<_>>().concat(), 2_000)
        }),
        ("numbered lines", |row| format!("{row}. The order is late.\n")),
        ("lines with another name each time", |row| {
            format!("Customer {} is sorry.\n", (b'a' + u8::try_from(row % 26).unwrap_or(0)) as char)
        }),
        ("a sentence with one more word each time", |row| format!("I am {} sorry. ", "very ".repeat(row % 60))),
    ];
    println!("\n| not exact, or too long | ended |\n|---|---|");
    for (name, row) in rows {
        let text: String = (0..1_000).map(row).collect();
        println!("| {name} | {} |", if left(kit, &text).await? < text.len() { "yes" } else { "no" });
    }
    Ok(())
}

/// Counts the benign texts that end early: messages of tau-bench, and the files of this project.
async fn benign(kit: &Kit, corpora: &Corpora) -> Result<(), Failure> {
    let runs: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(corpora.folder(tau_bench::NAME)?.join(tau_bench::RUNS))?)?;
    let messages = runs.iter().flat_map(|run| run["traj"].as_array().into_iter().flatten());
    let texts = messages.filter_map(|message| Some((String::new(), message["content"].as_str()?.to_owned()))).collect();
    println!("\n| benign texts | count | ended |\n|---|---|---|");
    count(kit, "messages of tau-bench", texts).await?;
    let mut files = Vec::new();
    source(Path::new("."), &mut files)?;
    count(kit, "files of this project", files).await
}

async fn count(kit: &Kit, name: &str, texts: Vec<(String, String)>) -> Result<(), Failure> {
    let mut ended = Vec::new();
    for (file, text) in &texts {
        if left(kit, text).await? < text.len() {
            ended.push(if file.is_empty() { text.escape_debug().take(80).collect() } else { file.clone() });
        }
    }
    println!("| {name} | {} | {} |", texts.len(), ended.len());
    for text in ended {
        eprintln!("ended: {text}");
    }
    Ok(())
}

/// Reads all files of the project that are texts.
fn source(folder: &Path, files: &mut Vec<(String, String)>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !matches!(name.as_str(), "target" | "corpus" | "artifacts") {
            source(&path, files)?;
        } else if let Ok(text) = fs::read_to_string(&path) {
            files.push((path.display().to_string(), text));
        }
    }
    Ok(())
}

async fn times(kit: &Kit) -> Result<(), Failure> {
    println!("\n| work | time |\n|---|---|");
    let prose =
        "The customer called about the order of May, and asked whether the chairs can be delivered on Friday instead.";
    println!("| a chunk of 50 bytes of a streamed answer | {} |", Micros(text::chunks(kit, &prose.repeat(40)).await?));
    // Texts whose repetitions are almost long enough, so that the guard reads all of them.
    let almost = format!("{}x", "ab".repeat(900));
    let units: Vec<String> = (0..4).map(|number| format!("{number}{}", cut(&prose.repeat(10), 1_000))).collect();
    let two_ways = format!("{}{}", "abcdefgh".repeat(100), "abcdefgi".repeat(100));
    let hostile = [
        ("prose", prose),
        ("`ab` 900 times and an `x`", &almost),
        ("paragraphs that differ in a digit", &units.concat()),
        ("two texts that begin alike", &two_ways),
    ];
    for (name, part) in hostile {
        for bytes in [LARGE / 16, LARGE] {
            let mut text = String::new();
            let mut number = 0_u64;
            while text.len() < bytes {
                // A number that grows, so that no two parts are alike.
                text.push_str(part);
                text.push_str(&number.to_string());
                number += 1;
            }
            let start = Instant::now();
            let left = left(kit, &text).await?;
            println!(
                "| {} MB of {name}{} | {:.0} ms |",
                bytes >> 20,
                if left < text.len() { ", ended" } else { "" },
                start.elapsed().as_secs_f64() * 1e3
            );
        }
    }
    Ok(())
}
