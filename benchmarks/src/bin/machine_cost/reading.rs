//! The time to read and check a file with many nodes.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

const NODES: usize = 1_000;
const ROUNDS: usize = 21;

/// Measures a file of a thousand tasks, with contexts, conditions and permissions.
pub(crate) fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let text = file()?;
    let reading = exo_rails_dygram::read("large.dygram", &text);
    assert!(reading.report.diagnostics().is_empty(), "{}", reading.report);
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        black_box(exo_rails_dygram::read("large.dygram", black_box(&text)));
        times.push(begin.elapsed());
    }
    let (edges, bytes) = (reading.machine.edges().len(), text.len());
    println!("a file with {NODES} nodes, {edges} edges and {bytes} bytes, median of {ROUNDS} rounds");
    println!("  parsed and checked: {:.1} ms", super::median(times).as_secs_f64() * 1e3);
    Ok(())
}

fn file() -> Result<String, std::fmt::Error> {
    let mut text =
        "machine \"Large\" @StrictMode\nContext data { count<number>: 0; text<string>: \"\"; }\nInit begin;\n"
            .to_owned();
    let tasks = NODES - 3;
    for i in 0..tasks {
        writeln!(text, "Task t{i} {{ prompt: \"Look at {{{{data.text}}}}.\"; }}")?;
    }
    writeln!(text, "End done;\nbegin -> t0;")?;
    for i in 0..tasks {
        let next = if i + 1 < tasks { format!("t{}", i + 1) } else { "done".to_owned() };
        writeln!(text, "t{i} -reads-> data;\nt{i} -when: \"data.count > {i}\"-> done;\nt{i} -> {next};")?;
    }
    Ok(text)
}
