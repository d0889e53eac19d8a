//! What the dispatch of an event costs: a static chain, the managers and hand-written code, on the same rails, and what
//! one would use instead.
//!
//! ```text
//! cargo run --release -p benchmarks --bin dispatch_cost
//! cargo run --release -p benchmarks --bin dispatch_cost -- --json dispatch_cost.json
//! cargo run --release -p benchmarks --features rig --bin dispatch_cost
//! ```
//!
//! Read the ratios: nanoseconds differ from machine to machine and from minute to minute, so the variants take
//! turns, and what slows one of them down slows all of them.

mod args;
mod cases;
mod check;
#[allow(dead_code, reason = "other programs measure more of it")]
#[path = "../../../benches/dispatch/mod.rs"]
mod dispatch;
mod measure;
mod opponents;
mod report;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use args::{Command, Options};
use measure::Lab;

fn main() -> ExitCode {
    let result = match args::parse(lexopt::Parser::from_env()) {
        Ok(Command::Help) => io::stdout().write_all(args::HELP.as_bytes()).map_err(Into::into),
        Ok(Command::Hook(rail)) => opponents::process::serve::<opponents::Twenty>(&rail).map_err(Into::into),
        Ok(Command::Measure(options)) => run(&options),
        Err(error) => {
            eprintln!("error: {error}\n\n{}", args::HELP);
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    // Before the measurements: nobody wants to wait for them and then hear that there is no such folder.
    let json = options.json.as_deref().map(create).transpose()?;
    let (cases, runtime) = (cases::cases()?, measure::runtime()?);
    check::same_answers(&cases, &runtime)?;
    let figures = measure::measure(&cases, &mut Lab::new(runtime, check::harmless()), options.rounds);
    let rows = report::rows(cases, figures);
    if let Some((path, file)) = json {
        report::json(&rows, BufWriter::new(file)).map_err(|error| unwritable(path, &error))?;
    }
    // Last, so that a reader who stops reading does not keep the file from being written.
    report::table(&rows, io::stdout().lock()).map_err(|error| format!("cannot print the table: {error}").into())
}

fn create(path: &Path) -> Result<(&Path, File), String> {
    let file = File::create(path).map_err(|error| unwritable(path, &error))?;
    Ok((path, file))
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {error}", path.display())
}
