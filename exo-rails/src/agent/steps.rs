//! The loop of an agent: a model call, the tool calls that it asks for, and again.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_core::Stream;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::Agent;
use super::streaming::{RunEvent, tell};
use crate::context::RailContext;
use crate::delta::ModelDelta;
use crate::error::{OperationError, OperationErrorKind, RunError};
use crate::message::{Message, ToolCall, Usage};
use crate::model::Model;
use crate::operation::{self, Call};
use crate::payload::{InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput};
use crate::permit::Permit;
use crate::rails::GuardSet;
use crate::telemetry;
use crate::tool::{Tool, unknown};

type Attempt<'a> = Pin<Box<dyn Future<Output = Result<InvokeOutput, RunError>> + Send + 'a>>;

/// One run of an agent, streamed when somebody listens to its events.
pub(crate) struct Steps<'a, M, R> {
    agent: &'a Agent<M, R>,
    events: Option<Sender<RunEvent>>,
    // One for all attempts: what a run has cost is not forgotten when a rail has it done again.
    usage: Arc<Mutex<Usage>>,
}

impl<'a, M: Model, R: GuardSet> Steps<'a, M, R> {
    pub(crate) fn new(agent: &'a Agent<M, R>, events: Option<Sender<RunEvent>>) -> Self {
        Self { agent, events, usage: Arc::default() }
    }

    /// Runs the agent, guarded.
    pub(crate) async fn run(&self, input: InvokeInputs, ctx: &mut RailContext) -> Result<InvokeOutput, RunError> {
        let span = telemetry::run_span(ctx);
        let result = self.guarded(input, ctx).instrument(span.clone()).await;
        telemetry::end_with(&span, ctx, &result, Some(&self.used()), None);
        result
    }

    async fn guarded(&self, input: InvokeInputs, ctx: &mut RailContext) -> Result<InvokeOutput, RunError> {
        let again = || self.tell(|| RunEvent::RunAgain);
        // Boxed: with all that is in it, the compiler would find no end to the layout of a program's futures.
        let attempt = |run| -> Attempt<'_> { Box::pin(self.attempt(run)) };
        let run = Call { call: attempt, again };
        operation::guard_run(&self.agent.rails, input, ctx, run).await
    }

    async fn tell(&self, event: impl FnOnce() -> RunEvent) {
        if let Some(events) = &self.events {
            tell(events, event()).await;
        }
    }

    /// Takes steps until the model answers.
    async fn attempt(&self, run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
        let (mut ctx, max_steps) = (run.context(), self.agent.max_steps);
        let mut messages = self.first_messages(&run);
        for step in 0..max_steps {
            ctx.set_step(step);
            if let Some(compaction) = &self.agent.compaction {
                messages = compaction.of(messages, &self.agent.rails, &mut ctx).await?;
            }
            let response = self.ask(messages.clone(), &mut ctx).await?;
            messages.push(response.message.clone());
            if response.message.tool_calls.is_empty() {
                return Ok(self.answer(response, messages, step + 1));
            }
            let calls = &response.message.tool_calls;
            self.tell(|| RunEvent::ToolCalls(calls.clone())).await;
            let outputs = self.call_tools(calls, &ctx).await?;
            let told = calls.iter().zip(outputs).map(|(call, output)| Message::tool(&call.id, output.content));
            messages.extend(told);
        }
        Err(RunError::StepLimit { limit: max_steps })
    }

    fn answer(&self, response: ModelResponse, messages: Vec<Message>, steps: u32) -> InvokeOutput {
        let text = response.message.text().into_owned();
        let usage = self.used();
        // Where a rail has skipped the call, the answer is empty, and this says why.
        let extra = response.extra.into_iter().filter(|(name, _)| name == operation::SKIPPED).collect();
        InvokeOutput { text, messages, usage, steps, extra }
    }

    /// What the calls of the model have cost so far.
    fn used(&self) -> Usage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn first_messages(&self, run: &InvokeInputs) -> Vec<Message> {
        // A conversation that goes on has them already: `InvokeOutput::messages` begins with them.
        let told = run.messages.first().is_some_and(Message::instructs);
        let instructions = self.agent.instructions.as_deref().filter(|_| !told).map(Message::system);
        let input = Message::user(run.input.clone());
        instructions.into_iter().chain(run.messages.iter().cloned()).chain([input]).collect()
    }

    /// Asks the model, in a span.
    async fn ask(&self, messages: Vec<Message>, ctx: &mut RailContext) -> Result<ModelResponse, RunError> {
        let model = &self.agent.model;
        let span = telemetry::model_call_span(ctx, model.provider(), model.model_name());
        let before = self.used();
        let result = self.ask_guarded(messages, ctx, &span).instrument(span.clone()).await;
        telemetry::end_with(&span, ctx, &result, Some(&since(&before, &self.used())), None);
        result
    }

    async fn ask_guarded(
        &self,
        messages: Vec<Message>,
        ctx: &mut RailContext,
        span: &Span,
    ) -> Result<ModelResponse, RunError> {
        let tools = self.agent.tools.iter().map(|tool| tool.spec().clone()).collect();
        let request = ModelCallInputs { model: None, messages, tools, extra: self.agent.options.clone() };
        let rails = &self.agent.rails;
        match &self.events {
            None => rails.guard_llm_call(request, ctx, |request| self.call_model(request, span)).await,
            Some(events) => {
                span.record(telemetry::names::REQUEST_STREAM, true);
                let outlet = |piece| tell(events, RunEvent::from(piece));
                rails.guard_stream(request, ctx, |request| self.stream_model(request, span), outlet).await
            }
        }
    }

    async fn call_model(&self, request: Permit<ModelCallInputs>, span: &Span) -> Result<ModelResponse, OperationError> {
        telemetry::asked(span, &request);
        let mut meter = self.meter();
        let response = self.agent.model.call(request).await?;
        meter.last.clone_from(&response.usage);
        Ok(response)
    }

    fn stream_model(
        &self,
        request: Permit<ModelCallInputs>,
        span: &Span,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send + use<'_, M, R> {
        telemetry::asked(span, &request);
        let mut meter = self.meter();
        self.agent.model.stream(request).inspect(move |delta| match delta {
            Ok(ModelDelta::Usage(usage)) => meter.last = Some(usage.clone()),
            Ok(ModelDelta::Response(response)) => meter.last.clone_from(&response.usage),
            _ => {}
        })
    }

    fn meter(&self) -> Meter {
        Meter { last: None, total: Arc::clone(&self.usage) }
    }

    /// Calls the tools that an answer asks for, some of them at once; the outputs are in the order of the calls.
    async fn call_tools(&self, calls: &[ToolCall], ctx: &RailContext) -> Result<Vec<ToolOutput>, RunError> {
        // Cancelled when one of them ends the run.
        let token = ctx.cancellation().map_or_else(CancellationToken::new, CancellationToken::child_token);
        let mut waiting = calls.iter().enumerate();
        let (mut running, mut results) = (FuturesUnordered::new(), Vec::with_capacity(calls.len()));
        loop {
            let room = self.agent.parallel_tools.get() - running.len();
            running.extend(waiting.by_ref().take(room).map(|(i, call)| self.call_numbered(i, call, ctx, &token)));
            let Some((i, result)) = running.next().await else { break };
            if let Err(error) = &result
                && !matches!(error, RunError::Cancelled)
            {
                token.cancel();
            }
            results.push((i, result));
        }
        results.sort_by_key(|(i, _)| *i);
        // An error that a call ends with because another has ended the run does not hide that of the other.
        let decided = |(_, result): &(usize, Result<_, RunError>)| matches!(result, Err(error) if !matches!(error, RunError::Cancelled));
        if let Some(at) = results.iter().position(decided) {
            return results.swap_remove(at).1.map(|output| vec![output]);
        }
        results.into_iter().map(|(_, result)| result).collect()
    }

    async fn call_numbered(
        &self,
        number: usize,
        call: &ToolCall,
        ctx: &RailContext,
        token: &CancellationToken,
    ) -> (usize, Result<ToolOutput, RunError>) {
        let mut ctx = ctx.child().with_cancellation(token.clone());
        let result = self.call_tool(call, &mut ctx).await;
        if let Ok(output) = &result {
            self.tell(|| RunEvent::ToolReturned { call_id: call.id.clone(), output: output.clone() }).await;
        }
        (number, result)
    }

    /// Calls a tool; what it fails with becomes its output, for the rails after the call and the model to read.
    async fn call_tool(&self, call: &ToolCall, ctx: &mut RailContext) -> Result<ToolOutput, RunError> {
        let (arguments, malformed) = arguments(&call.function.arguments);
        let mut inputs =
            ToolCallInputs { id: call.id.clone(), tool_name: call.function.name.clone(), arguments, extra: Map::new() };
        // A name that is no tool's is the model's own words.
        let known = self.tool(&inputs.tool_name).map_or("", Tool::name);
        let span = telemetry::tool_call_span(ctx, known, &call.id);
        let failure = Mutex::new(None);
        let (malformed, failed) = (malformed.as_ref(), &failure);
        let run = |call| async move {
            let result = self.run_tool(call, malformed).await;
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = result.as_ref().err().map(|error| error.kind);
            result
        };
        let guarded =
            operation::guard::<operation::ToolCall<true>, _, _>(&self.agent.rails, &mut inputs, ctx, Call::new(run));
        let result = guarded.instrument(span.clone()).await;
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        telemetry::end_with(&span, ctx, &result, None, failure);
        result
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.agent.tools.iter().find(|tool| tool.name() == name)
    }

    async fn run_tool(
        &self,
        call: Permit<ToolCallInputs>,
        malformed: Option<&serde_json::Error>,
    ) -> Result<ToolOutput, OperationError> {
        let Some(tool) = self.tool(&call.tool_name) else {
            return Err(unknown(&call.tool_name, self.agent.tools.iter()));
        };
        // A rail may have put arguments in the place of the text that is no JSON.
        if let (Some(error), Value::String(_)) = (malformed, &call.arguments) {
            let message = format!("the arguments of `{}` are not JSON: {error}", call.tool_name);
            return Err(OperationError::new(OperationErrorKind::InvalidRequest, message));
        }
        tool.call(call).await
    }
}

/// What has been used since there was so much.
fn since(before: &Usage, now: &Usage) -> Usage {
    Usage {
        prompt_tokens: now.prompt_tokens.saturating_sub(before.prompt_tokens),
        completion_tokens: now.completion_tokens.saturating_sub(before.completion_tokens),
        total_tokens: now.total_tokens.saturating_sub(before.total_tokens),
        ..Usage::default()
    }
}

/// Counts what a model call has cost, when it ends: not when the rails accept the answer, because a refused one was paid
/// for too.
struct Meter {
    last: Option<Usage>,
    total: Arc<Mutex<Usage>>,
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(usage) = &self.last {
            *self.total.lock().unwrap_or_else(PoisonError::into_inner) += usage;
        }
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
