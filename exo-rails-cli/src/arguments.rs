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
    /// Works with machines: agents as state machines, in files of the language DyGram
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
    /// Takes the next step of a machine. The first step begins it, and each call continues where the last one stopped
    Step(StepOptions),
    /// Draws a machine, with the path that it took
    Draw(DrawOptions),
    /// Formats files. Only white space changes
    Fmt(FmtOptions),
    /// Serves a page on this machine that draws a machine and runs it
    Serve(ServeOptions),
}

/// How to read a file.
#[derive(Clone, Debug, Args)]
pub(crate) struct SourceOptions {
    /// Read files as if they had `@StrictMode`: nodes must be declared, and most warnings are errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// The directory from which files may import others. Without it, the directory of the file
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    /// The files, `.dygram` or `.mach`
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
    /// A configuration file of guards, in TOML. They guard the model calls and the tool calls of the machine
    #[arg(long, value_name = "FILE")]
    pub(crate) guards: Option<PathBuf>,
    /// End the machine when it enters a node, or enters it for the given time: `complete` or `complete:2`
    #[arg(long, value_name = "NODE[:VISIT]")]
    pub(crate) until: Option<String>,
    /// Begin at this node
    #[arg(long, value_name = "NODE")]
    pub(crate) start: Option<String>,
    /// Set a field before the machine begins. The value is JSON, or else a text
    #[arg(long = "set", value_name = "CONTEXT.FIELD=VALUE")]
    pub(crate) values: Vec<String>,
    /// The number of steps that the machine may take
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    pub(crate) max_steps: u64,
    /// The number of visits that each node may have
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) max_visits: u32,
    /// The time that a run may take, in seconds. 0 is no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) max_time: u64,
}

/// Who decides.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ModelOptions {
    /// The live model, such as `anthropic:claude-sonnet-4-5` or `openai:gpt-4o`. Without it, the environment names it
    #[arg(long, value_name = "PROVIDER:MODEL", conflicts_with = "script")]
    pub(crate) model: Option<String>,
    /// What a scripted model says: a JSON array of turns
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
}

/// Where the execution is recorded.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordOptions {
    /// Where the history is written
    #[arg(long, value_name = "FILE", default_value = "execution-history.json")]
    pub(crate) history: PathBuf,
    /// Add each step to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Where the state is saved until the machine ends. Without it, the name of the machine's file with `.state.json`
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Begin again, and forget the saved state
    #[arg(long)]
    pub(crate) restart: bool,
    /// Print each step as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The answers to what a resumed machine waits for.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AnswerOptions {
    /// Approve the question with this id. The error of the suspended machine names the id
    #[arg(long, value_name = "ID")]
    pub(crate) approve: Vec<String>,
    /// Refuse the question with this id
    #[arg(long, value_name = "ID")]
    pub(crate) deny: Vec<String>,
    /// What to do with tool calls that had begun when the program ended
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) unknown_calls: Option<UnknownCalls>,
}

impl AnswerOptions {
    pub(crate) fn is_empty(&self) -> bool {
        self.approve.is_empty() && self.deny.is_empty() && self.unknown_calls.is_none()
    }
}

/// What to do with tool calls of which nobody knows whether they have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownCalls {
    /// Make them again
    Repeat,
    /// Tell the model that it is unknown
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
    /// Continue from the state in this file, such as that of a checkpoint
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
    /// The format. Without it, the extension of the output decides: `.mmd`, `.dot`, `.gv` or `.svg`
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Mark the path of this history
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
    /// Where to write. Without it, to the standard output
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
    /// A picture
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct FmtOptions {
    /// The files. `-` formats the standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing, and fail if a file is not formatted
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// The port of the page. 0 takes one that is free
    #[arg(long, value_name = "NUMBER", default_value_t = 7474)]
    pub(crate) port: u16,
}
