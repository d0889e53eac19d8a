//! A small agent in a hand-written loop, for rails to guard.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use exo_rails::OperationErrorKind;
use exo_rails::message::{Message, Role, ToolCall};
use exo_rails::prelude::*;

use crate::journal::note;

/// A model that gives prepared answers, one after the other.
#[derive(Debug)]
pub struct Model(Mutex<VecDeque<ModelResponse>>);

impl Model {
    /// A model with these answers.
    #[must_use]
    pub fn new(answers: impl IntoIterator<Item = ModelResponse>) -> Self {
        Self(Mutex::new(answers.into_iter().collect()))
    }

    fn next(&self) -> Result<ModelResponse, OperationError> {
        let answer = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        answer.ok_or_else(|| "the model has no answer left".into())
    }
}

/// An answer that asks for a call of each of these tools.
#[must_use]
pub fn asks_for(tools: &[&str]) -> ModelResponse {
    let calls = tools.iter().map(|tool| ToolCall::new(format!("call-{tool}"), *tool, &serde_json::json!({})));
    let message = Message { role: Role::Assistant, tool_calls: calls.collect(), ..Message::default() };
    ModelResponse { message, ..ModelResponse::default() }
}

/// Runs the agent once, guarded; the context is the run's.
///
/// # Errors
/// Those of the guarded operations.
pub async fn run_agent<R: Rails>(
    rails: &R,
    model: &Model,
    input: &str,
    ctx: &mut RailContext,
) -> Result<InvokeOutput, RunError> {
    rails.guard_run(input, ctx, |run| answer(rails, model, run)).await
}

async fn answer<R: Rails>(rails: &R, model: &Model, run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
    let mut ctx = run.context();
    let mut conversation = vec![Message::user(run.input.text().into_owned())];
    loop {
        let call = ModelCallInputs::new(conversation.clone());
        let response = rails.guard_llm_call(call, &mut ctx, |call| ask(model, call)).await?;
        if response.message.tool_calls.is_empty() {
            return Ok(InvokeOutput { steps: ctx.step() + 1, ..InvokeOutput::text(response.message.text()) });
        }
        conversation.push(response.message.clone());
        for call in &response.message.tool_calls {
            conversation.push(call_tool(rails, call, &mut ctx).await?);
        }
        ctx.set_step(ctx.step() + 1);
    }
}

async fn ask(model: &Model, call: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    note(call.scope(), format!("model after {} messages", call.messages.len()));
    model.next()
}

/// A failed tool call is told to the model; anything else ends the run.
async fn call_tool<R: Rails>(rails: &R, call: &ToolCall, ctx: &mut RailContext) -> Result<Message, RunError> {
    let inputs = ToolCallInputs { id: call.id.clone(), ..ToolCallInputs::new(&call.function.name) };
    match rails.guard_tool_call(inputs, ctx, do_tool).await {
        Ok(output) => Ok(Message::tool(&call.id, output.content)),
        Err(RunError::Operation(error)) => Ok(Message::tool(&call.id, error.to_string())),
        Err(error) => Err(error),
    }
}

async fn do_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    if call.tool_name == "unknown" {
        return Err(OperationError::new(OperationErrorKind::NotFound, "there is no such tool"));
    }
    note(call.scope(), format!("tool {}", call.tool_name));
    Ok(ToolOutput::text("done"))
}
