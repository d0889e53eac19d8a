//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Checks, runs, draws and serves machines for LLM agents.
#[derive(Debug, Parser)]
#[command(name = "exo-rails", version, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) topic: Topic,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Topic {
    /// Works with machines: state machines for agents, in files in the language DyGram
    Machine {
        #[command(subcommand)]
        command: MachineCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum MachineCommand {
    /// Reports all mistakes in files
    Check(CheckOptions),
    /// Runs a machine to its end
    Exec(ExecOptions),
    /// Takes the next step of a machine. The first call starts the machine, and each later call continues it
    Step(StepOptions),
    /// Draws a machine, and marks the path that it took
    Draw(DrawOptions),
    /// Formats files. This changes only white space
    Fmt(FmtOptions),
    /// Serves a web page on this computer that draws a machine and runs it
    Serve(ServeOptions),
}

/// How to read a file.
#[derive(Clone, Debug, Args)]
pub(crate) struct SourceOptions {
    /// Read files as if they had `@StrictMode`: nodes must be declared, and most warnings are errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// The directory from which files may import other files. The default is the directory of the file
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    /// The files, which usually end in `.dygram` or `.mach`
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
}

/// What a machine needs to run.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunOptions {
    /// The file of the machine
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// A policy file, in TOML. Its guards guard the model calls and the tool calls of the machine
    #[arg(long, alias = "guards", value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// End the machine when it enters this node, such as `complete`, or at a later visit, such as `complete:2`
    #[arg(long, value_name = "NODE[:VISIT]")]
    pub(crate) until: Option<String>,
    /// Start at this node
    #[arg(long, value_name = "NODE")]
    pub(crate) start: Option<String>,
    /// Set a field before the machine starts. The value is JSON, or otherwise plain text
    #[arg(long = "set", value_name = "CONTEXT.FIELD=VALUE")]
    pub(crate) values: Vec<String>,
    /// The most steps that the machine may take
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    pub(crate) max_steps: u64,
    /// The most visits that each node may have
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) max_visits: u32,
    /// The longest time that a run may take, in seconds. 0 means no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) max_time: u64,
}

/// Who decides.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ModelOptions {
    /// The live model, such as `anthropic:claude-sonnet-4-5` or `openai:gpt-4o`. By default, the environment chooses it
    #[arg(long, value_name = "PROVIDER:MODEL", conflicts_with = "script")]
    pub(crate) model: Option<String>,
    /// What a scripted model says: a JSON array of turns
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
}

/// Where the execution is recorded.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordOptions {
    /// The file for the history
    #[arg(long, value_name = "FILE", default_value = "execution-history.json")]
    pub(crate) history: PathBuf,
    /// Append each step to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// The file for the state until the machine ends. The default is the name of the machine's file and `.state.json`
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Start again, and overwrite the saved state
    #[arg(long)]
    pub(crate) restart: bool,
    /// Print each step as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The answers to what a resumed machine waits for.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AnswerOptions {
    /// Approve the question with this id. The error message of the suspended machine shows the id
    #[arg(long, value_name = "ID")]
    pub(crate) approve: Vec<String>,
    /// Refuse the question with this id
    #[arg(long, value_name = "ID")]
    pub(crate) deny: Vec<String>,
    /// What to do with tool calls that were running when the program ended
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) unknown_calls: Option<UnknownCalls>,
}

impl AnswerOptions {
    pub(crate) fn is_empty(&self) -> bool {
        self.approve.is_empty() && self.deny.is_empty() && self.unknown_calls.is_none()
    }
}

/// What to do with tool calls if nobody knows whether the tools have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownCalls {
    /// Make them again
    Repeat,
    /// Tell the model that the outcome is unknown
    Tell,
}

#[derive(Debug, Args)]
pub(crate) struct ExecOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,
    #[command(flatten)]
    pub(crate) record: RecordOptions,
    #[command(flatten)]
    pub(crate) answers: AnswerOptions,
    /// Continue from the saved state
    #[arg(long, conflicts_with = "restart")]
    pub(crate) resume: bool,
    /// Continue from the state in this file, such as a checkpoint
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StepOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,
    #[command(flatten)]
    pub(crate) record: RecordOptions,
    #[command(flatten)]
    pub(crate) answers: AnswerOptions,
    /// The number of steps
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) steps: u64,
}

#[derive(Debug, Args)]
pub(crate) struct DrawOptions {
    /// The file of the machine
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    /// The format. By default, the extension of the output decides: `.mmd`, `.dot`, `.gv` or `.svg`
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Mark the path in this history
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
    /// The file to write. The default is the standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The formats of drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A Mermaid flowchart
    Mermaid,
    /// A graph for Graphviz
    Dot,
    /// An SVG image
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct FmtOptions {
    /// The files to format. `-` formats the standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Change no files, and fail if a file is not formatted
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// The port of the page. 0 chooses a free port
    #[arg(long, value_name = "NUMBER", default_value_t = 7474)]
    pub(crate) port: u16,
}
