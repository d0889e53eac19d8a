//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;

pub(crate) const HELP: &str = "\
Measures the cost of rails before the program runs: the time of `cargo check`, or the size of a program.

Usage: cargo run -p benchmarks --bin check_cost -- [OPTIONS]

Options:
      --rails N,N,…  the numbers of rails or functions in a crate, at least 1 [default: 10,50,200]
      --rounds N     the number of times to check each crate, at least 1 [default: 15]
      --size         build programs and compare their sizes instead
      --json FILE    also write the figures to FILE, as JSON
  -h, --help         print this help
";

/// The command of the user.
#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Measure(Options),
}

/// The options of a measurement.
#[derive(Debug)]
pub(crate) struct Options {
    /// In ascending order.
    pub(crate) rails: Vec<usize>,
    pub(crate) rounds: usize,
    pub(crate) size: bool,
    pub(crate) json: Option<PathBuf>,
}

/// Reads the command line.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut options = Options { rails: vec![10, 50, 200], rounds: 15, size: false, json: None };
    while let Some(arg) = parser.next()? {
        match arg {
            Long("rails") => options.rails = parser.value()?.parse_with(counts)?,
            Long("rounds") => options.rounds = parser.value()?.parse_with(|value| count("--rounds", value))?,
            Long("size") => options.size = true,
            Long("json") => options.json = Some(parser.value()?.into()),
            Long("help") | Short('h') => return Ok(Command::Help),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(Command::Measure(options))
}

fn counts(value: &str) -> Result<Vec<usize>, String> {
    let mut counts = value.split(',').map(|value| count("--rails", value)).collect::<Result<Vec<_>, _>>()?;
    counts.sort_unstable();
    counts.dedup();
    Ok(counts)
}

fn count(option: &str, value: &str) -> Result<usize, String> {
    match value.parse() {
        Ok(0) | Err(_) => Err(format!("`{option}` takes numbers from 1 on")),
        Ok(count) => Ok(count),
    }
}
