//! Payloads as texts: all that the model knows of them.

use exo_rails::NoSubstitute;
use exo_rails::message::Message;
use exo_rails::prelude::*;

/// A part of a payload.
pub(crate) trait Text {
    fn text(&self) -> String;
}

/// A part that rails may change.
pub(crate) trait Changeable: Text + Send {
    fn saying(text: &str) -> Self
    where
        Self: Sized;

    fn push(&mut self, text: &str);
}

macro_rules! text {
    ($($part:ty: |$this:ident| $text:expr, |$given:ident| $of:expr;)*) => {$(
        impl Text for $part {
            fn text(&self) -> String {
                let $this = self;
                $text
            }
        }

        impl Changeable for $part {
            fn saying($given: &str) -> Self {
                $of
            }

            fn push(&mut self, text: &str) {
                *self = Self::saying(&(self.text() + text));
            }
        }
    )*};
}

text! {
    InvokeInputs: |run| run.input.text().into_owned(), |text| Self::new(text);
    InvokeOutput: |output| output.text.clone(), |text| Self::text(text);
    ModelCallInputs: |call| call.messages.iter().map(Message::text).collect(), |text| tests::prompt(text);
    ModelResponse: |response| response.message.text().into_owned(), |text| Self::text(text);
    ToolCallInputs: |call| call.tool_name.clone(), |text| Self::new(text);
    ToolOutput: |output| output.content.clone(), |text| Self::text(text);
}

impl Text for NoSubstitute {
    fn text(&self) -> String {
        match *self {}
    }
}

impl Text for OperationError {
    fn text(&self) -> String {
        self.message.clone()
    }
}

impl Text for RunError {
    fn text(&self) -> String {
        match self {
            Self::Abort(abort) => format!("{} aborts at {}: {}", abort.rail_name, abort.event, abort.reason),
            Self::Fault(fault) => fault.text(),
            Self::RetriesExhausted(error) => format!(
                "{} has used up {} retries at {} after {} attempts: {}",
                error.rail_name,
                error.limit.max_retries(),
                error.event,
                error.attempts,
                error.reason
            ),
            Self::Operation(error) => error.text(),
            other => other.to_string(),
        }
    }
}

impl Text for RailFault {
    fn text(&self) -> String {
        format!("{} faults at {}: {}", self.rail_name, self.event, self.cause)
    }
}

/// Both parts of a payload.
pub(crate) fn both(one: &impl Text, two: &impl Text) -> String {
    format!("{}|{}", one.text(), two.text())
}

/// All that a payload shows.
pub(crate) fn all(inputs: &Inputs<'_>) -> String {
    match inputs {
        Inputs::Start(run) => run.text(),
        Inputs::PreLlmCall(call) => call.text(),
        Inputs::PostLlmCall(call, response) => both(*call, *response),
        Inputs::LlmError(call, error) => both(*call, *error),
        Inputs::PreToolCall(call) => call.text(),
        Inputs::PostToolCall(call, output) => both(*call, *output),
        Inputs::ToolError(call, error) => both(*call, *error),
        Inputs::Finished(run, output) => both(*run, *output),
        Inputs::Error(run, error) => both(*run, *error),
        _ => unreachable!("an event without a test"),
    }
}

/// The part of a payload that rails may change.
pub(crate) fn changeable(inputs: Inputs<'_>) -> Option<&mut dyn Changeable> {
    Some(match inputs {
        Inputs::Start(run) => run,
        Inputs::PreLlmCall(call) => call,
        Inputs::PostLlmCall(_, response) => response,
        Inputs::PreToolCall(call) => call,
        Inputs::PostToolCall(_, output) => output,
        Inputs::Finished(_, output) => output,
        _ => return None,
    })
}
