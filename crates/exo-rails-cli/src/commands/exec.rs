//! `exo-rails machine exec`

use std::process::ExitCode;

use exo_rails_machine::{MachineError, MachineState, Stopped};

use crate::again::Again;
use crate::arguments::ExecOptions;
use crate::execution::{Prepared, begin, prepare, stopped};
use crate::failure::Failure;
use crate::saved::Files;
use crate::{progress, questions, saved};

/// Runs a machine to its end.
pub(crate) async fn exec(options: &ExecOptions) -> Result<ExitCode, Failure> {
    let files = Files::of(&options.run.file, &options.record);
    let state = first_state(options, &files)?;
    let prepared = prepare(&options.run, &options.record, files, state.as_ref())?;
    let result = run(options, &prepared, state).await;
    prepared.status.clear();
    if let Some(log) = &prepared.log {
        log.check()?;
    }
    result
}

/// Returns the state from which the machine continues.
fn first_state(options: &ExecOptions, files: &Files) -> Result<Option<MachineState>, Failure> {
    let file = files.state.display();
    let mut state = match &options.from {
        _ if options.resume => files.load()?.ok_or_else(|| {
            Failure::Usage(format!("there is no saved state `{file}`: run the machine without `--resume`"))
        })?,
        _ if !options.record.restart && files.load_unfinished()?.is_some() => {
            let message =
                "has an execution that has not ended: continue it with `--resume`, or begin again with `--restart`";
            return Err(Failure::Usage(format!("`{file}` {message}")));
        }
        Some(from) => saved::load(from)?,
        None if options.answers.is_empty() => return Ok(None),
        None => {
            let message = "`--approve`, `--deny` and `--unknown-calls` are for a saved execution: add `--resume`";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    questions::answer(&mut state, &options.answers)?;
    Ok(Some(state))
}

async fn run(options: &ExecOptions, prepared: &Prepared, state: Option<MachineState>) -> Result<ExitCode, Failure> {
    let Prepared { executor, files, .. } = prepared;
    let mut execution = begin(executor, &options.run, state)?;
    loop {
        let Stopped { error, mut state, .. } = match execution.run().await {
            Ok(done) => {
                files.end(&done.history)?;
                if !options.record.json {
                    progress::print_end(&done);
                }
                return Ok(ExitCode::SUCCESS);
            }
            Err(stopped) => stopped,
        };
        prepared.status.clear();
        if matches!(error, MachineError::Suspended { .. }) && questions::ask(&mut state)? {
            execution = begin(executor, &options.run, Some(*state))?;
            continue;
        }
        files.end(state.history())?;
        let again = Again::of_this_call().with_flag("--resume");
        return Err(stopped(&error, &mut state, &again));
    }
}
