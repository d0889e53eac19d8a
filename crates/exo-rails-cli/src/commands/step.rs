//! `exo-rails machine step`

use std::process::ExitCode;

use exo_rails_machine::{MachineError, Progress, Status};

use crate::again::Again;
use crate::arguments::StepOptions;
use crate::execution::{Prepared, begin, prepare, stopped};
use crate::failure::Failure;
use crate::questions;
use crate::saved::Files;

/// Takes the next steps of a machine.
pub(crate) async fn step(options: &StepOptions) -> Result<ExitCode, Failure> {
    let files = Files::of(&options.run.file, &options.record);
    let mut state = if options.record.restart { None } else { files.load()? };
    if let Some(state) = &mut state {
        questions::answer(state, &options.answers)?;
    }
    let prepared = prepare(&options.run, &options.record, files, state.as_ref())?;
    let Prepared { executor, files, log, status } = &prepared;
    let mut execution = begin(executor, &options.run, state)?;
    let mut result = Ok(());
    for _ in 0..options.steps {
        match execution.step().await {
            Ok(Progress::Ended) => break,
            // All paths have ended, so the next call takes no step. It ends the machine.
            Ok(_) if execution.state().nodes().next().is_none() => {
                result = execution.step().await.map(drop);
                break;
            }
            Ok(_) => {}
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    status.clear();
    let mut state = execution.state();
    files.end(state.history())?;
    if let Some(log) = log {
        log.check()?;
    }
    result.map_err(|error: MachineError| stopped(&error, &mut state, &Again::of_this_call()))?;
    if !options.record.json {
        report(state.status(), &state.nodes().collect::<Vec<_>>().join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

fn report(status: Status, nodes: &str) {
    let green = anstyle::AnsiColor::Green.on_default().bold();
    if status == Status::Completed {
        anstream::println!("{green}completed{green:#}");
    } else {
        anstream::println!("at {}", crate::progress::shown(nodes));
    }
}
