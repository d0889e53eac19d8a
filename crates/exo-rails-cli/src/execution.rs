//! Builds the executor of a machine from the options of the command line.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::CancellationToken;
use exo_rails_agent::Model;
use exo_rails_dygram::{Fields, Machine};
use exo_rails_machine::{
    ContextRules, Contexts, Execution, Executor, ExecutorBuilder, Grant, HistoryStep, MachineError, MachineState,
    StateFile,
};
use serde_json::{Map, Value};

use crate::again::Again;
use crate::arguments::{RecordOptions, RunOptions};
use crate::failure::Failure;
use crate::model::Chosen;
use crate::progress;
use crate::rails::{AuditLog, AuditedRails, MachineRails, StatusLine};
use crate::saved::{Files, Log, ScriptedFile, turns};
use crate::source;

/// The executor of the program.
pub(crate) type MachineExecutor = Executor<Arc<dyn Model>, AuditedRails>;

/// An execution of the program.
pub(crate) type MachineExecution<'e> = Execution<'e, Arc<dyn Model>, AuditedRails>;

/// A machine that can run, with the files in which it is recorded.
pub(crate) struct Prepared {
    pub(crate) executor: MachineExecutor,
    pub(crate) files: Files,
    pub(crate) log: Option<Log>,
    pub(crate) status: StatusLine,
}

/// Prepares a machine to run from its beginning, or from a saved state.
pub(crate) fn prepare(
    run: &RunOptions,
    record: &RecordOptions,
    files: Files,
    state: Option<&MachineState>,
) -> Result<Prepared, Failure> {
    if state.is_some() && !run.values.is_empty() {
        let message =
            "`--set` sets values before a machine begins, and this one continues: begin again with `--restart`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let machine = source::machine(&run.file, &run.source)?;
    let chosen = Chosen::by(&run.model, turns(state))?;
    let (log, status) = (files.log()?, StatusLine::on_terminals());
    let rails = MachineRails::read(run.policy.as_deref(), status.clone(), &AuditLog::default())?;
    let sink = ScriptedFile { file: StateFile::new(&files.state), script: chosen.script };
    let (lines, is_json, shown) = (log.clone(), record.json, status.clone());
    let executor = builder(&machine, chosen.model, rails, run)?
        .save_to(sink)
        .cancellation(cancelled_by_ctrl_c())
        .on_step(move |step| {
            shown.clear();
            show(step, is_json);
            if let Some(log) = &lines {
                log.write(step);
            }
        })
        .build()
        .map_err(|error| Failure::of_file(&run.file, error))?;
    Ok(Prepared { executor, files, log, status })
}

/// Begins an executor with the limits of the command line.
pub(crate) fn builder(
    machine: &Machine,
    model: Arc<dyn Model>,
    rails: AuditedRails,
    run: &RunOptions,
) -> Result<ExecutorBuilder<Arc<dyn Model>, AuditedRails>, Failure> {
    let (steps, visits) = (run.max_steps, run.max_visits);
    let time = (run.max_time > 0).then(|| Duration::from_secs(run.max_time));
    let mut builder = Executor::builder(machine, model).rails(rails).limits(|limits| {
        (limits.steps, limits.visits, limits.time) = (steps, visits, time);
    });
    if let Some(until) = &run.until {
        let (node, visit) = visit(until)?;
        builder = builder.until(node, visit);
    }
    if let Some(start) = &run.start {
        builder = builder.start_at(start);
    }
    Ok(builder)
}

fn show(step: &HistoryStep, is_json: bool) {
    if is_json {
        // A step has no maps with keys that are not texts, so it is always JSON.
        anstream::println!("{}", without_controls(&serde_json::to_string(step).unwrap_or_default()));
    } else {
        progress::print(step);
    }
}

/// Escapes the control characters that JSON does not have to escape. Terminals obey them.
fn without_controls(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_control() {
            // Writing to a `String` cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(letter));
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

/// Cancels the machine when the person at the terminal ends the program.
fn cancelled_by_ctrl_c() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            cancelled.cancel();
        }
    });
    token
}

/// Reads `NODE` or `NODE:VISIT`.
fn visit(text: &str) -> Result<(&str, u32), Failure> {
    let Some((node, visit)) = text.split_once(':') else { return Ok((text, 1)) };
    match visit.parse() {
        Ok(visit) if visit > 0 => Ok((node, visit)),
        _ => Err(Failure::Usage(format!("`--until {text}`: `{visit}` is not the number of a visit: write 1 or more"))),
    }
}

/// Sets the fields of the command line, with the checks that a write of an agent has.
fn set(contexts: &mut Contexts, machine: &Machine, values: &[String]) -> Result<(), Failure> {
    let rules = ContextRules::of(machine);
    for text in values {
        let wrong = |problem: &str| Failure::Usage(format!("`--set {text}`: {problem}"));
        let named = text.split_once('=').and_then(|(name, value)| Some((name.rsplit_once('.')?, value)));
        let Some(((context, field), value)) = named else {
            return Err(wrong("write the context, the field and the value: `--set job.title=Tea`"));
        };
        let grant = |context: String| Grant { context, reads: Fields::All, writes: Fields::All };
        let is_context = |id: &_| machine.kind(*id) == exo_rails_dygram::NodeKind::Context;
        let grants: Vec<_> = machine.ids().filter(is_context).map(|id| grant(machine.path(id).to_owned())).collect();
        // A text without quotes is a text. A number for a field of texts is one, too.
        let parsed = serde_json::from_str(value).ok();
        let write = |value: Value, contexts: &mut Contexts| {
            contexts.write(&rules, &grants, context, Map::from_iter([(field.to_owned(), value)]))
        };
        let result = match parsed {
            Some(parsed) => {
                write(parsed, contexts).or_else(|error| write(Value::from(value), contexts).map_err(|_| error))
            }
            None => write(Value::from(value), contexts),
        };
        result.map_err(|error| wrong(&error.to_string()))?;
    }
    Ok(())
}

/// Begins an execution with the values of the command line, or continues it.
pub(crate) fn begin<'e>(
    executor: &'e MachineExecutor,
    run: &RunOptions,
    state: Option<MachineState>,
) -> Result<MachineExecution<'e>, Failure> {
    if let Some(state) = state {
        return executor.resume(state).map_err(|error| Failure::of_file(&run.file, error));
    }
    let mut execution = executor.start();
    let mut result = Ok(());
    execution.change_contexts(|contexts| result = set(contexts, executor.plan().machine(), &run.values));
    result.map(|()| execution)
}

/// Returns the failure of a machine that stopped, with what the person can do.
pub(crate) fn stopped(error: &MachineError, state: &mut MachineState, again: &Again) -> Failure {
    match error {
        MachineError::Suspended { .. } => {
            let waits = crate::questions::describe(state, &again.to_string());
            Failure::Waits(if waits.is_empty() { error.to_string() } else { format!("the machine waits: {waits}") })
        }
        MachineError::Cancelled | MachineError::TimeLimit { .. } => {
            Failure::Stopped(format!("{error}; continue with\n  {again}"))
        }
        MachineError::StepLimit { limit } => Failure::Stopped(format!(
            "the machine took {limit} steps, and may not take more; continue with\n  {}",
            again.with("--max-steps", limit.saturating_mul(2))
        )),
        MachineError::VisitLimit { node, limit } => Failure::Stopped(format!(
            "`{node}` was visited {limit} times, and may not be visited again; continue with\n  {}",
            again.with("--max-visits", u64::from(limit.saturating_mul(2)))
        )),
        error => Failure::Stopped(error.to_string()),
    }
}
