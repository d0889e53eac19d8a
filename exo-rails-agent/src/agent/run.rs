//! The loop of an agent: a model call, the tool calls that it asks for, and again.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exo_rails::message::{Content, Message, Messages, ToolCall, Usage};
use exo_rails::{
    Guard, GuardSet, InvokeInputs, InvokeOutput, ModelCallInputs, ModelDelta, ModelResponse, OperationError, Permit,
    RunContext, RunError, Tool, ToolCallInputs, ToolOutput, telemetry,
};
use futures_core::Stream;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::Agent;
use super::failed::{FailedRun, RunSoFar};
use super::panics;
use super::streaming::{RunEvent, tell};
use crate::model::Model;

/// What the model reads in the place of an output that a run did not wait for.
const NO_OUTPUT: &str = "The run ended before this call returned.";

type Attempt<'a> = Pin<Box<dyn Future<Output = Result<InvokeOutput, RunError>> + Send + 'a>>;

/// One run of an agent, streamed when somebody listens to its events.
pub(crate) struct AgentRun<'a, M, R> {
    agent: &'a Agent<M, R>,
    events: Option<Sender<RunEvent>>,
    // One for all attempts: what a run has cost is not forgotten when a rail has it done again.
    usage: Arc<Mutex<Usage>>,
    /// What this attempt has done. Nobody else has its list of messages, so a push copies no pointers.
    so_far: Mutex<SoFar>,
}

/// The conversation of an attempt, and how many steps it has begun.
#[derive(Default)]
struct SoFar {
    messages: Messages,
    steps: u32,
    /// Whether the last message is the answer.
    has_answered: bool,
}

impl<'a, M: Model, R: GuardSet> AgentRun<'a, M, R> {
    pub(crate) fn new(agent: &'a Agent<M, R>, events: Option<Sender<RunEvent>>) -> Self {
        Self { agent, events, usage: Arc::default(), so_far: Mutex::default() }
    }

    /// Runs the agent, guarded.
    pub(crate) async fn run(&self, input: InvokeInputs, ctx: &mut RunContext) -> Result<InvokeOutput, FailedRun> {
        let span = telemetry::run_span(ctx);
        let watch = telemetry::until_ended(&span, || Some(self.used()));
        let result = self.run_guarded(input, ctx).instrument(span.clone()).await;
        watch.ended();
        telemetry::end_with_usage(&span, ctx, &result, Some(&self.used()));
        result.map_err(|error| self.failed(error))
    }

    async fn run_guarded(&self, input: InvokeInputs, ctx: &mut RunContext) -> Result<InvokeOutput, RunError> {
        let mut reported = 0;
        // Boxed: with all that is in it, the compiler would find no end to the layout of a program's futures.
        let attempt = |run: Permit<InvokeInputs>| -> Attempt<'_> {
            let again = std::mem::replace(&mut reported, run.attempt()) < run.attempt();
            Box::pin(async move {
                self.tell_again(again).await;
                self.take_steps(run).await.map_err(|error| self.with_cost(error))
            })
        };
        let result = self.agent.rails.guard_run(input, ctx, attempt).await;
        // A rail may have answered in the place of the last attempt.
        self.tell_again(result.is_ok() && reported < ctx.attempt()).await;
        result
    }

    async fn tell_again(&self, again: bool) {
        if again {
            self.tell(|| RunEvent::RunAgain).await;
        }
    }

    async fn tell(&self, event: impl FnOnce() -> RunEvent) {
        if let Some(events) = &self.events {
            tell(events, event()).await;
        }
    }

    /// Takes steps until the model answers.
    async fn take_steps(&self, run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
        let (mut ctx, max_steps) = (run.context(), self.agent.max_steps);
        *self.so_far() = SoFar { messages: self.first_messages(&run), ..SoFar::default() };
        for step in 0..max_steps {
            ctx.set_step(step);
            self.so_far().steps = step + 1;
            self.compact(&mut ctx).await?;
            self.so_far().messages.extend(ctx.take_notices());
            // The request is gone with the future: then nobody shares the list, and the push copies no pointers.
            let response = self.ask(self.messages(), &mut ctx).await?;
            let is_answer = response.message.tool_calls.is_empty();
            // Where a rail has skipped the call, there may be nothing to remember.
            if !(ctx.substituted_by().is_some() && says_nothing(&response.message)) {
                let mut so_far = self.so_far();
                so_far.messages.push(response.message.clone());
                so_far.has_answered = is_answer;
            }
            if is_answer {
                return Ok(self.answer(response, &ctx));
            }
            let calls = &response.message.tool_calls;
            self.tell(|| RunEvent::ToolCalls(calls.clone())).await;
            let (outputs, result) = self.call_tools(calls, &ctx).await;
            let told = calls.iter().zip(outputs).map(|(call, output)| {
                Message::tool(&call.id, output.map_or_else(|| NO_OUTPUT.to_owned(), |output| output.content))
            });
            self.so_far().messages.extend(told);
            result?;
        }
        Err(RunError::StepLimit { limit: max_steps })
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn messages(&self) -> Messages {
        self.so_far().messages.clone()
    }

    fn failed(&self, error: RunError) -> FailedRun {
        let mut so_far = Box::new(self.done());
        if self.so_far().has_answered {
            // The rails of `Finished` have not let the answer pass.
            so_far.messages.pop();
        }
        FailedRun { error, so_far }
    }

    /// The error; where a rail ends the run with an answer, with what the run has cost.
    fn with_cost(&self, mut error: RunError) -> RunError {
        if let RunError::Abort(abort) = &mut error
            && let Some(answer) = &mut abort.answer
        {
            (answer.usage, answer.steps) = (self.used(), self.so_far().steps);
        }
        error
    }

    /// What the run has done by now.
    fn done(&self) -> RunSoFar {
        RunSoFar { messages: self.messages(), usage: self.used(), steps: self.so_far().steps }
    }

    /// Makes the conversation shorter when it has outgrown its budget.
    async fn compact(&self, ctx: &mut RunContext) -> Result<(), RunError> {
        if let Some(compaction) = &self.agent.compaction {
            let shorter = compaction.of(self.messages(), &self.agent.rails, ctx).await?;
            self.so_far().messages = shorter;
        }
        Ok(())
    }

    fn answer(&self, response: ModelResponse, ctx: &RunContext) -> InvokeOutput {
        let text = response.message.text().into_owned();
        let RunSoFar { messages, usage, steps } = self.done();
        // Where a rail has skipped the call, the answer is empty, and this says why.
        let says_why = |name: &str| ctx.substituted_by().is_some() && name == InvokeOutput::SKIPPED;
        let extra = response.extra.into_iter().filter(|(name, _)| says_why(name)).collect();
        InvokeOutput { text, messages, usage, steps, extra }
    }

    /// What the calls of the model have cost so far.
    fn used(&self) -> Usage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn first_messages(&self, run: &InvokeInputs) -> Messages {
        // A conversation that goes on has them already: `InvokeOutput::messages` begins with them.
        let told = run.messages.first().is_some_and(Message::is_instructions);
        let instructions = self.agent.instructions.as_deref().filter(|_| !told).map(Message::system);
        let mut messages: Messages = instructions.into_iter().collect();
        messages.extend_from(&run.messages, ..);
        messages.push(Message::user(run.input.clone()));
        messages
    }

    /// Asks the model, in a span.
    async fn ask(&self, messages: Messages, ctx: &mut RunContext) -> Result<ModelResponse, RunError> {
        let model = &self.agent.model;
        let span = telemetry::model_call_span(ctx, model.provider(), model.model_name());
        let before = self.used();
        let used = || Some(since(&before, &self.used()));
        let watch = telemetry::until_ended(&span, used);
        let result = self.ask_guarded(messages, ctx, &span).instrument(span.clone()).await;
        watch.ended();
        telemetry::end_with_usage(&span, ctx, &result, used().as_ref());
        result
    }

    async fn ask_guarded(
        &self,
        messages: Messages,
        ctx: &mut RunContext,
        span: &Span,
    ) -> Result<ModelResponse, RunError> {
        let tools = self.agent.tools.iter().map(|tool| tool.spec().clone()).collect();
        let request = ModelCallInputs { model: None, messages, tools, extra: self.agent.options.clone() };
        let rails = &self.agent.rails;
        match &self.events {
            None => rails.guard_llm_call(request, ctx, |request| self.call_model(request, span)).await,
            Some(events) => {
                span.record(telemetry::names::REQUEST_STREAM, true);
                let sink = |piece| tell(events, RunEvent::from(piece));
                rails.guard_stream(request, ctx, |request| self.stream_model(request, span), sink).await
            }
        }
    }

    async fn call_model(&self, request: Permit<ModelCallInputs>, span: &Span) -> Result<ModelResponse, OperationError> {
        telemetry::record_request(span, &request);
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
        telemetry::record_request(span, &request);
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

    /// Calls the tools that an answer asks for, some of them at once: the outputs in the order of the calls, and the error
    /// that ends the run.
    async fn call_tools(
        &self,
        calls: &[ToolCall],
        ctx: &RunContext,
    ) -> (Vec<Option<ToolOutput>>, Result<(), RunError>) {
        // Cancelled when one of them ends the run.
        let token = ctx.cancellation().map_or_else(CancellationToken::new, CancellationToken::child_token);
        let mut waiting = calls.iter().enumerate();
        let (mut running, mut outputs, mut errors) = (FuturesUnordered::new(), vec![None; calls.len()], Vec::new());
        loop {
            let room = self.agent.parallel_tools.get() - running.len();
            running.extend(waiting.by_ref().take(room).map(|(i, call)| self.call_numbered(i, call, ctx, &token)));
            let Some((i, result)) = running.next().await else { break };
            match result {
                Ok(output) => outputs[i] = Some(output),
                Err(error) => {
                    // An error that a call ends with because another has ended the run does not hide that of the other.
                    let is_consequence = matches!(error, RunError::Cancelled);
                    if !is_consequence {
                        token.cancel();
                    }
                    errors.push((is_consequence, i, error));
                }
            }
        }
        let first = errors.into_iter().min_by_key(|(is_consequence, i, _)| (*is_consequence, *i));
        (outputs, first.map_or(Ok(()), |(_, _, error)| Err(error)))
    }

    async fn call_numbered(
        &self,
        number: usize,
        call: &ToolCall,
        ctx: &RunContext,
        token: &CancellationToken,
    ) -> (usize, Result<ToolOutput, RunError>) {
        let mut ctx = ctx.child().with_cancellation(token.clone());
        let result = self.call_tool(call, &mut ctx).await;
        if let Ok(output) = &result {
            self.tell(|| RunEvent::ToolReturned { call_id: call.id.clone(), output: output.clone() }).await;
        }
        (number, result)
    }

    async fn call_tool(&self, call: &ToolCall, ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
        let (call, tools) = (ToolCallInputs::asked_for(call), &self.agent.tools);
        // A name that is not a tool's is the model's own words.
        let known = tools.iter().find(|tool| tool.name() == call.tool_name).map_or("", Tool::name);
        let span = telemetry::tool_call_span(ctx, known, &call.id);
        let catches = self.agent.catches_panics;
        // A tool may panic before it gives its future, so it is called inside.
        let run = |call| panics::caught_if(catches, async move { Tool::call_named(tools, call).await });
        let watch = telemetry::until_ended(&span, || None);
        let result = self.agent.rails.guard_tool_call(call, ctx, run).instrument(span.clone()).await;
        watch.ended();
        telemetry::end(&span, ctx, &result);
        result
    }
}

/// Whether there is nothing in a message that anybody could read.
fn says_nothing(message: &Message) -> bool {
    let has_parts = matches!(message.content, Some(Content::Parts(_)));
    !has_parts && message.text().is_empty() && message.tool_calls.is_empty()
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
