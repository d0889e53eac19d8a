//! What rails cost before they run: `cargo check` of a crate of rails and a chain, against the same functions without
//! any attribute and a hand-written call of each, and of the same rails in chains that are in each other; or the size of a
//! program made of them.
//!
//! ```console
//! cargo run -p benchmarks --bin check_cost
//! cargo run -p benchmarks --bin check_cost -- --rails 200 --rounds 31
//! cargo run -p benchmarks --bin check_cost -- --size
//! ```
//!
//! It writes the crates (and an empty one, for what `cargo check` takes by itself) to `target/check_cost`, checks
//! them once, and then in turns, each time after its source was touched: with what the compiler keeps from check to
//! check, as while one types; when it has nothing yet and hashes all that it will keep, as the first time; and without
//! (`CARGO_INCREMENTAL=0`), when all of the crate is checked anew.

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
    // Before the measurements: nobody wants to wait for them and then hear that there is no such folder.
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

/// Before the table, so that a reader who stops reading does not keep the file from being written.
fn written(json: Option<(&Path, File)>, rows: &impl serde::Serialize) -> Result<()> {
    let Some((path, file)) = json else { return Ok(()) };
    Ok(report::json(rows, BufWriter::new(file)).map_err(|error| unwritable(path, &error))?)
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {error}", path.display())
}
