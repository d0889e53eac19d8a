//! Measures what the guards catch, what they let through, how often they are wrong on benign work, and what they cost.
//!
//! ```console
//! $ cargo run --release -p benchmarks --features guards --bin guard_figures -- --corpora DIR
//! ```
//!
//! `DIR` has a checkout of each corpus of `corpora.toml`, in a folder with its name. Without `--corpora`, the program only
//! measures times. `GUARDS.md` has the results.

mod args;
mod audit;
mod corpora;
mod data_flow;
mod injection;
mod loops;
mod memory;
mod paths;
mod permissions;
mod personal_data;
mod repetition;
mod secrets;
mod sequence;
mod shape;
mod shell;
mod tau_bench;
mod text;
mod time;
mod turns;
mod urls;

use std::error::Error;
use std::process::ExitCode;

use args::{Command, HELP, Options, Section};

type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    match args::parse(lexopt::Parser::from_env())? {
        Command::Help => print!("{HELP}"),
        Command::Measure(options) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(measure(&options))?;
        }
    }
    Ok(())
}

async fn measure(Options { corpora, sections }: &Options) -> Result<(), Failure> {
    let corpora = corpora.as_deref().map(corpora::Corpora::new).transpose()?;
    for section in sections {
        println!("# {}\n", section.name());
        match section {
            Section::Shell => shell::measure(corpora.as_ref())?,
            Section::Permissions => permissions::measure(corpora.as_ref())?,
            Section::Paths => paths::measure(corpora.as_ref())?,
            Section::Urls => urls::measure(corpora.as_ref()).await?,
            Section::Loops => loops::measure(corpora.as_ref()).await?,
            Section::Repetition => repetition::measure(corpora.as_ref()).await?,
            Section::Audit => audit::measure().await?,
            Section::Memory => memory::measure().await?,
            Section::Turns => turns::measure().await?,
            Section::Shape => shape::measure(corpora.as_ref()).await?,
            Section::Secrets => secrets::measure(corpora.as_ref()).await?,
            Section::PersonalData => personal_data::measure(corpora.as_ref()).await?,
            Section::Content => injection::measure_content(corpora.as_ref())?,
            Section::Injection => injection::measure_injection(corpora.as_ref())?,
            Section::Sequence => sequence::measure().await?,
            Section::DataFlow => data_flow::measure(corpora.as_ref()).await?,
        }
        println!();
    }
    Ok(())
}
