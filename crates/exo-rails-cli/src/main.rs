#![doc = include_str!("../README.md")]
#![allow(clippy::doc_markdown, reason = "DyGram is a name, and no item of the code")]

mod again;
mod arguments;
mod commands;
mod execution;
mod failure;
mod model;
mod progress;
mod questions;
mod rails;
mod saved;
mod serve;
mod source;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, MachineCommand, Topic};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Arguments { topic: Topic::Machine { command } } = Arguments::parse();
    let result = match command {
        MachineCommand::Check(options) => commands::check(&options),
        MachineCommand::Exec(options) => commands::exec(&options).await,
        MachineCommand::Step(options) => commands::step(&options).await,
        MachineCommand::Draw(options) => commands::draw(&options),
        MachineCommand::Fmt(options) => commands::fmt(&options),
        MachineCommand::Serve(options) => serve::serve(&options).await,
    };
    result.unwrap_or_else(|failure| failure.report())
}
