//! Spans: what a run does, as [`tracing`] sees it, in the words of the OpenTelemetry conventions for generative AI.
//!
//! An `Agent` opens a span for its run, and in it one for each call of the model, each call of a tool, each
//! compaction and each use of its memory, with the rails before and after inside:
//!
//! | span | `otel.name` | what it says, beside `gen_ai.operation.name` and `exo_rails.run_id` |
//! |---|---|---|
//! | [run](run_span) | `invoke_agent {agent}` | the agent, the conversation and its turn, the usage, the steps |
//! | [model call](model_call_span) | `chat {model}` | the provider, the model that was asked and the one that answered, the conversation, the step, why it ended, the usage of all attempts |
//! | [tool call](tool_call_span) | `execute_tool {tool}` | the tool, the id of the call, the step |
//! | [compaction](compaction_span) | `compact_history` | the step, how many messages are gone |
//! | [memory](memory_span) | `recall_memory` or `store_memory` | the step, how many items were recalled |
//! | [rail](rail_span) | `rail {name}` | its name and priority, the event, what it decided and why |
//!
//! When it has [ended](end), each operation also says how often it was attempted; whose substitute its result is, when a
//! rail has skipped it or rescued it; and, when it failed, its [error type](error_type) and the rail that ended it. An
//! error is one of the operation also where it is only told to the model, as that of a tool is.
//!
//! The spans of operations have the level `INFO` and the target [`TARGET`]; those of rails `DEBUG` and [`RAIL_TARGET`]. A
//! [`RailManager`](crate::RailManager) and a [`HookManager`](crate::HookManager) open a span around each rail when
//! somebody takes spans of that level and target; a chain does when it has `#[chain(trace)]`, and has no trace of it
//! otherwise.
//!
//! # What is not in them
//!
//! Nothing of a prompt, of an answer, or of the arguments and the output of a tool. Names that a model has made up, of
//! tools that the agent does not have, are left out, and errors are told by their kind. What a *rail* says in its reason is
//! in its span, as it wrote it: a rail that quotes an argument in its reason has it there, and one whose fault skips the
//! event (`on_fault = "skip"`) has the text of the fault as its reason.
//!
//! # With OpenTelemetry
//!
//! `tracing-opentelemetry` makes of these spans those of OpenTelemetry: it reads `otel.name`, `otel.kind` and
//! `otel.status_code`. The convention's names are all in [`names`]; it is at
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/> and, while it is in development, in
//! <https://github.com/open-telemetry/semantic-conventions-genai>.
//!
//! # In your own loop
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails::telemetry;
//! use tracing::Instrument;
//!
//! # async fn f(rails: impl GuardSet, mut ctx: RunContext) -> Result<(), RunError> {
//! let call = ToolCallInputs::new("search");
//! let span = telemetry::tool_call_span(&ctx, &call.tool_name, &call.id);
//! let tool = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(call.arguments.to_string()) };
//! let tool = |call| async move { tool(call).await.map(ToolOutput::text) };
//! let result = rails.guard_tool_call(call, &mut ctx, tool).instrument(span.clone()).await;
//! telemetry::end(&span, &ctx, &result);
//! # result.map(drop) }
//! ```

use std::fmt;
use std::ops::ControlFlow;

use serde_json::Value;
use tracing::field::{Empty, display};
use tracing::{Level, Span};

use crate::context::RailContext;
use crate::decision::{Decision, Outcome};
use crate::error::{FaultCause, RunError};
use crate::event::Payloads;
use crate::message::OperationErrorKind;
use crate::message::{
    CompactionOutput, InvokeOutput, ModelCallInputs, ModelResponse, RecalledMemory, ToolOutput, Usage,
};
use crate::point::{HookPoint, Reason};

/// The target of the spans of operations.
pub const TARGET: &str = "exo_rails";

/// The target of the spans of rails.
pub const RAIL_TARGET: &str = "exo_rails::rail";

/// The names of what spans say.
///
/// Those of the convention are as it has them
/// [for calls of a model](https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-spans.md)
/// and [for agents and tools](https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-agent-spans.md).
/// What it has no name for begins with `exo_rails`.
pub mod names {
    /// What is done: `invoke_agent`, `chat`, `execute_tool`.
    pub const OPERATION_NAME: &str = "gen_ai.operation.name";
    /// Who provides the model. Older versions of the convention call it `gen_ai.system`.
    pub const PROVIDER_NAME: &str = "gen_ai.provider.name";
    /// The agent.
    pub const AGENT_NAME: &str = "gen_ai.agent.name";
    /// The session.
    pub const CONVERSATION_ID: &str = "gen_ai.conversation.id";
    /// The model that is asked.
    pub const REQUEST_MODEL: &str = "gen_ai.request.model";
    /// Whether its answer is streamed.
    pub const REQUEST_STREAM: &str = "gen_ai.request.stream";
    /// The id of the answer.
    pub const RESPONSE_ID: &str = "gen_ai.response.id";
    /// The model that has answered.
    pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
    /// Why it stopped: a list, which is text here, `["stop"]`, because a field of a span cannot be a list.
    pub const RESPONSE_FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
    /// Tokens of the requests.
    pub const USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
    /// Tokens of the answers.
    pub const USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
    /// The tool.
    pub const TOOL_NAME: &str = "gen_ai.tool.name";
    /// The id of its call.
    pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
    /// What kind of tool it is: here, `function`.
    pub const TOOL_TYPE: &str = "gen_ai.tool.type";
    /// How it failed: see [`error_type`](super::error_type).
    pub const ERROR_TYPE: &str = "error.type";

    /// The name of the span in OpenTelemetry: that of a span in `tracing` is a constant.
    pub const OTEL_NAME: &str = "otel.name";
    /// `client` for a call of the model, otherwise `internal`.
    pub const OTEL_KIND: &str = "otel.kind";
    /// `ERROR` when it failed.
    pub const OTEL_STATUS_CODE: &str = "otel.status_code";

    /// The run.
    pub const RUN_ID: &str = "exo_rails.run_id";
    /// Which run of its session it is.
    pub const TURN: &str = "exo_rails.turn";
    /// The step of the run.
    pub const STEP: &str = "exo_rails.step";
    /// How many steps the run has taken.
    pub const STEPS: &str = "exo_rails.steps";
    /// How often the operation was attempted.
    pub const ATTEMPTS: &str = "exo_rails.attempts";
    /// The rail whose substitute stands in for the result.
    pub const SUBSTITUTED_BY: &str = "exo_rails.substituted_by";
    /// How many messages a compaction has removed.
    pub const REMOVED: &str = "exo_rails.removed";
    /// How many items of a memory were recalled.
    pub const RECALLED: &str = "exo_rails.recalled";
    /// The rail: that of the span, or the one that has ended the operation.
    pub const RAIL_NAME: &str = "exo_rails.rail.name";
    /// Its priority.
    pub const RAIL_PRIORITY: &str = "exo_rails.rail.priority";
    /// What it decided: `continue`, `skip`, `retry`, `abort`, or `fault` when it could not.
    pub const RAIL_DECISION: &str = "exo_rails.rail.decision";
    /// Why, in its own words.
    pub const RAIL_REASON: &str = "exo_rails.rail.reason";
    /// The event that it was called at.
    pub const EVENT: &str = "exo_rails.event";
}

/// What is done and with what, as the name of a span: `chat gpt-5`; what is done alone when there is no name for the rest.
struct Title<'a>(&'static str, Option<&'a str>);

impl fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(of) => write!(f, "{} {of}", self.0),
            None => f.write_str(self.0),
        }
    }
}

/// The span of a run: around [`guard_run`](crate::Guard::guard_run).
#[must_use = "a span that is dropped has nothing in it: `.instrument(span)`"]
pub fn run_span(ctx: &RailContext) -> Span {
    tracing::info_span!(
        target: TARGET,
        "invoke_agent",
        { names::OTEL_NAME } = display(Title("invoke_agent", Some(ctx.agent()))),
        { names::OTEL_KIND } = "internal",
        { names::OTEL_STATUS_CODE } = Empty,
        { names::OPERATION_NAME } = "invoke_agent",
        { names::AGENT_NAME } = ctx.agent(),
        { names::CONVERSATION_ID } = ctx.session_id(),
        { names::RUN_ID } = ctx.run_id(),
        { names::TURN } = ctx.turn(),
        { names::USAGE_INPUT_TOKENS } = Empty,
        { names::USAGE_OUTPUT_TOKENS } = Empty,
        { names::STEPS } = Empty,
        { names::ATTEMPTS } = Empty,
        { names::SUBSTITUTED_BY } = Empty,
        { names::RAIL_NAME } = Empty,
        { names::ERROR_TYPE } = Empty,
    )
}

/// The span of a model call: around [`guard_llm_call`](crate::Guard::guard_llm_call) or
/// [`guard_stream`](crate::Guard::guard_stream).
#[must_use = "a span that is dropped has nothing in it: `.instrument(span)`"]
pub fn model_call_span(ctx: &RailContext, provider: Option<&str>, model: Option<&str>) -> Span {
    tracing::info_span!(
        target: TARGET,
        "chat",
        { names::OTEL_NAME } = display(Title("chat", model)),
        { names::OTEL_KIND } = "client",
        { names::OTEL_STATUS_CODE } = Empty,
        { names::OPERATION_NAME } = "chat",
        { names::PROVIDER_NAME } = provider,
        { names::REQUEST_MODEL } = model,
        { names::REQUEST_STREAM } = Empty,
        { names::CONVERSATION_ID } = ctx.session_id(),
        { names::RUN_ID } = ctx.run_id(),
        { names::STEP } = ctx.step(),
        { names::RESPONSE_ID } = Empty,
        { names::RESPONSE_MODEL } = Empty,
        { names::RESPONSE_FINISH_REASONS } = Empty,
        { names::USAGE_INPUT_TOKENS } = Empty,
        { names::USAGE_OUTPUT_TOKENS } = Empty,
        { names::ATTEMPTS } = Empty,
        { names::SUBSTITUTED_BY } = Empty,
        { names::RAIL_NAME } = Empty,
        { names::ERROR_TYPE } = Empty,
    )
}

/// The span of a tool call: around [`guard_tool_call`](crate::Guard::guard_tool_call). A text that is empty is not known.
#[must_use = "a span that is dropped has nothing in it: `.instrument(span)`"]
pub fn tool_call_span(ctx: &RailContext, tool: &str, call_id: &str) -> Span {
    let known = |text| Some(text).filter(|text: &&str| !text.is_empty());
    tracing::info_span!(
        target: TARGET,
        "execute_tool",
        { names::OTEL_NAME } = display(Title("execute_tool", known(tool))),
        { names::OTEL_KIND } = "internal",
        { names::OTEL_STATUS_CODE } = Empty,
        { names::OPERATION_NAME } = "execute_tool",
        { names::TOOL_NAME } = known(tool),
        { names::TOOL_CALL_ID } = known(call_id),
        { names::TOOL_TYPE } = "function",
        { names::RUN_ID } = ctx.run_id(),
        { names::STEP } = ctx.step(),
        { names::ATTEMPTS } = Empty,
        { names::SUBSTITUTED_BY } = Empty,
        { names::RAIL_NAME } = Empty,
        { names::ERROR_TYPE } = Empty,
    )
}

/// The span of a compaction: around [`guard_compaction`](crate::Guard::guard_compaction). The convention has no name for
/// it.
#[must_use = "a span that is dropped has nothing in it: `.instrument(span)`"]
pub fn compaction_span(ctx: &RailContext) -> Span {
    tracing::info_span!(
        target: TARGET,
        "compact_history",
        { names::OTEL_NAME } = "compact_history",
        { names::OTEL_KIND } = "internal",
        { names::OTEL_STATUS_CODE } = Empty,
        { names::OPERATION_NAME } = "compact_history",
        { names::RUN_ID } = ctx.run_id(),
        { names::STEP } = ctx.step(),
        { names::REMOVED } = Empty,
        { names::ATTEMPTS } = Empty,
        { names::SUBSTITUTED_BY } = Empty,
        { names::RAIL_NAME } = Empty,
        { names::ERROR_TYPE } = Empty,
    )
}

/// What is done with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// It recalls: [`guard_recall`](crate::Guard::guard_recall).
    Recall,
    /// It stores: [`guard_store`](crate::Guard::guard_store).
    Store,
}

/// The span of a use of a memory: around [`guard_recall`](crate::Guard::guard_recall) or
/// [`guard_store`](crate::Guard::guard_store). The convention has no name for it.
#[must_use = "a span that is dropped has nothing in it: `.instrument(span)`"]
pub fn memory_span(ctx: &RailContext, what: MemoryUse) -> Span {
    let operation = match what {
        MemoryUse::Recall => "recall_memory",
        MemoryUse::Store => "store_memory",
    };
    tracing::info_span!(
        target: TARGET,
        "memory",
        { names::OTEL_NAME } = operation,
        { names::OTEL_KIND } = "internal",
        { names::OTEL_STATUS_CODE } = Empty,
        { names::OPERATION_NAME } = operation,
        { names::RUN_ID } = ctx.run_id(),
        { names::STEP } = ctx.step(),
        { names::RECALLED } = Empty,
        { names::ATTEMPTS } = Empty,
        { names::SUBSTITUTED_BY } = Empty,
        { names::RAIL_NAME } = Empty,
        { names::ERROR_TYPE } = Empty,
    )
}

/// What comes out of an operation, for its span.
pub trait SpanResult {
    /// What it has cost.
    fn usage(&self) -> Option<&Usage> {
        None
    }

    /// Says in the span what is to be said of it.
    fn record_in(&self, span: &Span);

    /// Whether it tells of a failure, to be read by the model.
    fn is_error(&self) -> bool {
        false
    }

    /// The kind of the error that it stands for.
    fn error_kind(&self) -> Option<OperationErrorKind> {
        None
    }
}

impl SpanResult for InvokeOutput {
    fn usage(&self) -> Option<&Usage> {
        Some(&self.usage)
    }

    fn record_in(&self, span: &Span) {
        span.record(names::STEPS, self.steps);
    }
}

impl SpanResult for ModelResponse {
    fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }

    fn record_in(&self, span: &Span) {
        let text = |name| self.extra.get(name).and_then(Value::as_str);
        span.record(names::RESPONSE_ID, text("id"));
        span.record(names::RESPONSE_MODEL, text("model"));
        if let Some(reason) = &self.finish_reason {
            span.record(names::RESPONSE_FINISH_REASONS, tracing::field::debug([reason]));
        }
    }
}

impl SpanResult for ToolOutput {
    fn record_in(&self, _: &Span) {}

    fn is_error(&self) -> bool {
        self.is_error
    }

    fn error_kind(&self) -> Option<OperationErrorKind> {
        self.error_kind
    }
}

impl SpanResult for CompactionOutput {
    fn record_in(&self, span: &Span) {
        span.record(names::REMOVED, self.removed);
    }
}

impl SpanResult for RecalledMemory {
    fn record_in(&self, span: &Span) {
        span.record(names::RECALLED, self.items.len());
    }
}

/// What is stored has no output.
impl SpanResult for () {
    fn record_in(&self, _: &Span) {}
}

/// Records in the span how the operation ended. `ctx` is the context that it was guarded in.
pub fn end<T: SpanResult>(span: &Span, ctx: &RailContext, result: &Result<T, RunError>) {
    end_with_usage(span, ctx, result, result.as_ref().ok().and_then(T::usage));
}

/// Records in the span how the operation ended, with the tokens that all its attempts used: the result knows only those of
/// the last.
pub fn end_with_usage<T: SpanResult>(
    span: &Span,
    ctx: &RailContext,
    result: &Result<T, RunError>,
    usage: Option<&Usage>,
) {
    if span.is_disabled() {
        return;
    }
    record_usage(span, usage);
    match result {
        Ok(result) => {
            span.record(names::ATTEMPTS, ctx.attempt() + 1);
            result.record_in(span);
            if let Some(rail) = ctx.substituted_by() {
                span.record(names::SUBSTITUTED_BY, rail.as_str());
            } else if result.is_error() {
                failed(span, result.error_kind().map_or("tool_error", kind));
            }
        }
        Err(error) => {
            // What is cancelled may not have begun.
            if !matches!(error, RunError::Cancelled) {
                span.record(names::ATTEMPTS, ctx.attempt() + 1);
            }
            span.record(names::RAIL_NAME, rail_of(error));
            if error.suspension().is_some() {
                // What waits has not failed.
                span.record(names::ERROR_TYPE, error_type(error));
            } else {
                failed(span, error_type(error));
            }
        }
    }
}

fn record_usage(span: &Span, usage: Option<&Usage>) {
    if let Some(usage) = usage.filter(|usage| **usage != Usage::default()) {
        span.record(names::USAGE_INPUT_TOKENS, usage.prompt_tokens);
        span.record(names::USAGE_OUTPUT_TOKENS, usage.completion_tokens);
    }
}

/// Watches an operation until it has ended. When the watch is dropped before, because the future of the operation is, the
/// span says that it was dropped (`error.type` is `dropped`), and what it has used until then.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::telemetry;
/// use tracing::Instrument;
///
/// # async fn call(ctx: &mut RunContext) -> Result<ToolOutput, RunError> { Ok(ToolOutput::text("done")) }
/// # async fn guarded(ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
/// let span = telemetry::tool_call_span(ctx, "search", "call-1");
/// let watch = telemetry::until_ended(&span, || None);
/// let result = call(ctx).instrument(span.clone()).await;
/// watch.ended();
/// telemetry::end(&span, ctx, &result);
/// # result }
/// ```
pub fn until_ended<U: Fn() -> Option<Usage>>(span: &Span, used: U) -> UntilEnded<'_, U> {
    UntilEnded { span, used, has_ended: false }
}

/// See [`until_ended`].
#[must_use = "the watch ends when it is dropped"]
#[derive(Debug)]
pub struct UntilEnded<'s, U: Fn() -> Option<Usage>> {
    span: &'s Span,
    used: U,
    has_ended: bool,
}

impl<U: Fn() -> Option<Usage>> UntilEnded<'_, U> {
    /// The operation has ended, in whatever way.
    pub fn ended(mut self) {
        self.has_ended = true;
    }
}

impl<U: Fn() -> Option<Usage>> Drop for UntilEnded<'_, U> {
    fn drop(&mut self) {
        if !self.has_ended && !self.span.is_disabled() {
            record_usage(self.span, (self.used)().as_ref());
            failed(self.span, "dropped");
        }
    }
}

fn failed(span: &Span, error_type: &str) {
    span.record(names::ERROR_TYPE, error_type);
    span.record(names::OTEL_STATUS_CODE, "ERROR");
}

/// The value of `error.type` for this error:
///
/// | error | `error.type` |
/// |---|---|
/// | a rail aborted | `rail_abort` |
/// | a rail suspended the run | `suspended`; `otel.status_code` is not `ERROR` |
/// | a rail faulted | `rail_fault` |
/// | a rail's retries were used up | `retries_exhausted` |
/// | the operation failed | its [kind](OperationErrorKind), as in JSON: `rate_limited`; `_OTHER` when it is none of them |
/// | too many steps | `step_limit` |
/// | cancelled | `cancelled` |
/// | the permit was kept | `permit_kept` |
///
/// The output of a tool that tells of an error, without one, is a `tool_error`. An operation that was dropped before it had
/// ended is `dropped`: see [`until_ended`].
#[must_use]
pub fn error_type(error: &RunError) -> &'static str {
    match error {
        RunError::Abort(abort) if abort.suspension().is_some() => "suspended",
        RunError::Abort(_) => "rail_abort",
        RunError::Fault(_) => "rail_fault",
        RunError::RetriesExhausted(_) => "retries_exhausted",
        RunError::Operation(error) => kind(error.kind),
        RunError::StepLimit { .. } => "step_limit",
        RunError::TooDeep(_) => "too_deep",
        RunError::Cancelled => "cancelled",
        RunError::PermitKept { .. } => "permit_kept",
    }
}

const fn kind(kind: OperationErrorKind) -> &'static str {
    match kind {
        OperationErrorKind::Timeout => "timeout",
        OperationErrorKind::RateLimited => "rate_limited",
        OperationErrorKind::Unavailable => "unavailable",
        OperationErrorKind::InvalidRequest => "invalid_request",
        OperationErrorKind::InvalidResponse => "invalid_response",
        OperationErrorKind::NotFound => "not_found",
        OperationErrorKind::Denied => "denied",
        OperationErrorKind::Other => "_OTHER",
    }
}

/// The rail that has ended the run with this error.
fn rail_of(error: &RunError) -> Option<&str> {
    match error {
        RunError::Abort(abort) => Some(&abort.rail_name),
        RunError::Fault(fault) => Some(&fault.rail_name),
        RunError::RetriesExhausted(exhausted) => Some(&exhausted.rail_name),
        _ => None,
    }
}

/// Records the model of a request that is about to be sent: a rail may have chosen another one.
pub fn record_request(span: &Span, request: &ModelCallInputs) {
    if let Some(model) = &request.model {
        span.record(names::OTEL_NAME, display(Title("chat", Some(model))));
        span.record(names::REQUEST_MODEL, model.as_str());
    }
}

/// The span of a rail at an event: for your own guard sets.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::telemetry;
/// use tracing::Instrument;
///
/// # async fn ask(call: &ToolCallInputs) -> exo_rails::Outcome<PreToolCall> { Ok(Decision::Continue) }
/// # async fn f(call: &ToolCallInputs) -> exo_rails::Outcome<PreToolCall> {
/// let span = telemetry::rail_span("no_shell", 10, HookPoint::PreToolCall);
/// let outcome = ask(call).instrument(span.clone()).await;
/// telemetry::decided::<PreToolCall>(&span, &outcome);
/// # outcome }
/// ```
#[must_use = "a span that is dropped has nothing in it: `.instrument(span)`"]
pub fn rail_span(rail: &str, priority: i32, event: HookPoint) -> Span {
    tracing::debug_span!(
        target: RAIL_TARGET,
        "rail",
        { names::OTEL_NAME } = display(Title("rail", Some(rail))),
        { names::OTEL_KIND } = "internal",
        { names::OTEL_STATUS_CODE } = Empty,
        { names::RAIL_NAME } = rail,
        { names::RAIL_PRIORITY } = priority,
        { names::EVENT } = event.name(),
        { names::RAIL_DECISION } = Empty,
        { names::RAIL_REASON } = Empty,
        { names::ERROR_TYPE } = Empty,
    )
}

/// Says in the span of a rail what it has decided.
pub fn decided<E: Payloads>(span: &Span, outcome: &Outcome<E>) {
    if span.is_disabled() {
        return;
    }
    let (decision, reason) = match outcome {
        Ok(decision) => (decision.action(), decision.reason()),
        // Not its text: that of a fault about arguments quotes them.
        Err(fault) => {
            failed(span, fault_type(&fault.cause));
            ("fault", None)
        }
    };
    span.record(names::RAIL_DECISION, decision);
    span.record(names::RAIL_REASON, reason.map(Reason::as_str));
}

/// The same for what a chain asks its rails.
pub(crate) fn flowed<E: Payloads>(span: &Span, flow: &ControlFlow<Outcome<E>>) {
    match flow {
        ControlFlow::Continue(()) => decided::<E>(span, &Ok(Decision::Continue)),
        ControlFlow::Break(outcome) => decided::<E>(span, outcome),
    }
}

const fn fault_type(cause: &FaultCause) -> &'static str {
    match cause {
        FaultCause::Error(_) => "rail_error",
        FaultCause::Timeout { .. } => "timeout",
        FaultCause::Panic { .. } => "panic",
        FaultCause::IllegalAction { .. } => "illegal_action",
        FaultCause::WrongSubstitute { .. } => "wrong_substitute",
    }
}

/// Whether somebody takes the spans of rails.
#[inline]
pub(crate) fn takes_rails() -> bool {
    tracing::span_enabled!(target: RAIL_TARGET, Level::DEBUG)
}
