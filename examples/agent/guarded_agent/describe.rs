//! Describes events in few words: their payload, and the changes that rails made to it.

use std::iter::repeat;

use exo_rails::prelude::*;

use crate::page::one_line;

/// The number of characters that are shown of a text or of a tool's output.
const LONGEST: usize = 78;

/// The number of characters that are shown of an error. An error may take several lines.
const LONGEST_ERROR: usize = 240;

/// Describes the payload of an event, as its rails left it.
///
/// A payload that the rails have not accepted may contain a secret, so it is not shown. The call of a model or of a tool
/// is shown, because it repeats a payload that the rails accepted before.
pub(crate) fn event(inputs: &Inputs<'_>, accepted: bool) -> String {
    match inputs {
        Inputs::Start(..) | Inputs::PostLlmCall(..) | Inputs::PostToolCall(..) | Inputs::Finished(..) if !accepted => {
            "not accepted, so not shown".to_owned()
        }
        Inputs::Start(run) => quoted(&run.input.text()),
        Inputs::PreLlmCall(call) => count(call.messages.len(), "message"),
        Inputs::PostLlmCall(_, response) => answer(response),
        Inputs::LlmError(_, error) => one_line(&error.to_string(), LONGEST_ERROR),
        Inputs::PreToolCall(call) => short(&request(call)),
        Inputs::PostToolCall(call, output) => result(call, output),
        Inputs::ToolError(call, error) => one_line(&format!("{}: {error}", call.tool_name), LONGEST_ERROR),
        Inputs::Finished(_, output) => format!("an answer after {}", count(output.steps as usize, "step")),
        // The program prints the error below the timeline.
        Inputs::Error(..) => "the run ends without an answer".to_owned(),
        _ => String::new(),
    }
}

/// The text that is compared to find changes.
pub(crate) fn text(inputs: &Inputs<'_>) -> String {
    match inputs {
        Inputs::Start(run) => run.input.text().into_owned(),
        Inputs::PreToolCall(call) => request(call),
        Inputs::PostToolCall(_, output) => output.content.clone(),
        other => format!("{other:#?}"),
    }
}

/// Returns the first line of `after` that differs from `before`. The line of `before` is not shown, because it may be a
/// secret.
pub(crate) fn difference(before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let changed = after.lines().zip(before.lines().map(Some).chain(repeat(None))).find(|(new, old)| Some(*new) != *old);
    Some(changed.map_or_else(|| "fewer lines".to_owned(), |(line, _)| short(line)))
}

/// Shortens a text to one line.
pub(crate) fn short(text: &str) -> String {
    one_line(text, LONGEST)
}

fn answer(response: &ModelResponse) -> String {
    let text = response.message.text();
    let calls: Vec<_> = response.message.tool_calls.iter().map(|call| call.function.name.as_str()).collect();
    match (text.is_empty(), calls.is_empty()) {
        (true, true) => "says nothing".to_owned(),
        (false, true) => quoted(&text),
        (true, false) => short(&format!("calls {}", calls.join(", "))),
        (false, false) => short(&format!("\"{}\", calls {}", text.trim(), calls.join(", "))),
    }
}

/// A tool call: its name and its arguments.
fn request(call: &ToolCallInputs) -> String {
    format!("{} {}", call.tool_name, arguments(call))
}

/// The arguments without the outer braces and quotation marks.
fn arguments(call: &ToolCallInputs) -> String {
    let Some(arguments) = call.arguments.as_object() else { return call.arguments.to_string() };
    let arguments: Vec<_> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    arguments.join(" ")
}

/// The first line of the output, and the number of lines.
fn result(call: &ToolCallInputs, output: &ToolOutput) -> String {
    let mut lines = output.content.lines();
    let first = lines.next().unwrap_or_default();
    let more = match lines.count() {
        0 => String::new(),
        more => format!(" (+ {})", count(more, "line")),
    };
    let room = LONGEST - more.len();
    format!("{}{more}", one_line(&format!("{}: {first}", call.tool_name), room))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text, LONGEST - 2))
}

pub(crate) fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}
