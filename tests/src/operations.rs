//! Operations to guard: each notes that it has happened, and with what.

use exo_rails::message::Message;
use exo_rails::prelude::*;

use crate::journal::note;

/// A tool whose output shows the arguments that it was called with.
///
/// # Errors
/// Never.
pub async fn tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    note(call.scope(), format!("tool {} {}", call.tool_name, call.arguments));
    Ok(ToolOutput::text(call.arguments.to_string()))
}

/// A tool that fails.
///
/// # Errors
/// Always.
pub async fn broken_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    note(call.scope(), format!("broken tool {}", call.tool_name));
    Err("the tool is broken".into())
}

/// A model that says what it was told last.
///
/// # Errors
/// Never.
pub async fn model(call: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    let told = call.messages.last().map(Message::text).unwrap_or_default();
    note(call.scope(), format!("model {told}"));
    Ok(ModelResponse::text(told))
}

/// A model that fails.
///
/// # Errors
/// Always.
pub async fn broken_model(call: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    note(call.scope(), "broken model");
    Err("the model is broken".into())
}

/// A request with one message.
#[must_use]
pub fn prompt(text: &str) -> ModelCallInputs {
    ModelCallInputs::new(vec![Message::user(text)])
}

/// A run that answers with its input.
///
/// # Errors
/// Never.
pub async fn run(run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
    note(run.scope(), format!("run {}", run.input.text()));
    Ok(InvokeOutput::text(run.input.text()))
}

/// A run that fails.
///
/// # Errors
/// Always.
pub async fn broken_run(run: Permit<InvokeInputs>) -> Result<InvokeOutput, OperationError> {
    note(run.scope(), "broken run");
    Err("the run is broken".into())
}

/// How an operation ends that fails the first `times` times.
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
