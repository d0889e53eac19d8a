//! What several tests need.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use exo_rails::NoRails;
use exo_rails::message::Role;
use exo_rails::prelude::*;
use exo_rails_agent::{Model, ScriptedModel};
use exo_rails_machine::{Done, Executor, ExecutorBuilder, History, MachineError};

/// Returns a builder for a file and a script. The clock stands still.
pub(crate) fn machine(file: &str, script: &str) -> ExecutorBuilder<ScriptedModel, NoRails> {
    let reading = exo_rails_dygram::read("flow.dygram", file);
    assert!(!reading.report.has_errors(), "{}", reading.report);
    let model: ScriptedModel = script.parse().unwrap();
    Executor::builder(&reading.machine, model).clock(|| SystemTime::UNIX_EPOCH + Duration::from_secs(1))
}

pub(crate) async fn run(file: &str, script: &str) -> Result<Done, MachineError> {
    machine(file, script).build().unwrap().run().await.map_err(|stopped| stopped.error)
}

/// Returns the nodes of all steps, with `*` behind those that the agent decided.
pub(crate) fn trace(history: &History) -> Vec<String> {
    let decided = |step: &exo_rails_machine::HistoryStep| {
        if step.transition_type == exo_rails_machine::TransitionType::AgentControlled { "*" } else { "" }
    };
    history.steps.iter().map(|step| format!("{}{}", step.current_node, decided(step))).collect()
}

/// A call of a transition tool, as a turn of a script.
pub(crate) fn go(target: &str) -> String {
    format!(r#"{{ "call": [{{ "tool": "transition_to_{target}", "arguments": {{ "reason": "because" }} }}] }}"#)
}

/// A model that answers with a function, and keeps the requests.
#[derive(Clone)]
pub(crate) struct Answers<F> {
    pub(crate) answer: F,
    pub(crate) requests: Arc<Mutex<Vec<ModelCallInputs>>>,
}

impl<F> Answers<F> {
    pub(crate) fn new(answer: F) -> Self {
        Self { answer, requests: Arc::default() }
    }
}

impl<F: Fn(&ModelCallInputs) -> ModelResponse + Send + Sync> Model for Answers<F> {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.requests.lock().unwrap().push((*request).clone());
        Ok((self.answer)(&request))
    }
}

/// An answer that calls one tool.
pub(crate) fn calls(tool: &str, arguments: serde_json::Value) -> ModelResponse {
    let mut response = ModelResponse::text("");
    response.message.tool_calls.push(exo_rails::message::ToolCall::new("call-1", tool, &arguments));
    response
}

/// A scripted model that keeps its requests.
#[derive(Clone)]
pub(crate) struct Recorded {
    script: Arc<ScriptedModel>,
    pub(crate) requests: Arc<Mutex<Vec<ModelCallInputs>>>,
}

impl Recorded {
    pub(crate) fn new(script: &str) -> Self {
        Self { script: Arc::new(script.parse().unwrap()), requests: Arc::default() }
    }

    /// Returns the names of the tools of each request.
    pub(crate) fn tools(&self) -> Vec<Vec<String>> {
        let names = |request: &ModelCallInputs| request.tools.iter().map(|tool| tool.function.name.clone()).collect();
        self.requests.lock().unwrap().iter().map(names).collect()
    }

    /// Returns the instructions of each request.
    pub(crate) fn systems(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().map(system_of).collect()
    }
}

/// Returns the instructions of a request.
pub(crate) fn system_of(request: &ModelCallInputs) -> String {
    let system = request.messages.iter().filter(|message| message.role == Role::System);
    system.map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n")
}

impl Model for Recorded {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.requests.lock().unwrap().push((*request).clone());
        self.script.call(request).await
    }
}

/// A builder for a file and a script, and the model with its requests.
pub(crate) fn recorded(file: &str, script: &str) -> (ExecutorBuilder<Recorded, NoRails>, Recorded) {
    let reading = exo_rails_dygram::read("flow.dygram", file);
    assert!(!reading.report.has_errors(), "{}", reading.report);
    let model = Recorded::new(script);
    let builder = Executor::builder(&reading.machine, model.clone());
    (builder.clock(|| SystemTime::UNIX_EPOCH + Duration::from_secs(1)), model)
}

/// A call of a tool, as a turn of a script.
pub(crate) fn call(tool: &str, arguments: serde_json::Value) -> serde_json::Value {
    serde_json::json!({ "call": [{ "tool": tool, "arguments": arguments }] })
}

/// A call of a transition tool, as a turn of a script.
pub(crate) fn take(target: &str) -> serde_json::Value {
    call(&format!("transition_to_{target}"), serde_json::json!({ "reason": "because" }))
}

/// An answer without calls, as a turn of a script.
pub(crate) fn say(text: &str) -> serde_json::Value {
    serde_json::json!({ "say": text })
}
