//! Spans of runs, operations and rails, for [`tracing`]. Their names follow the OpenTelemetry conventions for generative
//! AI.
//!
//! An `Agent` opens a span for its run. Inside this span it opens one for each model call, each tool call, each compaction
//! and each use of its memory. The span of an operation contains the rails before and after the operation.
//!
//! | span | `otel.name` | its fields, beside `gen_ai.operation.name` and `exo_rails.run_id` |
//! |---|---|---|
//! | [run](run_span) | `invoke_agent {agent}` | the agent, the conversation and its turn, the usage, the steps |
//! | [model call](model_call_span) | `chat {model}` | the provider, the requested model and the model that answered, the conversation, the step, the finish reason, the usage of all attempts |
//! | [tool call](tool_call_span) | `execute_tool {tool}` | the tool, the id of the call, the step |
//! | [compaction](compaction_span) | `compact_history` | the step, the number of removed messages |
//! | [memory](memory_span) | `recall_memory` or `store_memory` | the step, the number of recalled items |
//! | [rail](rail_span) | `rail {name}` | its name and priority, the event, its decision and the reason |
//!
//! When an operation has [ended](end), its span also has these fields:
//!
//! - the number of attempts,
//! - the rail that brought the substitute, if the result is one,
//! - the [error type](error_type) and the rail that ended the operation, if the operation failed.
//!
//! A failed tool call is an error of its span, even if the agent goes on and only the model reads the error.
//!
//! The spans of operations have the level `INFO` and the target [`TARGET`]. The spans of rails have the level `DEBUG` and
//! the target [`RAIL_TARGET`]. A [`RailManager`](crate::RailManager) and a [`HookManager`](crate::HookManager) open a span
//! around each rail if a subscriber enables spans of this level and target. A chain does so only with `#[chain(trace)]`.
//! Without this attribute, a chain contains no code for spans.
//!
//! # Left out
//!
//! Spans do not contain the text of prompts or answers, or the arguments and the output of tools. They leave out the names
//! of tools that the agent does not have, because the model made them up. They report an error by its kind, without its
//! text.
//!
//! The span of a *rail* has its reason, unchanged. If a rail quotes an argument in its reason, the span has this argument.
//! If the fault of a rail skips the event (`on_fault = "skip"`), the reason is the text of the fault.
//!
//! # With OpenTelemetry
//!
//! `tracing-opentelemetry` converts these spans into OpenTelemetry spans. It reads `otel.name`, `otel.kind` and
//! `otel.status_code`. The module [`names`] has all names of fields. The convention is at
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/>, and while it is in development, at
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

/// The names of the fields of spans.
///
/// The convention defines most names, in two documents:
///
/// - [model calls](https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-spans.md)
/// - [agents and
///   tools](https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-agent-spans.md)
///
/// A name that the convention does not define begins with `exo_rails`.
pub mod names {
    /// The operation: `invoke_agent`, `chat`, `execute_tool`.
    pub const OPERATION_NAME: &str = "gen_ai.operation.name";
    /// The provider of the model. Older versions of the convention call it `gen_ai.system`.
    pub const PROVIDER_NAME: &str = "gen_ai.provider.name";
    /// The name of the agent.
    pub const AGENT_NAME: &str = "gen_ai.agent.name";
    /// The id of the session.
    pub const CONVERSATION_ID: &str = "gen_ai.conversation.id";
    /// The model in the request.
    pub const REQUEST_MODEL: &str = "gen_ai.request.model";
    /// Whether the answer is streamed.
    pub const REQUEST_STREAM: &str = "gen_ai.request.stream";
    /// The id of the answer.
    pub const RESPONSE_ID: &str = "gen_ai.response.id";
    /// The model that has answered.
    pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
    /// Why the model stopped. The convention defines a list. It is written as text, such as `["stop"]`, because a field of
    /// a `tracing` span cannot be a list.
    pub const RESPONSE_FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
    /// The number of tokens in the requests.
    pub const USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
    /// The number of tokens in the answers.
    pub const USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
    /// The name of the tool.
    pub const TOOL_NAME: &str = "gen_ai.tool.name";
    /// The id of the tool call.
    pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
    /// The kind of the tool. Here it is always `function`.
    pub const TOOL_TYPE: &str = "gen_ai.tool.type";
    /// The kind of the failure: see [`error_type`](super::error_type).
    pub const ERROR_TYPE: &str = "error.type";

    /// The name of the span in OpenTelemetry. It is a field because the name of a `tracing` span is a constant.
    pub const OTEL_NAME: &str = "otel.name";
    /// `client` for a model call, otherwise `internal`.
    pub const OTEL_KIND: &str = "otel.kind";
    /// `ERROR` if the operation failed.
    pub const OTEL_STATUS_CODE: &str = "otel.status_code";

    /// The id of the run.
    pub const RUN_ID: &str = "exo_rails.run_id";
    /// The number of the run in its session.
    pub const TURN: &str = "exo_rails.turn";
    /// The step of the run.
    pub const STEP: &str = "exo_rails.step";
    /// The number of steps of the run.
    pub const STEPS: &str = "exo_rails.steps";
    /// The number of attempts of the operation.
    pub const ATTEMPTS: &str = "exo_rails.attempts";
    /// The rail whose substitute replaced the result.
    pub const SUBSTITUTED_BY: &str = "exo_rails.substituted_by";
    /// The number of messages that a compaction has removed.
    pub const REMOVED: &str = "exo_rails.removed";
    /// The number of items that a memory has recalled.
    pub const RECALLED: &str = "exo_rails.recalled";
    /// The rail of the span, or the rail that has ended the operation.
    pub const RAIL_NAME: &str = "exo_rails.rail.name";
    /// The priority of the rail.
    pub const RAIL_PRIORITY: &str = "exo_rails.rail.priority";
    /// The decision of the rail: `continue`, `skip`, `retry`, `abort`, or `fault` if the rail could not decide.
    pub const RAIL_DECISION: &str = "exo_rails.rail.decision";
    /// The reason of the rail, unchanged.
    pub const RAIL_REASON: &str = "exo_rails.rail.reason";
    /// The event that the rail was called at.
    pub const EVENT: &str = "exo_rails.event";
}

/// The name of a span: the operation and its subject, such as `chat gpt-5`. Without a subject, the operation alone.
struct Title<'a>(&'static str, Option<&'a str>);

impl fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(of) => write!(f, "{} {of}", self.0),
            None => f.write_str(self.0),
        }
    }
}

/// Creates the span of a run, for [`guard_run`](crate::Guard::guard_run).
#[must_use = "a dropped span records nothing: write `.instrument(span)`"]
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

/// Creates the span of a model call, for [`guard_llm_call`](crate::Guard::guard_llm_call) or
/// [`guard_stream`](crate::Guard::guard_stream).
#[must_use = "a dropped span records nothing: write `.instrument(span)`"]
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

/// Creates the span of a tool call, for [`guard_tool_call`](crate::Guard::guard_tool_call). Pass an empty text for a name
/// or an id that is unknown.
#[must_use = "a dropped span records nothing: write `.instrument(span)`"]
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

/// Creates the span of a compaction, for [`guard_compaction`](crate::Guard::guard_compaction). The convention has no name
/// for this operation.
#[must_use = "a dropped span records nothing: write `.instrument(span)`"]
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

/// The operations of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// The memory recalls: [`guard_recall`](crate::Guard::guard_recall).
    Recall,
    /// The memory stores: [`guard_store`](crate::Guard::guard_store).
    Store,
}

/// Creates the span of a use of a memory, for [`guard_recall`](crate::Guard::guard_recall) or
/// [`guard_store`](crate::Guard::guard_store). The convention has no name for these operations.
#[must_use = "a dropped span records nothing: write `.instrument(span)`"]
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

/// The result of an operation, for its span.
pub trait SpanResult {
    /// Returns the tokens that the operation has used.
    fn usage(&self) -> Option<&Usage> {
        None
    }

    /// Records the fields of this result in the span.
    fn record_in(&self, span: &Span);

    /// Returns `true` if the result reports a failure to the model.
    fn is_error(&self) -> bool {
        false
    }

    /// Returns the kind of the error that the result reports.
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

/// The result of storing in a memory: it has no output.
impl SpanResult for () {
    fn record_in(&self, _: &Span) {}
}

/// Records in the span how the operation ended. `ctx` is the context of the guarded operation.
pub fn end<T: SpanResult>(span: &Span, ctx: &RailContext, result: &Result<T, RunError>) {
    end_with_usage(span, ctx, result, result.as_ref().ok().and_then(T::usage));
}

/// Like [`end`], but records the tokens of all attempts. The result has only those of the last attempt.
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
            // A cancelled operation may not have begun.
            if !matches!(error, RunError::Cancelled) {
                span.record(names::ATTEMPTS, ctx.attempt() + 1);
            }
            span.record(names::RAIL_NAME, rail_of(error));
            if error.suspension().is_some() {
                // A suspended run has not failed.
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

/// Watches an operation until it has ended. If the future of the operation is dropped before, the watch is dropped too. It
/// then records in the span that the operation was dropped (`error.type` is `dropped`), and the usage until then.
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

/// The watch that [`until_ended`] creates.
#[must_use = "the watch ends when it is dropped"]
#[derive(Debug)]
pub struct UntilEnded<'s, U: Fn() -> Option<Usage>> {
    span: &'s Span,
    used: U,
    has_ended: bool,
}

impl<U: Fn() -> Option<Usage>> UntilEnded<'_, U> {
    /// Records that the operation has ended, with success or with an error. Dropping the watch then does nothing.
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

/// Returns the value of `error.type` for this error:
///
/// | error | `error.type` |
/// |---|---|
/// | a rail aborted | `rail_abort` |
/// | a rail suspended the run | `suspended`; `otel.status_code` is not `ERROR` |
/// | a rail faulted | `rail_fault` |
/// | a rail's retries were used up | `retries_exhausted` |
/// | the operation failed | its [kind](OperationErrorKind), as in JSON, such as `rate_limited`; `_OTHER` for [`OperationErrorKind::Other`] |
/// | too many steps | `step_limit` |
/// | too many nested runs | `too_deep` |
/// | cancelled | `cancelled` |
/// | the permit was kept | `permit_kept` |
///
/// Two values do not come from a `RunError`. If the output of a tool reports an error without a kind, the value is
/// `tool_error`. If an operation was dropped before it ended, the value is `dropped`: see [`until_ended`].
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

/// Returns the rail that has ended the run with this error.
fn rail_of(error: &RunError) -> Option<&str> {
    match error {
        RunError::Abort(abort) => Some(&abort.rail_name),
        RunError::Fault(fault) => Some(&fault.rail_name),
        RunError::RetriesExhausted(exhausted) => Some(&exhausted.rail_name),
        _ => None,
    }
}

/// Records the model of a request just before it is sent, because a rail may have chosen another model.
pub fn record_request(span: &Span, request: &ModelCallInputs) {
    if let Some(model) = &request.model {
        span.record(names::OTEL_NAME, display(Title("chat", Some(model))));
        span.record(names::REQUEST_MODEL, model.as_str());
    }
}

/// Creates the span of a rail at an event, for custom guard sets.
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
#[must_use = "a dropped span records nothing: write `.instrument(span)`"]
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

/// Records in the span of a rail what the rail has decided.
pub fn decided<E: Payloads>(span: &Span, outcome: &Outcome<E>) {
    if span.is_disabled() {
        return;
    }
    let (decision, reason) = match outcome {
        Ok(decision) => (decision.action(), decision.reason()),
        // Not its text: a rail's error may quote the payload.
        Err(fault) => {
            failed(span, fault_type(&fault.cause));
            ("fault", None)
        }
    };
    span.record(names::RAIL_DECISION, decision);
    span.record(names::RAIL_REASON, reason.map(Reason::as_str));
}

/// Records the decision of a rail in a chain.
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

/// Returns `true` if a subscriber enables the spans of rails.
#[inline]
pub(crate) fn takes_rails() -> bool {
    tracing::span_enabled!(target: RAIL_TARGET, Level::DEBUG)
}
