//! Events in one line: what each carries.

use exo_rails::prelude::*;

use crate::page::one_line;

const LONGEST: usize = 78;

/// What the event carries, as its rails have left it.
///
/// A result that the rails have not accepted may hold what they hide, so it is not shown.
pub(crate) fn event(inputs: &Inputs<'_>, accepted: bool) -> String {
    let text = match inputs {
        Inputs::Start(run) => quoted(&run.input.text()),
        Inputs::PreLlmCall(call) => count(call.messages.len(), "message"),
        Inputs::PostLlmCall(..) | Inputs::PostToolCall(..) | Inputs::Finished(..) if !accepted => {
            "a result that is not accepted".to_owned()
        }
        Inputs::PostLlmCall(_, response) => answer(response),
        Inputs::LlmError(_, error) => error.to_string(),
        Inputs::PreToolCall(call) => format!("{} {}", call.tool_name, arguments(call)),
        Inputs::PostToolCall(call, output) => result(call, output),
        Inputs::ToolError(call, error) => format!("{}: {error}", call.tool_name),
        Inputs::Finished(_, output) => count(output.steps as usize, "step"),
        Inputs::Error(_, error) => error.to_string(),
        _ => String::new(),
    };
    one_line(&text, LONGEST)
}

fn answer(response: &ModelResponse) -> String {
    let text = response.message.text();
    let calls: Vec<_> = response.message.tool_calls.iter().map(|call| call.function.name.as_str()).collect();
    match (text.is_empty(), calls.is_empty()) {
        (false, true) => quoted(&text),
        (true, _) => format!("calls {}", calls.join(", ")),
        (false, false) => format!("{} and calls {}", quoted(&text), calls.join(", ")),
    }
}

/// The arguments without the braces and quotation marks around them.
fn arguments(call: &ToolCallInputs) -> String {
    let Some(arguments) = call.arguments.as_object() else { return call.arguments.to_string() };
    let arguments: Vec<_> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    arguments.join(" ")
}

fn result(call: &ToolCallInputs, output: &ToolOutput) -> String {
    let content = output.content.trim_end();
    let lines = content.lines().count();
    if lines <= 1 || output.is_error {
        return format!("{}: {content}", call.tool_name);
    }
    format!("{}, {}: {content}", call.tool_name, count(lines, "line"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.trim())
}

pub(crate) fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}
