//! A small agent: a model, tools, and a guard set around everything that they do.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::checks::IntoRails;
use crate::context::RailContext;
use crate::error::{OperationError, OperationErrorKind, RunError};
use crate::message::{Message, Role, ToolCall, Usage};
use crate::model::Model;
use crate::operation;
use crate::payload::{InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput};
use crate::permit::Permit;
use crate::rails::{NoRails, Rails};
use crate::tool::{Tool, unknown};

/// How many steps an agent may take when its builder does not say.
const DEFAULT_MAX_STEPS: u32 = 20;

/// An agent: it asks the model, does what the model asks for with its tools, and asks again, until the model
/// answers without a tool call.
///
/// Its guard set is anything that implements [`Rails`]: a static chain, a
/// [`RailManager`](crate::RailManager), a [`HookManager`](crate::HookManager). Without one it behaves as if
/// this crate's events did not exist.
///
/// What fails is told to whom it concerns. A tool that fails, that does not exist, or whose arguments make no
/// sense, is told to the model, which may try something else: when the rails of
/// [`ToolError`](crate::events::ToolError) let the error go on, it becomes the output of the call, and passes
/// the rails of [`PostToolCall`](crate::events::PostToolCall) like any other. Everything else ends the run with
/// a [`RunError`].
///
/// What a rail changes in the request of one model call is for that call; the conversation goes on without
/// the change.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::scripted::ScriptedModel;
/// use serde_json::{Value, json};
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn no_refunds(call: &ToolCallInputs) -> RailAction {
///     if call.tool_name == "refund" { RailAction::skip("a person has to do that") } else { RailAction::Continue }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel = r#"[
///     { "call": [{ "tool": "refund", "arguments": { "order": 7 } }] },
///     { "say": "I have asked a colleague." }
/// ]"#.parse()?;
/// let refund = Tool::new("refund", "Pays an order back.", json!({ "type": "object" }), |_: Value| async {
///     Ok::<_, OperationError>("paid back")
/// });
/// let agent = Agent::builder("support", model).tool(refund).rails(rail_chain![no_refunds]).build();
/// let answer = agent.run("I want my money back!").await?;
/// assert_eq!(answer.text, "I have asked a colleague.");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Agent<M, R = NoRails> {
    name: Arc<str>,
    model: M,
    rails: R,
    tools: Vec<Tool>,
    instructions: Option<String>,
    options: Map<String, Value>,
    max_steps: u32,
}

impl<M: Model> Agent<M> {
    /// Begins an agent of this name with this model.
    pub fn builder(name: impl Into<Arc<str>>, model: M) -> AgentBuilder<M> {
        AgentBuilder(Self {
            name: name.into(),
            model,
            rails: NoRails,
            tools: Vec::new(),
            instructions: None,
            options: Map::new(),
            max_steps: DEFAULT_MAX_STEPS,
        })
    }
}

impl<M: Model, R: Rails> Agent<M, R> {
    /// Runs the agent on this input.
    ///
    /// # Errors
    /// When a rail aborts, faults or has used up its retries, when the model fails and no rail rescues the
    /// call, or when the agent takes more steps than it may. The error is as it was made: no wrapper hides
    /// which rail decided.
    pub async fn run(&self, input: impl Into<InvokeInputs> + Send) -> Result<InvokeOutput, RunError> {
        self.run_in(input, &mut RailContext::new(Arc::clone(&self.name))).await
    }

    /// Runs the agent in a context of your own: with a session, a run name, a cancellation token.
    ///
    /// # Errors
    /// As [`run`](Self::run), and when the run is cancelled.
    pub async fn run_in(
        &self,
        input: impl Into<InvokeInputs> + Send,
        ctx: &mut RailContext,
    ) -> Result<InvokeOutput, RunError> {
        // One for all attempts: what a run has cost is not forgotten when a rail has it done again.
        let usage = Mutex::default();
        self.rails.guard_run(input, ctx, |run| self.steps(run, &usage)).await
    }

    /// The guard set.
    pub const fn rails(&self) -> &R {
        &self.rails
    }

    /// The name of the agent.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes steps until the model answers.
    async fn steps(&self, run: Permit<InvokeInputs>, usage: &Mutex<Usage>) -> Result<InvokeOutput, RunError> {
        let mut ctx = run.context();
        let mut messages = self.first_messages(&run);
        for step in 0..self.max_steps {
            ctx.set_step(step);
            let response = self.ask(messages.clone(), usage, &mut ctx).await?;
            messages.push(response.message.clone());
            if response.message.tool_calls.is_empty() {
                let text = response.message.text().into_owned();
                let usage = usage.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // Where a rail has skipped the call, the answer is empty, and this says why.
                let extra = response.extra.into_iter().filter(|(name, _)| name == operation::SKIPPED).collect();
                return Ok(InvokeOutput { text, messages, usage, steps: step + 1, extra });
            }
            for call in &response.message.tool_calls {
                let output = self.call_tool(call, &mut ctx).await?;
                messages.push(Message::tool(&call.id, output.content));
            }
        }
        Err(RunError::StepLimit { limit: self.max_steps })
    }

    fn first_messages(&self, run: &InvokeInputs) -> Vec<Message> {
        // A conversation that goes on has them already: `InvokeOutput::messages` begins with them.
        let told = run.messages.first().is_some_and(|first| matches!(first.role, Role::System | Role::Developer));
        let instructions = self.instructions.as_deref().filter(|_| !told).map(Message::system);
        let input = Message::user(run.input.clone());
        instructions.into_iter().chain(run.messages.iter().cloned()).chain([input]).collect()
    }

    async fn ask(
        &self,
        messages: Vec<Message>,
        usage: &Mutex<Usage>,
        ctx: &mut RailContext,
    ) -> Result<ModelResponse, RunError> {
        let tools = self.tools.iter().map(|tool| tool.spec().clone()).collect();
        let request = ModelCallInputs { model: None, messages, tools, extra: self.options.clone() };
        let model = |request| async move {
            let response = self.model.call(request).await?;
            // Counted here and not when the rails have accepted the answer: a refused one was paid for too.
            if let Some(cost) = &response.usage {
                *usage.lock().unwrap_or_else(PoisonError::into_inner) += cost;
            }
            Ok::<_, OperationError>(response)
        };
        self.rails.guard_llm_call(request, ctx, model).await
    }

    /// Calls a tool; what it fails with becomes its output, for the rails after the call and the model to read.
    async fn call_tool(&self, call: &ToolCall, ctx: &mut RailContext) -> Result<ToolOutput, RunError> {
        let (arguments, malformed) = arguments(&call.function.arguments);
        let mut inputs =
            ToolCallInputs { id: call.id.clone(), tool_name: call.function.name.clone(), arguments, extra: Map::new() };
        let run = |call| self.run_tool(call, malformed.as_ref());
        operation::guard::<operation::ToolCall<true>, _, _>(&self.rails, &mut inputs, ctx, operation::Call(run)).await
    }

    async fn run_tool(
        &self,
        call: Permit<ToolCallInputs>,
        malformed: Option<&serde_json::Error>,
    ) -> Result<ToolOutput, OperationError> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name() == call.tool_name) else {
            return Err(unknown(&call.tool_name, self.tools.iter()));
        };
        // A rail may have put arguments in the place of the text that is no JSON.
        if let (Some(error), Value::String(_)) = (malformed, &call.arguments) {
            let message = format!("the arguments of `{}` are not JSON: {error}", call.tool_name);
            return Err(OperationError::new(OperationErrorKind::InvalidRequest, message));
        }
        tool.call(call).await
    }
}

/// The arguments of a tool call, which are JSON as text; text that is no JSON as it is, with what is wrong.
///
/// The rails see such a call as well, before it fails.
fn arguments(text: &str) -> (Value, Option<serde_json::Error>) {
    if text.trim().is_empty() {
        return (Value::Object(Map::new()), None);
    }
    match serde_json::from_str(text) {
        Ok(arguments) => (arguments, None),
        Err(error) => (Value::String(text.to_owned()), Some(error)),
    }
}

/// Makes an [`Agent`]: see [`Agent::builder`].
#[must_use = "a builder makes an agent with `build()`"]
#[derive(Clone, Debug)]
pub struct AgentBuilder<M, R = NoRails>(Agent<M, R>);

// Without bounds: `Agent::builder` and `rails` have held them, and what they refuse is not refused again.
impl<M, R> AgentBuilder<M, R> {
    /// Gives the agent a tool; one of the same name is replaced.
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        let tool = tool.into();
        self.0.tools.retain(|other| other.name() != tool.name());
        self.0.tools.push(tool);
        self
    }

    /// Gives the agent several tools: a list, or a [`ToolSet`](crate::ToolSet).
    pub fn tools(self, tools: impl IntoIterator<Item: Into<Tool>>) -> Self {
        tools.into_iter().fold(self, Self::tool)
    }

    /// What the model is told before everything else, unless the conversation that it is given begins with
    /// instructions.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.0.instructions = Some(instructions.into());
        self
    }

    /// An option of every request to the model, such as `temperature`.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.options.insert(name.into(), value.into());
        self
    }

    /// How many steps a run may take (20 when it is not said): model calls with the tool calls they ask for.
    /// One more, and the run fails with [`RunError::StepLimit`].
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.0.max_steps = steps;
        self
    }

    /// The agent.
    pub fn build(self) -> Agent<M, R> {
        self.0
    }
}

impl<M> AgentBuilder<M> {
    /// Guards the agent with this guard set.
    ///
    /// An agent has one: several chains are listed in one chain, or registered with one
    /// [`HookManager`](crate::HookManager). A second call does not compile.
    ///
    /// ```compile_fail,E0599
    /// use exo_rails::prelude::*;
    /// # use exo_rails::scripted::ScriptedModel;
    /// # #[rail(on = [Start])] fn log() {}
    /// # #[rail(on = [PreToolCall])] fn permission() {}
    /// # let model: ScriptedModel = "[]".parse().unwrap();
    /// Agent::builder("support", model).rails(rail_chain![log]).rails(rail_chain![permission]);
    /// ```
    pub fn rails<S: IntoRails>(self, rails: S) -> AgentBuilder<M, S::Rails> {
        let rails = rails.into_rails();
        let Agent { name, model, rails: NoRails, tools, instructions, options, max_steps } = self.0;
        AgentBuilder(Agent { name, model, rails, tools, instructions, options, max_steps })
    }
}
