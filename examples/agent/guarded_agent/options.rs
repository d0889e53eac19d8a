//! The command line.

use std::path::{Path, PathBuf};

use lexopt::prelude::*;

pub(crate) const HELP: &str = "\
Runs a guarded support agent on a copy of a directory of text files and prints what its rails decide.

Usage: cargo run --example guarded_agent -- [OPTIONS]

Options:
      --files DIR     The directory to work on. It is copied first, and the copy is removed at the end:
                      no run changes DIR. Without this option, the files beside the example.
      --script FILE   What the model says: a JSON array of turns. Without this option, the script
                      beside the example; or a live model, when this program is built with
                      `--features live` and OPENAI_BASE_URL or OPENAI_API_KEY is set, and
                      OPENAI_MODEL names it.
      --input TEXT    What the user asks.
  -h, --help          Shows this text.

A turn of a script is one of
  { \"say\": \"…\", \"call\": [{ \"tool\": \"read_file\", \"arguments\": { \"path\": \"a.txt\" } }] }
  { \"fail\": { \"kind\": \"rate_limited\", \"message\": \"slow down\", \"retry_after\": 0.5 } }
and the tools are list_files, read_file, write_file, delete_file and search.

Exit codes: 0 the agent answered, 1 the run ended without an answer, 2 bad options, files or script.
Set NO_COLOR for output without colours.";

const INPUT: &str = "Which orders are late, and why? Write a short report to reports/late-orders.md.";

/// The command of the user.
pub(crate) enum Command {
    Help,
    Run(Options),
}

/// The options of a run.
pub(crate) struct Options {
    pub(crate) files: PathBuf,
    /// `None` for the script of the example, or for a live model.
    pub(crate) script: Option<PathBuf>,
    pub(crate) input: String,
}

impl Options {
    pub(crate) fn from_command_line() -> Result<Command, lexopt::Error> {
        let mut options = Self { files: beside_the_example("files"), script: None, input: INPUT.to_owned() };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("files") => options.files = parser.value()?.into(),
                Long("script") => options.script = Some(parser.value()?.into()),
                Long("input") => options.input = parser.value()?.string()?,
                Short('h') | Long("help") => return Ok(Command::Help),
                other => return Err(other.unexpected()),
            }
        }
        Ok(Command::Run(options))
    }

    /// Whether the agent works on the files beside the example.
    pub(crate) fn uses_example_files(&self) -> bool {
        self.files == beside_the_example("files")
    }

    /// The script, if no live model is used.
    pub(crate) fn script_or_default(&self) -> PathBuf {
        self.script.clone().unwrap_or_else(|| beside_the_example("script.json"))
    }
}

fn beside_the_example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("guarded_agent").join(name)
}
