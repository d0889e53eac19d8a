//! Prints a trace.

use std::fmt::{Formatter, Result};

use crate::context::StopKind;
use crate::message::{Message, Messages, ToolCall};
use crate::testing::trace_entry::{TraceEntry, TracedEvent};

/// Prints all entries, and numbers the events.
pub(super) fn entries(f: &mut Formatter<'_>, entries: &[TraceEntry]) -> Result {
    let (mut number, mut told) = (0, &Messages::new());
    for entry in entries {
        match entry {
            TraceEntry::Fired(event) => {
                number += 1;
                show_event(f, number, event)?;
            }
            TraceEntry::ModelAsked(messages) => {
                request(f, told, messages)?;
                told = messages;
            }
            TraceEntry::ToolRan(call) => writeln!(f, "     `{}` runs with {}", call.tool_name, call.arguments)?,
            TraceEntry::Streamed(piece) => writeln!(f, "     the stream yields {piece:?}")?,
            TraceEntry::Noted(note) => writeln!(f, "     {note}")?,
        }
    }
    Ok(())
}

fn show_event(f: &mut Formatter<'_>, number: usize, event: &TracedEvent) -> Result {
    let tool = event.tool.iter().map(|tool| format!("`{tool}`"));
    let step = (event.step > 0).then(|| format!("step {}", event.step));
    let attempt = (event.attempt > 0).then(|| format!("attempt {}", event.attempt));
    let place: Vec<_> = tool.chain(step).chain(attempt).collect();
    let colon = if place.is_empty() { "" } else { ": " };
    writeln!(f, "{number:>3}  {:<17}  {}{colon}{}", event.point, place.join(", "), decision(event))?;
    event.changes.iter().try_for_each(|change| writeln!(f, "     changed {change}"))
}

fn decision(event: &TracedEvent) -> String {
    match &event.stopped {
        None if event.has_ended => "continue".to_owned(),
        None => "its rails did not finish".to_owned(),
        Some(stopped) => format!("{} by `{}`: {}", stop(stopped.how), stopped.rail_name, stopped.reason),
    }
}

/// Prints a request, without the messages that the previous request had too.
fn request(f: &mut Formatter<'_>, before: &Messages, messages: &Messages) -> Result {
    let same = before.iter().zip(messages).take_while(|(one, other)| one == other).count();
    match same {
        0 => writeln!(f, "     the model reads:")?,
        1 => writeln!(f, "     the model reads, after 1 message as before:")?,
        _ => writeln!(f, "     the model reads, after {same} messages as before:")?,
    }
    messages.iter().skip(same).try_for_each(|message| writeln!(f, "       {}", said(message)))
}

fn said(message: &Message) -> String {
    let role = serde_json::to_value(&message.role).unwrap_or_default();
    let call = |call: &ToolCall| format!(", calls `{}` with {}", call.function.name, call.function.arguments);
    let calls: String = message.tool_calls.iter().map(call).collect();
    format!("{}: {:?}{calls}", role.as_str().unwrap_or_default(), message.text())
}

pub(super) const fn stop(how: StopKind) -> &'static str {
    match how {
        StopKind::Skip => "skip",
        StopKind::Retry => "retry",
        StopKind::Abort => "abort",
        StopKind::Fault => "fault",
    }
}

/// Returns the verb for a rail that stops an event.
pub(super) const fn does(how: StopKind) -> &'static str {
    match how {
        StopKind::Skip => "skips",
        StopKind::Retry => "asks for a retry",
        StopKind::Abort => "aborts",
        StopKind::Fault => "faults",
    }
}

pub(super) fn times(times: usize) -> String {
    if times == 1 { "1 time".to_owned() } else { format!("{times} times") }
}
