//! Measures the cost of rails at compile time. Compares the `cargo check` of three crates: a crate of rails and a chain,
//! a crate of the same functions without attributes and with a hand-written call of each, and a crate of the same rails
//! in nested chains. Or measures the size of a program of them.
//!
//! ```console
//! cargo run -p benchmarks --bin check_cost
//! cargo run -p benchmarks --bin check_cost -- --rails 200 --rounds 31
//! cargo run -p benchmarks --bin check_cost -- --size
//! ```
//!
//! The program writes these crates to `target/check_cost`, and an empty crate for the time of `cargo check` itself. It
//! checks all crates once, and then in turns. Before each check, it touches the source of the crate. There are three
//! measurements:
//!
//! - With the results of the previous check, as while a user types.
//! - Without results, but with incremental compilation. The compiler then hashes all results to keep them, as at the
//!   first check.
//! - Without incremental compilation (`CARGO_INCREMENTAL=0`). The compiler then checks the whole crate again.

mod args;
mod check;
mod packages;
mod report;
mod size;
mod sources;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use args::{Command, Options};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let result = match args::parse(lexopt::Parser::from_env()) {
        Ok(Command::Help) => io::stdout().write_all(args::HELP.as_bytes()).map_err(Into::into),
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

fn run(options: &Options) -> Result<()> {
    // The file is created first, so that a wrong path is reported before the long measurement.
    let json = options.json.as_deref().map(create).transpose()?;
    if options.size {
        let rows = size::measure(&options.rails)?;
        written(json, &rows)?;
        report::sizes(&rows, io::stdout().lock())?;
    } else {
        let rows = check::measure(&options.rails, options.rounds)?;
        written(json, &rows)?;
        report::checks(&rows, io::stdout().lock())?;
    }
    Ok(())
}

fn create(path: &Path) -> Result<(&Path, File)> {
    let file = File::create(path).map_err(|error| unwritable(path, &error))?;
    Ok((path, file))
}

/// Writes the file before the table, so that the file is complete even if a reader closes the pipe.
fn written(json: Option<(&Path, File)>, rows: &impl serde::Serialize) -> Result<()> {
    let Some((path, file)) = json else { return Ok(()) };
    Ok(report::json(rows, BufWriter::new(file)).map_err(|error| unwritable(path, &error))?)
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {error}", path.display())
}
