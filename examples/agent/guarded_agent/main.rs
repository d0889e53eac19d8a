//! A support agent with real tools on a real directory, and the rails that guard it.
//!
//! ```sh
//! cargo run --example guarded_agent
//! ```
//!
//! The program needs no network and no key, because the model replays `script.json`. In this script, the agent does its
//! job and makes most of the mistakes that agents make. It tries to delete a file, to leave its directory and to reveal a
//! key. It calls a tool that does not exist, writes arguments that are not valid JSON, and repeats itself. Its provider
//! limits its rate. The program prints each event, the rails that ran, and their decisions.
//!
//! That run ends with an answer. In a second run, the message of a customer talks the agent into running a shell, and a
//! rail ends the run:
//!
//! ```sh
//! cd examples/agent/guarded_agent
//! cargo run --example guarded_agent -- --files abort/files --script abort/script.json
//! ```
//!
//! With a live model, the agent does what that model decides:
//!
//! ```sh
//! export OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=qwen3:8b   # and OPENAI_API_KEY where one is needed
//! cargo run -p examples-agent --features live --example guarded_agent
//! ```
//!
//! All runs work on a copy of the files. You can also run the program with your own files and script.
//!
//! The rails are in `limits.rs`, `files.rs` and `secrets.rs`. The chain of these rails is in `rails.rs`, and the agent is
//! below, in `answer`. The other files have tools and printing.

mod audit;
mod describe;
mod files;
mod limits;
mod model;
mod options;
mod page;
mod rails;
mod report;
mod secrets;
mod timeline;
mod tools;
mod workspace;

use std::error::Error;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

use crate::options::{Command, Options};
use crate::page::Page;
use crate::rails::SupportRails;
use crate::timeline::Timeline;
use crate::workspace::Workspace;

const INSTRUCTIONS: &str = "You help the staff of a furniture shop. Work with the files that you are given.";

/// A link in the directory of the agent that leads out of it.
const LINK: &str = "shared";

/// The options, or the files that they name, cannot be used.
const UNUSABLE: u8 = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let result = match Options::from_command_line() {
        Ok(Command::Help) => {
            page::print(options::HELP);
            Ok(ExitCode::SUCCESS)
        }
        Ok(Command::Run(options)) => run(&options).await,
        Err(error) => Err(format!("{error}\nTry `--help`.").into()),
    };
    result.unwrap_or_else(|error| {
        page::complain(&error.to_string());
        ExitCode::from(UNUSABLE)
    })
}

/// Runs the agent on a copy of the files, and prints the run.
async fn run(options: &Options) -> Result<ExitCode, Box<dyn Error>> {
    let model = model::chosen_by(options)?;
    let workspace = Workspace::copy_of(&options.files)?;
    if options.uses_example_files() {
        add_link(&workspace);
    }
    let page = Page::stdout();
    report::opening(page, options, &*model);

    let mut ctx = RunContext::new("support");
    let rails = Timeline::new(SupportRails::new(workspace.root()), page);
    let (result, tally) = answer(model, rails, &workspace, &options.input, &mut ctx).await;

    report::ending(page, &result);
    report::summary(page, &tally, &ctx, &workspace.changes()?);
    Ok(if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Adds the link to the copy. The repository does not have it, because some systems cannot check out a link.
fn add_link(workspace: &Workspace) {
    if let Err(error) = workspace.link_out(LINK) {
        page::complain(&format!("cannot make the link `{LINK}`, so the files behind it are missing: {error}"));
    }
}

/// Runs the agent: a model, tools, and a chain of rails around every call of them.
async fn answer(
    model: Box<dyn Model>,
    rails: Timeline<SupportRails>,
    workspace: &Workspace,
    input: &str,
    ctx: &mut RunContext,
) -> (Result<InvokeOutput, RunError>, timeline::Tally) {
    let agent = Agent::builder("support", model)
        .instructions(INSTRUCTIONS)
        .tools(tools::all(workspace.root()))
        .rails(rails)
        // The calls run one after the other, so that the timeline is readable.
        .parallel_tools(NonZeroUsize::MIN)
        .build();
    let result = agent.run_in(input, ctx).await.map_err(RunError::from);
    (result, agent.guard_set().tally())
}
