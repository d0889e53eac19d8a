//! Operations to guard. Each operation notes its call and its inputs.

use exo_rails::message::Message;
use exo_rails::prelude::*;

use crate::journal::note;

/// A tool whose output shows its arguments.
///
/// # Errors
/// Never returns an error.
pub async fn tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    note(call.scope(), format!("tool {} {}", call.tool_name, call.arguments));
    Ok(ToolOutput::text(call.arguments.to_string()))
}

/// A tool that fails.
///
/// # Errors
/// Always returns an error.
pub async fn broken_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    note(call.scope(), format!("broken tool {}", call.tool_name));
    Err("the tool is broken".into())
}

/// A model that repeats the last message.
///
/// # Errors
/// Never returns an error.
pub async fn model(call: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    let told = call.messages.last().map(Message::text).unwrap_or_default();
    note(call.scope(), format!("model {told}"));
    Ok(ModelResponse::text(told))
}

/// A model that fails.
///
/// # Errors
/// Always returns an error.
pub async fn broken_model(call: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    note(call.scope(), "broken model");
    Err("the model is broken".into())
}

/// Makes a request with one message.
#[must_use]
pub fn prompt(text: &str) -> ModelCallInputs {
    ModelCallInputs::new(vec![Message::user(text)])
}

/// A run that answers with its input.
///
/// # Errors
/// Never returns an error.
pub async fn run(run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
    note(run.scope(), format!("run {}", run.input.text()));
    Ok(InvokeOutput::text(run.input.text()))
}

/// A run that fails.
///
/// # Errors
/// Always returns an error.
pub async fn broken_run(run: Permit<InvokeInputs>) -> Result<InvokeOutput, OperationError> {
    note(run.scope(), "broken run");
    Err("the run is broken".into())
}

/// Makes an operation that fails the first `times` times.
pub fn fails_first<T>(times: u32, output: T) -> impl FnMut() -> Result<T, OperationError>
where
    T: Clone,
{
    let mut calls = 0;
    move || {
        calls += 1;
        if calls <= times { Err(format!("failure {calls}").into()) } else { Ok(output.clone()) }
    }
}
