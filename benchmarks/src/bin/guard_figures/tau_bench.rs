//! The recorded tool calls of tau-bench: real work of a desk for airline tickets.

use std::fs;

use exo_rails::ToolCallInputs;
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

pub(crate) fn calls(corpora: &Corpora) -> Result<Vec<Recorded>, Failure> {
    let runs: Vec<Value> = serde_json::from_str(&fs::read_to_string(corpora.folder(NAME)?.join(RUNS))?)?;
    let mut calls = Vec::new();
    for run in &runs {
        let is_solved = run["reward"].as_f64() == Some(1.0);
        let messages = run["traj"].as_array().into_iter().flatten();
        for asked in messages.filter_map(|message| message["tool_calls"].as_array()).flatten() {
            let text = |key: &str| asked["function"][key].as_str().unwrap_or_default();
            let arguments = serde_json::from_str(text("arguments")).unwrap_or_else(|_| text("arguments").into());
            calls.push(Recorded { call: ToolCallInputs::new(text("name")).with_arguments(arguments), is_solved });
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
