//! The recorded tool calls of tau-bench: real work of a desk for airline tickets.

use std::fs;

use exo_rails::{ToolCallInputs, ToolOutput};
use serde_json::Value;

use crate::Failure;
use crate::corpora::Corpora;

pub(crate) const NAME: &str = "tau-bench";
pub(crate) const RUNS: &str = "historical_trajectories/gpt-4o-airline.json";

/// A recorded tool call.
pub(crate) struct Recorded {
    pub(crate) call: ToolCallInputs,
    /// Whether the run solved its task.
    pub(crate) is_solved: bool,
}

/// The calls of an answer, with their results.
pub(crate) type Step = Vec<(ToolCallInputs, ToolOutput)>;

/// A recorded run.
pub(crate) struct RecordedRun {
    pub(crate) steps: Vec<Step>,
    /// Whether the run solved its task.
    pub(crate) is_solved: bool,
}

/// Reads the runs with the results of their calls. A call without a result is left out.
pub(crate) fn runs(corpora: &Corpora) -> Result<Vec<RecordedRun>, Failure> {
    let runs: Vec<Value> = serde_json::from_str(&fs::read_to_string(corpora.folder(NAME)?.join(RUNS))?)?;
    let mut all = Vec::new();
    for run in &runs {
        let mut steps: Vec<Step> = Vec::new();
        let mut asked = Vec::new();
        for message in run["traj"].as_array().into_iter().flatten() {
            if let Some(calls) = message["tool_calls"].as_array() {
                asked.clone_from(calls);
                steps.push(Vec::new());
            }
            let of = |call: &Value| message["role"] == "tool" && call["id"] == message["tool_call_id"];
            if let (Some(call), Some(step)) = (asked.iter().find(|call| of(call)), steps.last_mut()) {
                let content = message["content"].as_str().unwrap_or_default();
                let is_error = content.starts_with("Error");
                step.push((recorded(call), ToolOutput { is_error, ..ToolOutput::text(content) }));
            }
        }
        all.push(RecordedRun { steps, is_solved: run["reward"].as_f64() == Some(1.0) });
    }
    Ok(all)
}

fn recorded(asked: &Value) -> ToolCallInputs {
    let text = |key: &str| asked["function"][key].as_str().unwrap_or_default();
    let arguments = serde_json::from_str(text("arguments")).unwrap_or_else(|_| text("arguments").into());
    ToolCallInputs::new(text("name")).with_arguments(arguments)
}

pub(crate) fn calls(corpora: &Corpora) -> Result<Vec<Recorded>, Failure> {
    let runs: Vec<Value> = serde_json::from_str(&fs::read_to_string(corpora.folder(NAME)?.join(RUNS))?)?;
    let mut calls = Vec::new();
    for run in &runs {
        let is_solved = run["reward"].as_f64() == Some(1.0);
        let messages = run["traj"].as_array().into_iter().flatten();
        for asked in messages.filter_map(|message| message["tool_calls"].as_array()).flatten() {
            calls.push(Recorded { call: recorded(asked), is_solved });
        }
    }
    Ok(calls)
}

/// Prints how many of the calls a guard refuses, and why.
pub(crate) fn report(refusals: &[Option<String>]) {
    let refused: Vec<_> = refusals.iter().flatten().collect();
    println!("tau-bench: {} calls, {} refused", refusals.len(), refused.len());
    for reason in refused {
        println!("  {reason}");
    }
}
