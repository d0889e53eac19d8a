//! Guard sets: the one trait behind static chains, `RailManager`, `HookManager` and "no rails".

use std::sync::Arc;

use crate::checks::ServesEveryEvent;
use crate::compaction::{CompactionInputs, CompactionOutput};
use crate::context::RailContext;
use crate::decision::{Decision, Outcome};
use crate::error::{OperationError, RunError};
use crate::event::{Event, SessionEnd, SessionStart};
use crate::fault::{self, OnFault, RailFault};
use crate::operation::{self, Call, Compact, Guarded, GuardedStream, LlmCall, Streamed, ToolCall};
use crate::payload::{InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput};
use crate::session::SessionInfo;
use crate::stream::StreamSink;

/// A guard set that serves event `E`.
///
/// Chains implement it for the events that they serve, [`RailManager`](crate::RailManager) and
/// [`HookManager`](crate::HookManager) for every event. Implement it to put something around a guard set:
/// tracing, say. Users call [`GuardSet::dispatch`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not serve the event `{E}`",
    label = "does not serve `{E}`",
    note = "a chain serves the events of the library, and those of your own that it names: `#[chain(events = [{E}])]`",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `HookManager` and `NoRails`"
)]
pub trait Serves<E: Event>: Send + Sync {
    /// Whether there is anything to run. Where there is not, the event is passed over: a context stays at the event
    /// before.
    fn has_rails(&self) -> bool {
        true
    }

    /// Whether a rail may change the payload: then a guarded operation keeps the original, for retries.
    fn may_rewrite(&self) -> bool {
        true
    }

    /// How many characters of a streamed answer its rails have to see together: so many are held back. Only
    /// [`LlmChunk`](crate::events::LlmChunk) is asked. A guard set that does not say holds back all of the answer.
    fn stream_window(&self) -> usize {
        usize::MAX
    }

    /// Runs the rails of the event, in their order, until one of them does not continue.
    fn run_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls only the rails that are [always called](macro@crate::rail#rails-that-are-always-called): the guard set is
    /// part of another, and there a rail has stopped the event. A guard set made of others passes it on to them.
    fn run_always_rails<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// A guard set for an agent: it serves every event of the lifecycle.
///
/// It is implemented for every type that does. Whatever runs an agent takes a `GuardSet` and does not care
/// whether it is a static chain, a [`RailManager`](crate::RailManager), a [`HookManager`](crate::HookManager)
/// or [`NoRails`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a guard set",
    label = "not a guard set",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `HookManager` and `NoRails`, and references to them",
    note = "a single rail becomes one in a chain: `rail_chain![my_rail]`"
)]
pub trait GuardSet: ServesEveryEvent {
    /// Runs the rails of one event and returns what they decided.
    ///
    /// The [guarded operations](Self::guard_tool_call) do this and act on every decision; call it where you
    /// need the single event.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 20, on = [PreToolCall])]
    /// fn shorten(call: &mut ToolCallInputs) -> Verdict {
    ///     Verdict::abort_if(!call.set_argument("limit", 10), "the arguments have no names")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
    /// let mut call = ToolCallInputs::new("search");
    /// let decision = rail_chain![shorten].dispatch::<PreToolCall>(&mut call, &mut RailContext::new("demo")).await?;
    /// assert!(decision.is_continue());
    /// assert_eq!(call.arguments["limit"], 10);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a rail that can decide faults.
    fn dispatch<'a, E: Event>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Result<Decision<E::Substitute>, RailFault>> + Send
    where
        Self: Serves<E>,
    {
        enter::<E, Self>(self, payload, ctx)
    }

    /// Guards a whole run: [`Start`](crate::events::Start), the run, [`Finished`](crate::events::Finished); and
    /// [`Error`](struct@crate::events::Error), once, when it ends with an error of any kind.
    ///
    /// `run` is called with the permit for the inputs as the rails have left them. It is called again when a
    /// rail has the run done again. The context for its model and tool calls is
    /// [`permit.context()`](crate::Permit::context).
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [Start])]
    /// fn known_answers(run: &InvokeInputs) -> RailAction<InvokeOutput> {
    ///     match run.input.text().as_ref() {
    ///         "ping" => RailAction::skip_with(InvokeOutput::text("pong"), "the answer is known"),
    ///         _ => RailAction::Continue,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let rails = &rail_chain![known_answers];
    /// let agent = |run: Permit<InvokeInputs>| async move {
    ///     let mut ctx = run.context();
    ///     let request = ModelCallInputs::new(vec![]);
    ///     let model = |_request| async { Ok::<_, OperationError>(ModelResponse::text("an answer")) };
    ///     let response = rails.guard_llm_call(request, &mut ctx, model).await?;
    ///     Ok::<_, RunError>(InvokeOutput::text(response.message.text()))
    /// };
    /// let mut ctx = RailContext::new("demo");
    /// assert_eq!(rails.guard_run("ping", &mut ctx, agent).await?.text, "pong");
    /// assert_eq!(rails.guard_run("Where is my order?", &mut ctx, agent).await?.text, "an answer");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The error that the run ended with, as it is.
    fn guard_run<F>(
        &self,
        inputs: impl Into<InvokeInputs> + Send,
        ctx: &mut RailContext,
        run: F,
    ) -> impl Future<Output = Result<InvokeOutput, RunError>> + Send
    where
        F: Guarded<InvokeInputs, InvokeOutput, RunError>,
    {
        operation::guard_run(self, inputs.into(), ctx, Call::new(run))
    }

    /// Asks the rails of [`SessionStart`](crate::events::SessionStart) whether a session may begin.
    ///
    /// [`Session`](crate::Session) does it for an agent; call it where the runs are your own.
    ///
    /// # Errors
    /// When a rail aborts or faults.
    fn start_session(
        &self,
        session: &SessionInfo,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<(), RunError>> + Send {
        async move {
            match enter::<SessionStart, Self>(self, session, ctx).await? {
                Decision::Abort(abort) => Err(abort.into()),
                // The event allows nothing else, and a hook that wants it has faulted.
                Decision::Continue | Decision::Skip { .. } | Decision::Retry { .. } => Ok(()),
            }
        }
    }

    /// Tells the rails of [`SessionEnd`](crate::events::SessionEnd) that a session has ended. There is nothing left to
    /// stop, so what faults is reported as a `tracing` warning.
    fn end_session(&self, session: &SessionInfo, ctx: &mut RailContext) -> impl Future<Output = ()> + Send {
        async move {
            if let Err(fault) = enter::<SessionEnd, Self>(self, session, ctx).await {
                fault::report(&fault, OnFault::Continue);
            }
        }
    }

    /// Guards a call of the model: [`PreLlmCall`](crate::events::PreLlmCall), the call, then
    /// [`PostLlmCall`](crate::events::PostLlmCall) or [`LlmError`](crate::events::LlmError).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use exo_rails::prelude::*;
    ///
    /// /// Asks again when the provider is busy, three times at the most.
    /// #[rail(on = [LlmError])]
    /// fn back_off(error: &OperationError) -> RailAction {
    ///     if error.kind != OperationErrorKind::RateLimited {
    ///         return RailAction::Continue;
    ///     }
    ///     let wait = error.retry_after.unwrap_or(Duration::from_secs(1));
    ///     RailAction::retry(RetryRequest::new("rate limited").with_delay(wait).with_max_retries(3))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let mut calls = 0;
    /// let model = |_request: Permit<ModelCallInputs>| {
    ///     calls += 1;
    ///     let busy = OperationError::new(OperationErrorKind::RateLimited, "slow down").with_retry_after(Duration::ZERO);
    ///     let answer = if calls < 3 { Err(busy) } else { Ok(ModelResponse::text("done")) };
    ///     async { answer }
    /// };
    /// let mut ctx = RailContext::new("demo");
    /// let response = rail_chain![back_off].guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
    /// assert_eq!(response.message.text(), "done");
    /// assert_eq!(calls, 3);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a rail aborts, faults or has used up its retries, when the call fails and no rail rescues it, or
    /// when the run is cancelled.
    fn guard_llm_call<F>(
        &self,
        mut call: ModelCallInputs,
        ctx: &mut RailContext,
        model: F,
    ) -> impl Future<Output = Result<ModelResponse, RunError>> + Send
    where
        F: Guarded<ModelCallInputs, ModelResponse, OperationError>,
    {
        async move { operation::guard::<LlmCall, _, _>(self, &mut call, ctx, Call::new(model)).await }
    }

    /// Guards a call of the model whose answer comes in pieces, and lets each piece leave when the rails of
    /// [`LlmChunk`](crate::events::LlmChunk) have seen it, with so much of what follows as they
    /// [hold back](crate::StreamWindow).
    ///
    /// The rails, and what comes of their decisions, are those of [`guard_llm_call`](Self::guard_llm_call), which asks
    /// the rails of `LlmChunk` about the answer as a whole. What the rails of `PostLlmCall` change is in the response, but
    /// the text has left by then.
    ///
    /// `model` yields a stream of [`ModelDelta`](crate::ModelDelta)s; `outlet` takes each
    /// [`StreamPiece`](crate::StreamPiece), and the model is not asked for more until it has.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::{ModelDelta, StreamPiece};
    /// use futures_util::stream;
    ///
    /// /// No names of colours.
    /// #[rail(on = [LlmChunk], window = 5)]
    /// fn grey(window: &mut StreamWindow) {
    ///     window.text = window.text.replace("green", "grey");
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let model = |_request| {
    ///     let pieces = ["It is gr", "een, and", " so it stays."];
    ///     stream::iter(pieces.map(|text| Ok::<_, OperationError>(ModelDelta::Text(text.into()))))
    /// };
    /// let (pieces, mut ctx) = (std::sync::Mutex::new(Vec::new()), RailContext::new("demo"));
    /// let outlet = |piece| {
    ///     pieces.lock().unwrap().push(piece);
    ///     async {}
    /// };
    /// let response = rail_chain![grey].guard_stream(ModelCallInputs::default(), &mut ctx, model, outlet).await?;
    /// assert_eq!(response.message.text(), "It is grey, and so it stays.");
    /// let text = |piece: &str| StreamPiece::Text(piece.into());
    /// assert_eq!(*pieces.lock().unwrap(), [text("It "), text("is grey"), text(", and so it s"), text("tays.")]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`guard_llm_call`](Self::guard_llm_call).
    fn guard_stream(
        &self,
        mut call: ModelCallInputs,
        ctx: &mut RailContext,
        model: impl GuardedStream,
        outlet: impl StreamSink,
    ) -> impl Future<Output = Result<ModelResponse, RunError>> + Send {
        async move {
            let model = Streamed { model, outlet, has_left: false };
            operation::guard::<LlmCall, _, _>(self, &mut call, ctx, model).await
        }
    }

    /// Guards a compaction of the history: [`PreCompaction`](crate::events::PreCompaction), the compaction, then
    /// [`PostCompaction`](crate::events::PostCompaction).
    ///
    /// ```
    /// use exo_rails::message::Message;
    /// use exo_rails::prelude::*;
    ///
    /// /// Whoever compacts is told what matters.
    /// #[rail(on = [PreCompaction])]
    /// fn keep_orders(history: &mut CompactionInputs) {
    ///     history.hint = Some("keep the numbers of orders".into());
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let history = CompactionInputs { messages: vec![Message::user("Hello"), Message::user("Order 7?")], ..Default::default() };
    /// let last_only = |history: Permit<CompactionInputs>| async move {
    ///     assert_eq!(history.hint.as_deref(), Some("keep the numbers of orders"));
    ///     let messages = history.messages.last().cloned().into_iter().collect();
    ///     Ok::<_, OperationError>(CompactionOutput { messages, removed: 1, ..Default::default() })
    /// };
    /// let mut ctx = RailContext::new("demo");
    /// let shorter = rail_chain![keep_orders].guard_compaction(history, &mut ctx, last_only).await?;
    /// assert_eq!(shorter.messages[0].text(), "Order 7?");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a rail aborts or faults, when the compaction fails, or when the run is cancelled.
    fn guard_compaction<F>(
        &self,
        mut history: CompactionInputs,
        ctx: &mut RailContext,
        compaction: F,
    ) -> impl Future<Output = Result<CompactionOutput, RunError>> + Send
    where
        F: Guarded<CompactionInputs, CompactionOutput, OperationError>,
    {
        async move { operation::guard::<Compact, _, _>(self, &mut history, ctx, Call::new(compaction)).await }
    }

    /// Guards a tool call: [`PreToolCall`](crate::events::PreToolCall), the call, then
    /// [`PostToolCall`](crate::events::PostToolCall) or [`ToolError`](crate::events::ToolError).
    ///
    /// The rails' decisions are acted on: a skip puts its substitute in the place of the output, a retry
    /// waits and begins again at the pre rails, an abort is the error. What the rails change in the call
    /// reaches the tool: the [`Permit`](crate::Permit) holds the call as they have left it.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [PreToolCall])]
    /// fn only_search(call: &ToolCallInputs) -> RailAction {
    ///     if call.tool_name == "search" { RailAction::Continue } else { RailAction::skip("only search is allowed") }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let rails = rail_chain![only_search];
    /// let mut ctx = RailContext::new("demo");
    /// let call = ToolCallInputs::new("delete_file");
    /// let output = rails
    ///     .guard_tool_call(call, &mut ctx, |call| async move {
    ///         Ok::<_, OperationError>(ToolOutput::text(format!("{} has run", call.tool_name)))
    ///     })
    ///     .await?;
    /// assert_eq!(output.content, "The call of `delete_file` was skipped by the rail `only_search`: only search is allowed");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a rail aborts, faults or has used up its retries, when the call fails and no rail rescues it, or
    /// when the run is cancelled.
    fn guard_tool_call<F>(
        &self,
        mut call: ToolCallInputs,
        ctx: &mut RailContext,
        tool: F,
    ) -> impl Future<Output = Result<ToolOutput, RunError>> + Send
    where
        F: Guarded<ToolCallInputs, ToolOutput, OperationError>,
    {
        async move { operation::guard::<ToolCall<false>, _, _>(self, &mut call, ctx, Call::new(tool)).await }
    }
}

#[diagnostic::do_not_recommend]
impl<R: ServesEveryEvent + ?Sized> GuardSet for R {}

/// Begins an event and runs its rails.
#[inline]
pub(crate) fn enter<'a, E: Event, R: Serves<E> + ?Sized>(
    rails: &'a R,
    payload: E::Payload<'a>,
    ctx: &'a mut RailContext,
) -> impl Future<Output = Outcome<E>> + Send {
    if rails.has_rails() {
        ctx.enter(E::POINT);
    }
    rails.run_rails(payload, ctx)
}

/// No rails: every event continues, and guarded operations behave as if nothing guarded them.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRails;

impl<E: Event> Serves<E> for NoRails {
    #[inline]
    fn has_rails(&self) -> bool {
        false
    }

    #[inline]
    fn may_rewrite(&self) -> bool {
        false
    }

    fn stream_window(&self) -> usize {
        0
    }

    #[inline]
    fn run_rails<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> impl Future<Output = Outcome<E>> + Send {
        std::future::ready(Ok(Decision::Continue))
    }
}

/// A guard set behind a pointer is the guard set.
macro_rules! behind_pointers {
    ($($pointer:ty),*) => {$(
        impl<E: Event, R: Serves<E> + ?Sized> Serves<E> for $pointer {
            #[inline]
            fn has_rails(&self) -> bool {
                (**self).has_rails()
            }

            #[inline]
            fn may_rewrite(&self) -> bool {
                (**self).may_rewrite()
            }

            fn stream_window(&self) -> usize {
                (**self).stream_window()
            }

            #[inline]
            fn run_rails<'a>(
                &'a self,
                payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> impl Future<Output = Outcome<E>> + Send {
                (**self).run_rails(payload, ctx)
            }

            fn run_always_rails<'a>(
                &'a self,
                payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> impl Future<Output = ()> + Send {
                (**self).run_always_rails(payload, ctx)
            }
        }
    )*};
}

behind_pointers!(&R, Arc<R>, Box<R>);
