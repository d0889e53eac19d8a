//! Compares the instructions of a dispatch with the committed figures.
//!
//! ```text
//! cargo install --locked gungraun-runner@0.20.0
//! cargo run -p benchmarks --bin instructions              # fails if a chain takes over 2 % more
//! cargo run -p benchmarks --bin instructions -- --update  # records the new figures
//! ```
//!
//! Callgrind counts the instructions, so the counts are the same in each run, independent of the load of the machine.
//! They are for the pinned compiler.

mod counts;
mod report;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use counts::Counts;

const HELP: &str = "\
Counts the instructions of a dispatch, and holds them against the committed figures.

Usage: cargo run -p benchmarks --bin instructions -- [OPTIONS]

Options:
      --update  write the figures anew
  -h, --help    print this help
";

/// The required tools, and how to install them.
const TOOLS: [(&str, &str); 2] = [
    ("valgrind", "a package of that name on most systems"),
    ("gungraun-runner", "`cargo install --locked gungraun-runner@0.20.0`"),
];

fn main() -> ExitCode {
    let update = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--update") => true,
        Some("--help" | "-h") => return printed(HELP),
        Some(other) => {
            eprintln!("error: there is no option `{other}`\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if let Some((tool, advice)) = TOOLS.iter().find(|(tool, _)| !is_there(tool)) {
        return printed(&format!("skipped: there is no `{tool}` on this machine ({advice})\n"));
    }
    match run(update) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Counts, compares and prints. Returns `true` if no count has grown.
fn run(update: bool) -> Result<bool, Box<dyn Error>> {
    let counted = Counts::of_benches(&bench()?)?;
    if update {
        counted.write(&committed())?;
    }
    let committed = Counts::read(&committed())?;
    let rows = report::rows(&counted, &committed);
    report::table(&rows, io::stdout().lock())?;
    Ok(rows.iter().all(|row| !row.has_grown()))
}

/// Returns the path of the committed figures.
fn committed() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/results/instructions.json"))
}

/// Runs the benches. Returns their output, with a line of JSON for each bench.
fn bench() -> Result<String, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Omits the programs, which Cargo would otherwise build before the benches.
    let args = "bench --package benchmarks --no-default-features --bench instructions -- --output-format=json";
    let output = Command::new(cargo).args(args.split(' ')).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("`cargo {args}` failed: {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn printed(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
