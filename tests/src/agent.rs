//! An agent with prepared answers and with tools that do nothing, to test rails.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::message::{Message, Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, AgentBuilder};

use crate::journal::note;

/// A model that returns prepared answers, one after the other.
#[derive(Debug)]
pub struct Model(Mutex<VecDeque<ModelResponse>>);

impl Model {
    /// Makes a model with these answers.
    #[must_use]
    pub fn new(answers: impl IntoIterator<Item = ModelResponse>) -> Self {
        Self(Mutex::new(answers.into_iter().collect()))
    }

    fn next(&self) -> Result<ModelResponse, OperationError> {
        let answer = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        answer.ok_or_else(|| "the model has no answer left".into())
    }
}

/// Makes an answer that asks for a call of each of these tools.
#[must_use]
pub fn asks_for(tools: &[&str]) -> ModelResponse {
    let calls = tools.iter().map(|tool| ToolCall::new(format!("call-{tool}"), *tool, &serde_json::json!({})));
    let message = Message { role: Role::Assistant, tool_calls: calls.collect(), ..Message::default() };
    ModelResponse { message, ..ModelResponse::default() }
}

impl exo_rails_agent::Model for Model {
    async fn call(&self, call: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        note(call.scope(), format!("model after {} messages", call.messages.len()));
        self.next()
    }
}

/// Any model behind one type.
pub type AnyModel = Arc<dyn exo_rails_agent::Model>;

/// Begins to build an agent. Unlike with [`Agent::builder`], the types of all agents have the same model, so the compiler
/// makes the code of an agent once for each type of guard set.
pub fn agent(name: &str, model: impl exo_rails_agent::Model + 'static) -> AgentBuilder<AnyModel> {
    Agent::builder(name, Arc::new(model))
}

/// Runs the agent once, guarded, in the given context. The tools of the agent are `search`, `read` and `delete`.
///
/// # Errors
/// Returns the error of the run.
pub async fn run_agent(
    rails: &dyn GuardSet,
    model: &Model,
    input: &str,
    ctx: &mut RunContext,
) -> Result<InvokeOutput, RunError> {
    let (tools, model): (_, &dyn exo_rails_agent::Model) = (["search", "read", "delete"].map(tool), model);
    Ok(Agent::builder("tests", model).tools(tools).rails(rails).build().run_in(input, ctx).await?)
}

fn tool(name: &str) -> Tool {
    Tool::with_permit(name, "Does nothing.", serde_json::json!({ "type": "object" }), |call| async move {
        note(call.scope(), format!("tool {}", call.tool_name));
        Ok::<_, OperationError>("done")
    })
}
