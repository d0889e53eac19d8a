//! The loop of an agent: a model call, then the tool calls that its answer asks for, then the next model call.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::message::{Content, Message, Messages, ToolCall, Usage};
use exo_rails::{
    Ending, Guard, GuardSet, InvokeInputs, InvokeOutput, ModelCallInputs, ModelDelta, ModelResponse, OperationError,
    OperationErrorKind, Permit, RunContext, RunError, Tool, ToolCallInputs, ToolOutput, telemetry,
};
use futures_core::Stream;
use futures_util::future::Either;
use futures_util::stream::{self, FuturesUnordered};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::mpsc::Sender;
use tokio::task::coop::consume_budget;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::Agent;
use super::failed::FailedRun;
use super::panics;
use super::progress::Progress;
use super::recorder::{Recorder, since};
use super::start::RunStart;
use super::streaming::{RunEvent, tell};
use super::suspended::CallState;
use crate::model::Model;

type Attempt<'a> = Pin<Box<dyn Future<Output = Result<InvokeOutput, RunError>> + Send + 'a>>;

/// One run of an agent. The run sends its events if a stream reads them.
pub(crate) struct AgentRun<'a, M, R> {
    pub(super) agent: &'a Agent<M, R>,
    events: Option<Sender<RunEvent>>,
    // All attempts share this usage. The cost of an attempt still counts if a rail repeats the run.
    usage: Arc<Mutex<Usage>>,
    pub(super) progress: Progress,
    recorder: Recorder<'a>,
}

impl<'a, M: Model, R: GuardSet> AgentRun<'a, M, R> {
    pub(crate) fn new(agent: &'a Agent<M, R>, events: Option<Sender<RunEvent>>) -> Self {
        let recorder = Recorder::new(agent.settings.checkpoints.as_ref(), &agent.settings.kept_values);
        Self { agent, events, usage: Arc::default(), progress: Progress::default(), recorder }
    }

    /// Runs the agent, guarded by its rails.
    pub(crate) async fn run(mut self, start: RunStart, ctx: &mut RunContext) -> Result<InvokeOutput, FailedRun> {
        let input = match start {
            RunStart::New(input) => input,
            RunStart::Resumed(run) => {
                *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = run.so_far.usage.clone();
                self.recorder.resume(run, &self.progress, &self.agent.settings.tools, ctx)?
            }
        };
        let span = telemetry::run_span(ctx);
        let watch = telemetry::until_ended(&span, || Some(self.used()));
        let result = self.run_guarded(input, ctx).instrument(span.clone()).await;
        watch.ended();
        telemetry::end_with_usage(&span, ctx, &result, Some(&self.used()));
        self.recorder.end(result, &self.progress, self.used(), ctx).await
    }

    async fn run_guarded(&self, input: InvokeInputs, ctx: &mut RunContext) -> Result<InvokeOutput, RunError> {
        let mut reported = 0;
        // The attempt is boxed. Otherwise, the future of a program would be too deep for the compiler to compute its
        // layout.
        let attempt = |run: Permit<InvokeInputs>| -> Attempt<'_> {
            let again = std::mem::replace(&mut reported, run.attempt()) < run.attempt();
            Box::pin(async move {
                self.tell_again(again).await;
                self.take_steps(run).await.map_err(|error| self.with_cost(error))
            })
        };
        let mut result = self.agent.rails.guard_run(input, ctx, attempt).await;
        if let Ok(output) = &mut result
            && ctx.substituted_by().is_some()
            && self.progress.steps() > 0
        {
            // A rail of `Finished` has replaced the answer of the model.
            (output.usage, output.steps) = (self.used(), self.progress.steps());
        }
        // A rail may have answered in place of the last attempt.
        self.tell_again(result.is_ok() && reported < ctx.attempt()).await;
        self.remember(result, ctx).await
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

    /// Takes steps until the model answers without a tool call.
    async fn take_steps(&self, run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
        let (mut ctx, max_steps) = (run.context(), self.agent.settings.max_steps);
        let first = match self.progress.begin(&run) {
            Some(step) => step,
            None => self.assemble(&run, &mut ctx).await?,
        };
        if let Some(output) = self.progress.take_output() {
            return Ok(output);
        }
        for step in first..max_steps {
            ctx.set_step(step);
            // A model that is always ready must not block the thread.
            consume_budget().await;
            if !self.progress.has_calls() {
                let response = self.ask_in_step(step, &mut ctx).await?;
                if response.message.tool_calls.is_empty() {
                    self.note_answer(&ctx);
                    return Ok(self.answer(response, &ctx));
                }
                self.progress.begin_calls(response);
            }
            self.tell_calls().await;
            self.call_tools(&ctx).await?;
            self.progress.end_calls();
        }
        Err(RunError::StepLimit { limit: max_steps })
    }

    /// Calls the model in a step. The answer becomes part of the conversation.
    async fn ask_in_step(&self, step: u32, ctx: &mut RunContext) -> Result<ModelResponse, RunError> {
        self.progress.set_steps(step + 1);
        self.compact(ctx).await?;
        self.progress.add(ctx.take_notices());
        self.check_overflow(ctx).await?;
        // The request is dropped with the future of the call. Then the list of messages has one owner, and a push copies
        // no pointers.
        let response = self.ask(self.progress.messages(), ctx).await?;
        self.count_calls(response.message.tool_calls.len())?;
        // If a rail skipped the call, the message may be empty. The conversation does not contain an empty message.
        if !(ctx.substituted_by().is_some() && says_nothing(&response.message)) {
            self.progress.add_response(response.message.clone());
        }
        Ok(response)
    }

    /// Rejects an answer that asks for more tool calls than the limits allow.
    fn count_calls(&self, calls: usize) -> Result<(), OperationError> {
        let limits = self.agent.settings.max_calls;
        let of_run = self.progress.count_asked_calls(calls);
        let (asked, place, limit, method) = match () {
            () if calls > limits.per_answer => (calls, "answer", limits.per_answer, "max_calls_per_answer"),
            () if of_run > limits.per_run => (of_run, "run", limits.per_run, "max_calls_per_run"),
            () => return Ok(()),
        };
        let message = format!(
            "the model asks for {asked} tool calls in one {place}, and the limit is {limit}: `AgentBuilder::{method}` sets it"
        );
        Err(OperationError::new(OperationErrorKind::InvalidResponse, message))
    }

    /// Returns the error. If a rail ends the run with an answer, adds the cost of the run to this answer.
    pub(super) fn with_cost(&self, mut error: RunError) -> RunError {
        if let RunError::Abort(abort) = &mut error
            && let Some(Ending::Answer(answer)) = abort.ending.as_deref_mut()
        {
            (answer.usage, answer.steps) = (self.used(), self.progress.steps());
        }
        error
    }

    /// Shortens the conversation if it exceeds its budget.
    async fn compact(&self, ctx: &mut RunContext) -> Result<(), RunError> {
        if let Some(compaction) = &self.agent.settings.compaction {
            let shorter = compaction.of(self.progress.messages(), &self.agent.rails, ctx).await?;
            self.progress.set_messages(shorter);
        }
        Ok(())
    }

    fn answer(&self, response: ModelResponse, ctx: &RunContext) -> InvokeOutput {
        let text = response.message.text().into_owned();
        // If a rail skipped the call, the answer is empty, and this field has the reason.
        let says_why = |name: &str| ctx.substituted_by().is_some() && name == InvokeOutput::SKIPPED;
        let extra = response.extra.into_iter().filter(|(name, _)| says_why(name)).collect();
        let (messages, usage, steps) = (self.progress.conversation(), self.used(), self.progress.steps());
        InvokeOutput { text, messages, usage, steps, extra }
    }

    /// Returns the usage of all model calls so far.
    fn used(&self) -> Usage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn first_messages(&self, run: &InvokeInputs) -> Messages {
        // A conversation that continues has instructions already: `InvokeOutput::messages` begins with them.
        let told = run.messages.first().is_some_and(Message::is_instructions);
        let instructions = self.agent.settings.instructions.as_deref().filter(|_| !told).map(Message::system);
        let mut messages: Messages = instructions.into_iter().collect();
        messages.extend_from(&run.messages, ..);
        messages.push(Message::user(run.input.clone()));
        messages
    }

    /// Calls the model in a span.
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
        let tools = self.agent.settings.tools.iter().map(|tool| tool.spec().clone()).collect();
        let mut extra = self.agent.settings.options.clone();
        let model = extra.remove("model").and_then(|name| name.as_str().map(str::to_owned));
        let request = ModelCallInputs { model, messages, tools, extra };
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
        self.progress.set_asked(request.attempt());
        let mut meter = self.meter();
        let response = if let Some(recorded) = self.progress.take_response() {
            recorded?
        } else {
            let mut response = self.agent.model.call(request).await?;
            response.settle_tool_calls();
            response.retain_fields_of_server();
            response
        };
        meter.last.clone_from(&response.usage);
        Ok(response)
    }

    fn stream_model(
        &self,
        request: Permit<ModelCallInputs>,
        span: &Span,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send + use<'_, M, R> {
        telemetry::record_request(span, &request);
        self.progress.set_asked(request.attempt());
        let mut meter = self.meter();
        let deltas = match self.progress.take_response() {
            Some(recorded) => {
                Either::Left(stream::iter([recorded.map(|response| ModelDelta::Response(Box::new(response)))]))
            }
            None => Either::Right(self.agent.model.stream(request)),
        };
        deltas.inspect(move |delta| match delta {
            Ok(ModelDelta::Usage(usage)) => meter.last = Some(usage.clone()),
            Ok(ModelDelta::Response(response)) => meter.last.clone_from(&response.usage),
            _ => {}
        })
    }

    fn meter(&self) -> Meter {
        Meter { last: None, total: Arc::clone(&self.usage) }
    }

    async fn tell_calls(&self) {
        let asked = || self.progress.open_calls().into_iter().map(|(_, call)| call.into()).collect();
        self.tell(|| RunEvent::ToolCalls(asked())).await;
    }

    /// Makes the tool calls that have not returned yet. Several calls run at the same time.
    ///
    /// # Errors
    /// Returns the error that ends or suspends the run.
    async fn call_tools(&self, ctx: &RunContext) -> Result<(), RunError> {
        // Cancelled when one of the calls ends the run.
        let token = ctx.cancellation().map_or_else(CancellationToken::new, CancellationToken::child_token);
        let mut waiting = self.progress.open_calls().into_iter();
        let (mut running, mut errors, mut panic) = (FuturesUnordered::new(), Vec::new(), None);
        loop {
            let room = self.agent.settings.parallel_tools.get() - running.len();
            let calls = waiting.by_ref().take(room);
            let call = |(i, call)| AssertUnwindSafe(self.call_numbered(i, call, ctx, &token)).catch_unwind();
            running.extend(calls.map(call));
            let Some(called) = running.next().await else { break };
            // The call has the panic of a rail. The panic continues when the other calls have ended, so no call stops
            // halfway.
            let (i, result) = match called {
                Ok(called) => called,
                Err(payload) => {
                    token.cancel();
                    panic.get_or_insert(payload);
                    continue;
                }
            };
            if let Err(error) = result {
                let weight = Weight::of(&error);
                if weight == Weight::EndsRun {
                    token.cancel();
                }
                errors.push((weight, i, error));
            }
        }
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        let first = errors.into_iter().min_by_key(|(weight, i, _)| (*weight, *i));
        first.map_or(Ok(()), |(_, _, error)| Err(error))
    }

    async fn call_numbered(
        &self,
        number: usize,
        call: ToolCall,
        ctx: &RunContext,
        token: &CancellationToken,
    ) -> (usize, Result<(), RunError>) {
        let place = u32::try_from(number).unwrap_or(u32::MAX);
        let mut ctx = ctx.child().with_cancellation(token.clone()).with_call_number(place);
        let result = match self.call_tool(number, &call, &mut ctx).await {
            Ok(output) => self.returned(number, call, output, &ctx).await,
            Err(error) => {
                self.progress.suspend_call(number, &error);
                Err(error)
            }
        };
        (number, result)
    }

    async fn returned(
        &self,
        number: usize,
        call: ToolCall,
        output: ToolOutput,
        ctx: &RunContext,
    ) -> Result<(), RunError> {
        self.tell(|| RunEvent::ToolReturned { call_id: call.id, output: output.clone() }).await;
        self.progress.set_call(number, CallState::Returned(output));
        Ok(self.recorder.save(&self.progress, || self.used(), ctx).await?)
    }

    async fn call_tool(&self, number: usize, call: &ToolCall, ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
        let (call, tools) = (inputs_of(call, self.progress.cut_by(number).is_some()), &self.agent.settings.tools);
        // If no tool has this name, the name is text of the model and stays out of the span.
        let known = tools.iter().find(|tool| tool.name() == call.tool_name).map_or("", Tool::name);
        let span = telemetry::tool_call_span(ctx, known, &call.id);
        let unsaved = Mutex::new(None);
        let run = |call| self.run_tool(number, call, &unsaved);
        let watch = telemetry::until_ended(&span, || None);
        let result = self.agent.rails.guard_tool_call(call, ctx, run).instrument(span.clone()).await;
        // A rail cannot rescue a run that could not be saved.
        let result = match unsaved.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(RunError::Operation(error)),
            None => result,
        };
        watch.ended();
        telemetry::end(&span, ctx, &result);
        result
    }

    /// Runs the tool of a call, after it has recorded that the tool is about to run. If the call has a recorded result,
    /// returns that result instead.
    async fn run_tool(
        &self,
        number: usize,
        call: Permit<ToolCallInputs>,
        unsaved: &Mutex<Option<OperationError>>,
    ) -> Result<ToolOutput, OperationError> {
        if let Some(recorded) = self.progress.take_output_of(number) {
            return recorded;
        }
        // The check is here, after the rails, so that no rail can add the missing arguments.
        if let Some(reason) = self.progress.cut_by(number) {
            return Err(cut(&reason));
        }
        // A call of an unknown tool fails, and nothing runs.
        if !self.agent.settings.tools.iter().any(|tool| tool.name() == call.tool_name) {
            return Tool::call_named(&self.agent.settings.tools, call).await;
        }
        self.tell(|| RunEvent::ToolRuns((*call).clone())).await;
        self.progress.set_call(number, CallState::Unknown { tool_name: call.tool_name.clone() });
        let saved = self.recorder.save(&self.progress, || self.used(), &call.context()).await;
        let reported = saved.as_ref().err().map(|error| OperationError::new(error.kind, error.message.clone()));
        *unsaved.lock().unwrap_or_else(PoisonError::into_inner) = saved.err();
        if let Some(error) = reported {
            self.progress.set_call(number, CallState::Waiting);
            return Err(error);
        }
        // A tool may panic before it returns its future, so the call is inside the block.
        panics::caught(async { Tool::call_named(&self.agent.settings.tools, call).await }).await
    }
}

/// Returns the inputs of a tool call. The arguments of a call in a cut answer are text, even if they are valid JSON.
fn inputs_of(call: &ToolCall, is_cut: bool) -> ToolCallInputs {
    let inputs = ToolCallInputs::asked_for(call);
    if is_cut { inputs.with_arguments(call.function.arguments.clone().into()) } else { inputs }
}

/// Returns the error of a call in a cut answer.
fn cut(reason: &str) -> OperationError {
    let message = format!(
        "the answer was cut (`{reason}`), and its tool calls may lack arguments: none of them was made. Ask for them again in a shorter answer"
    );
    OperationError::new(OperationErrorKind::InvalidRequest, message)
}

/// The rank of an error among the errors of several tool calls. The run ends with the error of the lowest rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    EndsRun,
    /// A rail asks a question. The other calls continue.
    Suspends,
    /// The call was cancelled, because another call has ended the run.
    IsConsequence,
}

impl Weight {
    fn of(error: &RunError) -> Self {
        match error {
            RunError::Cancelled => Self::IsConsequence,
            error if error.suspension().is_some() => Self::Suspends,
            _ => Self::EndsRun,
        }
    }
}

/// Returns `true` if a message has no text, no parts and no tool calls.
fn says_nothing(message: &Message) -> bool {
    let has_parts = matches!(message.content, Some(Content::Parts(_)));
    !has_parts && message.text().is_empty() && message.tool_calls.is_empty()
}

/// Counts the usage of a model call when the call ends. An answer that the rails refuse has a cost too, so the count does
/// not wait for the rails.
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
