//! Events in few words: what each carries, and what rails have changed in it.

use std::iter::repeat;

use exo_rails::prelude::*;

use crate::page::one_line;

/// What a text or a tool's output may take; the rest is not shown.
const LONGEST: usize = 78;

/// Errors say what is wrong, so they may take some lines.
const LONGEST_ERROR: usize = 240;

/// What the event carries, as its rails have left it.
///
/// What the rails have not accepted may hold what they hide, so it is not shown. A call of the model or of a
/// tool repeats what they have accepted before.
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
        // Which error it is, stands below the timeline.
        Inputs::Error(..) => "the run ends without an answer".to_owned(),
        _ => String::new(),
    }
}

/// The text in which changes are looked for.
pub(crate) fn text(inputs: &Inputs<'_>) -> String {
    match inputs {
        Inputs::Start(run) => run.input.text().into_owned(),
        Inputs::PreToolCall(call) => request(call),
        Inputs::PostToolCall(_, output) => output.content.clone(),
        other => format!("{other:#?}"),
    }
}

/// The first line of `after` that `before` does not have in its place. What was there may be a secret.
pub(crate) fn difference(before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let changed = after.lines().zip(before.lines().map(Some).chain(repeat(None))).find(|(new, old)| Some(*new) != *old);
    Some(changed.map_or_else(|| "fewer lines".to_owned(), |(line, _)| short(line)))
}

/// One line that is not too long.
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

/// A tool call: the name and the arguments.
fn request(call: &ToolCallInputs) -> String {
    format!("{} {}", call.tool_name, arguments(call))
}

/// The arguments without the braces and quotation marks around them.
fn arguments(call: &ToolCallInputs) -> String {
    let Some(arguments) = call.arguments.as_object() else { return call.arguments.to_string() };
    let arguments: Vec<_> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    arguments.join(" ")
}

/// The first line of the output, and how many there are.
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
