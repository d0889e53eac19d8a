//! Measures the time and the allocations of a dispatch. Compares a static chain, the managers, hand-written code and
//! other libraries, with the same rails.
//!
//! ```text
//! cargo run --release -p benchmarks --bin dispatch_cost
//! cargo run --release -p benchmarks --bin dispatch_cost -- --json dispatch_cost.json
//! cargo run --release -p benchmarks --features rig --bin dispatch_cost
//! cargo run --release -p benchmarks --features guards --bin dispatch_cost -- --kit
//! ```
//!
//! Read the ratios. Times in nanoseconds differ between machines and from minute to minute. The variants take turns, so a
//! slow moment of the machine affects all of them.

mod args;
mod cases;
mod check;
#[allow(dead_code, reason = "other programs measure more of it")]
#[path = "../../../benches/dispatch/mod.rs"]
mod dispatch;
#[cfg(feature = "guards")]
mod kit;
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
    if options.kit {
        #[cfg(feature = "guards")]
        return kit::measure(options.rounds, &mut io::stdout().lock());
        #[cfg(not(feature = "guards"))]
        return Err("`--kit` needs the feature `guards`: add `--features guards`".into());
    }
    // The file is created first, so that a wrong path is reported before the long measurement.
    let json = options.json.as_deref().map(create).transpose()?;
    let (cases, runtime) = (cases::cases()?, measure::runtime()?);
    check::same_answers(&cases, &runtime)?;
    let figures = measure::measure(&cases, &mut Lab::new(runtime, check::harmless()), options.rounds);
    let rows = report::rows(cases, figures);
    if let Some((path, file)) = json {
        report::json(&rows, BufWriter::new(file)).map_err(|error| unwritable(path, &error))?;
    }
    // The table comes last, so that the file is complete even if a reader closes the pipe.
    report::table(&rows, io::stdout().lock()).map_err(|error| format!("cannot print the table: {error}").into())
}

fn create(path: &Path) -> Result<(&Path, File), String> {
    let file = File::create(path).map_err(|error| unwritable(path, &error))?;
    Ok((path, file))
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {error}", path.display())
}
