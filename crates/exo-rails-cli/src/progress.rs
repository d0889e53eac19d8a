//! Prints the steps of a machine.

use exo_rails_guards::approval::visible;
use exo_rails_machine::{Done, HistoryStep, StepOutcome, TransitionType};
use serde_json::Value;

use crate::failure::counted;

/// The letters of a value or a reason that a line shows.
const LONGEST: usize = 100;

/// Prints a step for a person.
pub(crate) fn print(step: &HistoryStep) {
    let dim = anstyle::Style::new().dimmed();
    let bold = anstyle::Style::new().bold();
    let HistoryStep { step_number, current_node, .. } = step;
    let way = way(step);
    let by = by(step);
    let node = shown(current_node);
    anstream::println!("{dim}{step_number:>4}{dim:#}  {bold}{node}{bold:#} {way}{dim}{by}{dim:#}");
    for detail in details(step) {
        anstream::println!("{dim}        {detail}{dim:#}");
    }
    let red = anstyle::AnsiColor::Red.on_default();
    for error in &step.errors {
        anstream::println!("        {red}{}{red:#}", shown(error));
    }
}

/// Returns a step in one line.
pub(crate) fn sentence(step: &HistoryStep) -> String {
    format!("{} {}{}", shown(&step.current_node), way(step), by(step))
}

fn way(step: &HistoryStep) -> String {
    let next = step.next_nodes.iter().map(|node| shown(node)).collect::<Vec<_>>().join(", ");
    match step.outcome {
        StepOutcome::Ended => "ends".to_owned(),
        StepOutcome::Failed => "fails".to_owned(),
        StepOutcome::Waits => format!("waits before {next}"),
        _ => format!("-> {next}"),
    }
}

fn by(step: &HistoryStep) -> String {
    match (step.transition_type, &step.reason) {
        (TransitionType::Automated, _) => String::new(),
        (TransitionType::AgentControlled, None) => " (agent)".to_owned(),
        (TransitionType::AgentControlled, Some(reason)) => format!(" (agent: {})", shown(reason)),
    }
}

/// Returns what a step shows below its first line.
pub(crate) fn details(step: &HistoryStep) -> Vec<String> {
    let mut lines = Vec::new();
    for mutation in &step.mutations {
        let name = ["name", "tool_name"].iter().find_map(|key| mutation.data.get(key)).and_then(Value::as_str);
        lines.push(format!("{} {}", mutation.kind, shown(name.unwrap_or_default())));
    }
    for written in &step.writes {
        let value = shown(&written.after.to_string());
        lines.push(format!("{}.{} = {value}", shown(&written.context), shown(&written.field)));
    }
    if let Some(invocation) = &step.agent_invocation {
        let usage = invocation.token_usage;
        let mut parts = Vec::new();
        if !invocation.tools_used.is_empty() {
            parts.push(format!("tools: {}", shown(&invocation.tools_used.join(", "))));
        }
        let tokens = usage.input.saturating_add(usage.output);
        if tokens > 0 {
            parts.push(format!("{tokens} tokens"));
        }
        lines.extend((!parts.is_empty()).then(|| parts.join("; ")));
    }
    lines
}

/// Prints the end of a machine.
pub(crate) fn print_end(done: &Done) {
    let sums = &done.history.summary;
    let mut parts =
        vec![counted_u64(sums.total_steps, "step"), counted_u64(sums.agent_decisions, "decision") + " of the agent"];
    for (number, noun) in [
        (sums.tools_constructed, "constructed tool"),
        (sums.tool_improvements_proposed, "improvement"),
        (sums.total_tokens, "token"),
    ] {
        parts.extend((number > 0).then(|| counted_u64(number, noun)));
    }
    let green = anstyle::AnsiColor::Green.on_default().bold();
    let ended_at = done.ended_at.iter().map(|node| shown(node)).collect::<Vec<_>>().join(", ");
    anstream::println!("{green}completed{green:#} at {ended_at}: {}", parts.join(", "));
}

fn counted_u64(number: u64, noun: &str) -> String {
    counted(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// Shortens a text, and shows the characters that would change a terminal. Models and files choose these texts.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    visible(&short.replace(['\n', '\r', '\t'], " ")).into_owned()
}
