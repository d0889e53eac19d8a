//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;

use crate::opponents::process::HOOK;

pub(crate) const HELP: &str = "\
Measures the cost of dispatching an event to its rails, in several ways.

Usage: cargo run --release -p benchmarks --bin dispatch_cost -- [OPTIONS]

Options:
      --json FILE   also write the figures to FILE, as JSON
      --kit         measure a kit of ten guards instead: needs the feature `guards`
      --rounds N    the number of times to measure each case, at least 1 [default: 201]
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
    /// Measure a kit of guards instead.
    pub(crate) kit: bool,
    pub(crate) rounds: u32,
}

/// Reads the command line.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut options = Options { json: None, kit: false, rounds: 201 };
    while let Some(arg) = parser.next()? {
        match arg {
            Long("json") => options.json = Some(parser.value()?.into()),
            Long("kit") => options.kit = true,
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
