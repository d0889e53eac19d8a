//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;

pub(crate) const HELP: &str = "\
Measures what the guards catch, what they let through, how often they are wrong on benign work, and what they cost.

Usage: cargo run --release -p benchmarks --features guards --bin guard_figures -- [OPTIONS] [SECTION]...

Arguments:
  [SECTION]...      shell, permissions, paths, urls, shape, secrets, personal_data,
                    content, injection, data_flow, sequence, loops, repetition, audit, memory, turns
                    [default: all]

Options:
      --corpora DIR also measure on the corpora of benchmarks/corpora.toml, each in the folder of DIR with its name
  -h, --help        print this help
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
    pub(crate) corpora: Option<PathBuf>,
    pub(crate) sections: Vec<Section>,
}

/// A guard, or several that are measured together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Section {
    Shell,
    Permissions,
    Paths,
    Urls,
    Shape,
    Secrets,
    PersonalData,
    Content,
    Injection,
    DataFlow,
    Sequence,
    Loops,
    Repetition,
    Audit,
    Memory,
    Turns,
}

impl Section {
    const ALL: &[Self] = &[
        Self::Shell,
        Self::Permissions,
        Self::Paths,
        Self::Urls,
        Self::Shape,
        Self::Secrets,
        Self::PersonalData,
        Self::Content,
        Self::Injection,
        Self::DataFlow,
        Self::Sequence,
        Self::Loops,
        Self::Repetition,
        Self::Audit,
        Self::Memory,
        Self::Turns,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Permissions => "permissions",
            Self::Paths => "paths",
            Self::Urls => "urls",
            Self::Shape => "shape",
            Self::Secrets => "secrets",
            Self::PersonalData => "personal_data",
            Self::Content => "content",
            Self::Injection => "injection",
            Self::DataFlow => "data_flow",
            Self::Sequence => "sequence",
            Self::Loops => "loops",
            Self::Repetition => "repetition",
            Self::Audit => "audit",
            Self::Memory => "memory",
            Self::Turns => "turns",
        }
    }
}

/// Reads the command line.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut options = Options { corpora: None, sections: Vec::new() };
    while let Some(arg) = parser.next()? {
        match arg {
            Long("corpora") => options.corpora = Some(parser.value()?.into()),
            Long("help") | Short('h') => return Ok(Command::Help),
            Value(word) => options.sections.push(word.parse_with(section)?),
            _ => return Err(arg.unexpected()),
        }
    }
    if options.sections.is_empty() {
        options.sections = Section::ALL.to_vec();
    }
    Ok(Command::Measure(options))
}

fn section(word: &str) -> Result<Section, String> {
    let known = || Section::ALL.iter().map(|section| section.name()).collect::<Vec<_>>().join("`, `");
    Section::ALL
        .iter()
        .find(|section| section.name() == word)
        .copied()
        .ok_or_else(|| format!("write a section: `{}`", known()))
}
