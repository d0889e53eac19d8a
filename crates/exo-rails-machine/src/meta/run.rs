//! Runs the tools that agents have constructed. Each call inside is guarded, and counts for the whole machine.

use std::sync::Arc;

use exo_rails::{
    DynGuardSet, Guard, GuardSet, OperationError, OperationErrorKind, Permit, RunContext, ServesOperation, Tool,
    ToolCallInputs, ToolOutput,
};
use exo_rails_agent::Agent;
use serde_json::{Value, json};

use super::{MAX_COMPOSITIONS, Workshop, schema};
use crate::state::{ConstructedTool, Implementation};
use crate::tools::{invalid, refused};
use crate::transition::Transition;

impl<R: GuardSet + ServesOperation<Transition> + 'static> Workshop<R> {
    /// Makes a tool that runs a constructed one.
    pub(super) fn constructed(&self, tool: &ConstructedTool) -> Tool {
        let (this, name) = (self.clone(), tool.name.clone());
        let run = move |call: Permit<ToolCallInputs>| {
            let (this, name) = (this.clone(), name.clone());
            async move { this.run(&name, &call).await }
        };
        Tool::with_permit(tool.name.as_str(), tool.description.as_str(), tool.input_schema.clone(), run)
    }

    /// Returns the tools of which a composition may consist.
    pub(super) fn parts(&self) -> Vec<Tool> {
        let mut inside = self.clone();
        inside.desk.is_in_composition = true;
        inside.compositions += 1;
        let mut tools = self.program.to_vec();
        tools.extend(inside.desk.context_tools());
        let constructed = self.desk.live.with(|state, _| state.tools.clone());
        tools.extend(constructed.iter().map(|tool| inside.constructed(tool)));
        tools
    }

    async fn run(&self, name: &str, call: &Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
        self.desk.ensure_open()?;
        let tool = self.desk.live.with(|state, _| state.tools.iter().find(|tool| tool.name == name).cloned());
        let tool = tool
            .ok_or_else(|| OperationError::new(OperationErrorKind::NotFound, format!("there is no tool `{name}`")))?;
        schema::check(&tool.input_schema, &call.arguments).map_err(invalid)?;
        match tool.implementation {
            Implementation::AgentBacked(instructions) => self.ask(name, instructions, call).await,
            Implementation::Composition(steps) => self.compose(&steps, call).await,
            Implementation::CodeGeneration(code) => evaluate(code, call.arguments.clone()).await,
        }
    }

    /// Lets the model do the work, without tools.
    async fn ask(
        &self,
        name: &str,
        instructions: String,
        call: &Permit<ToolCallInputs>,
    ) -> Result<ToolOutput, OperationError> {
        let agent = Agent::builder(name, Arc::clone(&self.model))
            .rails(DynGuardSet::new(Arc::clone(&self.desk.rails)))
            .instructions(format!("You are the tool `{name}`. Answer with the result alone.\n\n{instructions}"))
            .build();
        let mut ctx: RunContext = call.context();
        let result = agent.run_in(call.arguments.to_string(), &mut ctx).await;
        let usage = result.as_ref().map_or_else(|failed| &failed.so_far.usage, |output| &output.usage);
        self.desk.live.with(|state, _| {
            if let Some(visit) = state.visit_mut(self.desk.path) {
                visit.usage += usage;
            }
        });
        let output = result.map_err(|failed| self.desk.error_of(failed.error))?;
        Ok(ToolOutput::text(output.text))
    }

    /// Calls tools one after the other. Each takes the output of the one before.
    async fn compose(&self, steps: &[String], call: &Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
        if self.compositions >= MAX_COMPOSITIONS {
            return Err(refused(format!("more than {MAX_COMPOSITIONS} compositions would be nested")));
        }
        let tools = self.parts();
        let mut arguments = call.arguments.clone();
        let mut output = ToolOutput::text("");
        for (at, step) in steps.iter().enumerate() {
            let tool = tools.iter().find(|tool| tool.name() == step);
            let tool = tool.ok_or_else(|| invalid(format!("this node has no tool `{step}`")))?;
            if at > 0 {
                arguments = passed(&output, tool)?;
            }
            let inputs = ToolCallInputs::new(step.as_str()).with_arguments(arguments.clone());
            let run = |call| Tool::call_named(&tools, call);
            let result = self.desk.rails.guard_tool_call(inputs, &mut call.context(), run).await;
            output = result.map_err(|error| self.desk.error_of(error))?;
            // Compositions of compositions may have very many steps, and limits of time must be able to end them.
            tokio::task::yield_now().await;
            if output.is_error {
                return Err(OperationError::new(OperationErrorKind::Other, format!("`{step}`: {}", output.content)));
            }
        }
        Ok(output)
    }
}

/// Returns the output of a tool as the arguments of the next one.
fn passed(output: &ToolOutput, next: &Tool) -> Result<Value, OperationError> {
    let value = serde_json::from_str(&output.content).unwrap_or_else(|_| Value::String(output.content.clone()));
    let parameters = &next.spec().function.parameters;
    let arguments = if value.is_object() {
        value
    } else {
        let name = schema::only_argument(parameters).ok_or_else(|| {
            invalid(format!(
                "the output before `{}` is not an object, and the tool does not have exactly one argument",
                next.name()
            ))
        })?;
        json!({ name: value })
    };
    schema::check(parameters, &arguments).map_err(|problem| invalid(format!("`{}`: {problem}", next.name())))?;
    Ok(arguments)
}

#[cfg(feature = "code")]
async fn evaluate(code: String, input: Value) -> Result<ToolOutput, OperationError> {
    super::code::run(code, input).await
}

#[cfg(not(feature = "code"))]
fn evaluate(_: String, _: Value) -> std::future::Ready<Result<ToolOutput, OperationError>> {
    std::future::ready(Err(refused("this program cannot run code")))
}
