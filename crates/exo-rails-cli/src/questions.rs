//! Answers what a suspended machine waits for: from the command line, or from a person at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use exo_rails_agent::{Resolution, SuspendedRun};
use exo_rails_guards::approval::{Reply, visible};
use exo_rails_machine::{MachineState, PathQuestion};

use crate::arguments::{AnswerOptions, UnknownCalls};
use crate::failure::Failure;

/// The reason that the model reads.
const REFUSED: &str = "a person has refused this call";

/// Gives the answers of the command line to a saved machine.
pub(crate) fn answer(state: &mut MachineState, options: &AnswerOptions) -> Result<(), Failure> {
    let approvals = options.approve.iter().map(|id| (id, Reply::ApproveOnce));
    let refusals = options.deny.iter().map(|id| (id, Reply::deny(REFUSED)));
    for (id, reply) in approvals.chain(refusals) {
        state.answer(id, reply).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    if let Some(unknown) = options.unknown_calls {
        for run in state.suspended_runs() {
            let numbers: Vec<_> = run.unknown_calls().map(|(number, _)| number).collect();
            for number in numbers {
                resolve(run, number, unknown)?;
            }
        }
    }
    Ok(())
}

fn resolve(run: &mut SuspendedRun, number: usize, unknown: UnknownCalls) -> Result<(), Failure> {
    let resolution = match unknown {
        UnknownCalls::Repeat => Resolution::Repeat,
        UnknownCalls::Tell => Resolution::TellModel,
    };
    run.resolve(number, resolution).map_err(|error| Failure::Usage(error.to_string()))
}

/// Asks the person at the terminal. Returns whether everything has an answer, so that the machine can go on.
pub(crate) fn ask(state: &mut MachineState) -> Result<bool, Failure> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(false);
    }
    let questions: Vec<_> = state.questions().map(|asked| (asked.id.clone(), text_of(&asked))).collect();
    for (id, text) in questions {
        let reply = match asked(&text, "[y] approve  [n] refuse  [Enter] decide later")?.as_str() {
            "y" => Reply::ApproveOnce,
            "n" => Reply::deny(REFUSED),
            _ => return Ok(false),
        };
        state.answer(&id, reply).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    for run in state.suspended_runs() {
        let calls: Vec<_> =
            run.unknown_calls().map(|(number, call)| (number, visible(&call.function.name).into_owned())).collect();
        for (number, tool) in calls {
            let text = format!("A call of `{tool}` began, and nobody knows whether it has run.");
            let unknown = match asked(&text, "[r] repeat it  [t] tell the model  [Enter] decide later")?.as_str() {
                "r" => UnknownCalls::Repeat,
                "t" => UnknownCalls::Tell,
                _ => return Ok(false),
            };
            resolve(run, number, unknown)?;
        }
    }
    Ok(true)
}

/// Returns the text of a question, for a terminal.
fn text_of(asked: &PathQuestion<'_>) -> String {
    visible(asked.open.question.text.as_str()).into_owned()
}

fn asked(text: &str, choices: &str) -> Result<String, Failure> {
    let bold = anstyle::Style::new().bold();
    anstream::eprint!("{bold}{text}{bold:#}\n  {choices} ");
    let mut line = String::new();
    io::stderr()
        .flush()
        .and_then(|()| io::stdin().lock().read_line(&mut line))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(line.trim().to_lowercase())
}

/// Says what a suspended machine waits for, and how to answer.
pub(crate) fn describe(state: &mut MachineState, how_to_resume: &str) -> String {
    let mut lines = Vec::new();
    for asked in state.questions() {
        let (id, text) = (&asked.id, text_of(&asked));
        lines.push(format!("{text}\n  {how_to_resume} --approve '{id}'\n  {how_to_resume} --deny '{id}'"));
    }
    for run in state.suspended_runs() {
        for (_, call) in run.unknown_calls() {
            lines.push(format!(
                "a call of `{}` began, and nobody knows whether it has run\n  {how_to_resume} --unknown-calls repeat\n  {how_to_resume} --unknown-calls tell",
                visible(&call.function.name)
            ));
        }
    }
    lines.join("\n")
}
