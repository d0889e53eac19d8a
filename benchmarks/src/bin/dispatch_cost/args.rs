//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;

use crate::opponents::process::HOOK;

pub(crate) const HELP: &str = "\
Measures what the dispatch of an event to its rails costs, in each way to do it.

Usage: cargo run --release -p benchmarks --bin dispatch_cost -- [OPTIONS]

Options:
      --json FILE   also write the figures to FILE, as JSON
      --rounds N    how many times each case is timed, at least 1 [default: 201]
  -h, --help        print this help
";

/// The command of the user.
#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Measure(Options),
    /// Run as the hook of this rail. The program passes this argument to its own processes.
    Hook(String),
}

/// The options of a measurement.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) json: Option<PathBuf>,
    pub(crate) rounds: u32,
}

/// Reads the command line.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut options = Options { json: None, rounds: 201 };
    while let Some(arg) = parser.next()? {
        match arg {
            Long("json") => options.json = Some(parser.value()?.into()),
            Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Long("help") | Short('h') => return Ok(Command::Help),
            Value(word) if word == HOOK => return Ok(Command::Hook(parser.value()?.string()?)),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(Command::Measure(options))
}

fn rounds(value: &str) -> Result<u32, String> {
    match value.parse() {
        Ok(0) | Err(_) => Err(format!("`--rounds` takes a number from 1 to {}", u32::MAX)),
        Ok(rounds) => Ok(rounds),
    }
}
