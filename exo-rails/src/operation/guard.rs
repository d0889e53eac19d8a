//! The guarded operations, as methods of every guard set.

use std::future::poll_fn;
use std::pin::pin;

use futures_util::TryFutureExt;
use tracing::warn;

use super::attempt::attempts;
use super::dropped::{OngoingRun, dropped};
use super::guarded::{Guarded, GuardedOnce, GuardedStream};
use super::kinds::Kind;
use super::memory;
use super::nesting::{Nested, ensure_room};
use super::perform::{Once, Perform, Streamed, Whole};
use super::permit::Permit;
use super::proving::Proving;
use crate::chain::{Serves, ServesItsEvents, enter};
use crate::context::{OrCancelled, RailContext, RunContext, Watch};
use crate::decision::{Decision, OnFault, report};
use crate::error::{OperationError, RailFault, RunError, drop_quietly};
use crate::event::{
    Compaction, CustomOperation, Error, LlmCall, Operation, Run, SessionEnd, SessionStart, Suspended, ToolCall,
};
use crate::guard_set::{GuardSet, Meets};
use crate::message::{
    CompactionInputs, CompactionOutput, DroppedScope, IntoInvokeInputs, InvokeInputs, InvokeOutput, IsSink,
    MemoryEntry, MemoryQuery, ModelCallInputs, ModelResponse, RecalledMemory, SessionInfo, StreamSink, ToolCallInputs,
    ToolOutput,
};
use crate::rail::caught;

// The futures of the guarded functions.
//
// Each method says what its function takes and returns, although `Guarded` implies it: only from a bound of the method
// itself does rustc know the parameter of a closure `async |call| …`. The bound `Future: Sized` is always met. With it,
// rustc cannot name the future of a wrong function, and so reports the function once. Without it, rustc also reports the
// call and its `.await`. The comments at the bounds are in the messages of rustc.
type RunFuture<F> = <F as Guarded<InvokeInputs, InvokeOutput, RunError>>::Future;
type LlmCallFuture<F> = <F as Guarded<ModelCallInputs, ModelResponse>>::Future;
type CompactionFuture<F> = <F as Guarded<CompactionInputs, CompactionOutput>>::Future;
type ToolCallFuture<F> = <F as Guarded<ToolCallInputs, ToolOutput>>::Future;
type OperationFuture<F, O> = <F as Guarded<<O as Operation>::Inputs, <O as Operation>::Output>>::Future;

/// The future of a function that can be called only once.
type OnceFuture<F, I, O, E = OperationError> = <F as GuardedOnce<I, O, E>>::Future;

/// Guarded operations: a run, a model call, a tool call, a compaction, a custom operation, and the requests to a
/// memory. Each method runs an operation together with the rails before and after it.
///
/// Every [guard set](GuardSet) has these methods.
pub trait Guard: GuardSet + Sized {
    /// Guards a whole run.
    ///
    /// The guard runs the rails of [`Start`](crate::events::Start), the run, and the rails of
    /// [`Finished`](crate::events::Finished). If the run ends in another way, other rails run:
    /// - If the run ends with an error of any kind, the rails of [`Error`](struct@crate::events::Error) run once.
    /// - If a rail suspends the run, the rails of [`Suspended`](crate::events::Suspended) run instead.
    /// - If the future is dropped before the run has ended, for any reason, the rails of
    ///   [`Dropped`](crate::events::Dropped) run.
    ///
    /// If the run is [cancelled](RunContext::with_cancellation) while a rail of `Start` or `Finished` waits, the rails
    /// of `Error` see empty inputs. If a rail of `Error` or `Suspended` panics, the library reports a `tracing` warning
    /// and does not call the rails after it. The run then ends with its own error.
    ///
    /// The guard calls `run` with the permit for the inputs, which include the changes of the rails. It calls `run`
    /// again if a rail asks for a retry of the run. For the model calls and tool calls of the run, use the context
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
    /// let mut ctx = RunContext::new("demo");
    /// assert_eq!(rails.guard_run("ping", &mut ctx, agent).await?.text, "pong");
    /// assert_eq!(rails.guard_run("Where is my order?", &mut ctx, agent).await?.text, "an answer");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the error that the run ended with, unchanged.
    fn guard_run<F>(
        &self,
        inputs: impl IntoInvokeInputs<This: Sized>,
        ctx: &mut RunContext,
        run: F,
    ) -> impl Future<Output = Result<InvokeOutput, RunError>> + Send
    where
        F: Guarded<InvokeInputs, InvokeOutput, RunError, Future: Sized>,
        F: FnMut(Permit<InvokeInputs>) -> RunFuture<F>, // no `move`, no `&mut`, for retries; or guard_run_once
    {
        run_guarded(self, inputs.into_inputs(), ctx, Whole(run))
    }

    /// Guards a run like [`guard_run`](Self::guard_run), but calls the function at most once. So the function may borrow by
    /// `&mut`, and move what it captures.
    ///
    /// If a rail asks for a retry after the function was called, the run ends with the error
    /// [`RetriesExhausted`](RunError::RetriesExhausted), whose limit is [`RetryLimit::Once`](crate::RetryLimit::Once).
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PreToolCall])]
    /// fn log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let (rails, mut ctx) = (rail_chain![log], RunContext::new("notes"));
    /// let mut notes = Vec::new();
    /// rails
    ///     .guard_run_once("Take a note.", &mut ctx, async |run| {
    ///         let call = ToolCallInputs::new("note");
    ///         let note = async |call: Permit<ToolCallInputs>| {
    ///             notes.push(call.tool_name.clone());
    ///             Ok::<_, OperationError>("done")
    ///         };
    ///         rails.guard_tool_call_once(call, &mut run.context(), note).await?;
    ///         Ok::<_, RunError>("I have a note.")
    ///     })
    ///     .await?;
    /// assert_eq!(notes, ["note"]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the error that the run ended with, unchanged.
    fn guard_run_once<F>(
        &self,
        inputs: impl IntoInvokeInputs<This: Sized>,
        ctx: &mut RunContext,
        run: F,
    ) -> impl Future<Output = Result<InvokeOutput, RunError>> + Send
    where
        F: GuardedOnce<InvokeInputs, InvokeOutput, RunError, Future: Sized>,
        F: FnOnce(Permit<InvokeInputs>) -> OnceFuture<F, InvokeInputs, InvokeOutput, RunError>,
    {
        run_guarded(self, inputs.into_inputs(), ctx, Once(Some(run)))
    }

    /// Guards operations with permits that prove that the guard set meets the requirements `P`: see [`Proving`]. It guards
    /// runs, model calls, tool calls and custom operations.
    #[must_use]
    fn proving<P>(&self) -> Proving<'_, Self, P>
    where
        Self: Meets<P>,
    {
        Proving::new(self)
    }

    /// Runs the rails of [`SessionStart`](crate::events::SessionStart), which decide whether a session may start.
    ///
    /// `Session` does this for an agent. Call it in your own loop.
    ///
    /// # Errors
    /// Returns an error if a rail aborts or faults, or if the run is cancelled.
    fn start_session(
        &self,
        session: &SessionInfo,
        ctx: &mut RunContext,
    ) -> impl Future<Output = Result<(), RunError>> + Send {
        async move {
            let (ctx, watch) = ctx.watched();
            let asked = enter::<SessionStart, Self>(self, session, ctx).err_into::<RunError>();
            match watch.unless_cancelled(asked).await? {
                Decision::Continue => Ok(()),
                Decision::Abort(abort) => Err(abort.into()),
            }
        }
    }

    /// Runs the rails of [`SessionEnd`](crate::events::SessionEnd) after a session. They cannot stop anything, so the
    /// library reports a rail that faults or panics as a `tracing` warning.
    fn end_session(&self, session: &SessionInfo, ctx: &mut RunContext) -> impl Future<Output = ()> + Send {
        async move {
            tell(enter::<SessionEnd, Self>(self, session, ctx.for_rails())).await;
        }
    }

    /// Runs the rails of [`Dropped`](crate::events::Dropped) for a session that is dropped before its end. Call it in
    /// the `Drop` of a type that holds a session.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::{DroppedInputs, DroppedScope};
    ///
    /// #[rail(on = [Dropped])]
    /// fn log(dropped: &DroppedInputs, ctx: &RailContext) {
    ///     assert_eq!((dropped.what, ctx.session_id()), (DroppedScope::Session, Some("s-1")));
    /// }
    ///
    /// let mut ctx = RunContext::new("demo").with_session("s-1", Default::default(), 0);
    /// rail_chain![log].session_dropped(&mut ctx);
    /// ```
    fn session_dropped(&self, ctx: &mut RunContext) {
        dropped(self, DroppedScope::Session, ctx.for_rails());
    }

    /// Guards a model call.
    ///
    /// The guard runs the rails of [`PreLlmCall`](crate::events::PreLlmCall), the call, and the rails of
    /// [`PostLlmCall`](crate::events::PostLlmCall). If the call fails, the rails of
    /// [`LlmError`](crate::events::LlmError) run. The rails of `PostLlmCall` then run only if one of them rescues the
    /// call.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use exo_rails::prelude::*;
    ///
    /// /// Asks a busy provider again, at most three times, unless the provider wants a long wait.
    /// #[rail(on = [LlmError])]
    /// fn back_off(error: &OperationError) -> RailAction {
    ///     let wait = error.retry_after.unwrap_or(Duration::from_secs(1));
    ///     if error.kind != OperationErrorKind::RateLimited || wait > Duration::from_secs(30) {
    ///         return RailAction::Continue;
    ///     }
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
    /// let mut ctx = RunContext::new("demo");
    /// let response = rail_chain![back_off].guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
    /// assert_eq!(response.message.text(), "done");
    /// assert_eq!(calls, 3);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if
    ///
    /// - a rail aborts, faults or has used up its retries,
    /// - the call fails and no rail rescues it,
    /// - `model` keeps its permit, or
    /// - the run is cancelled.
    fn guard_llm_call<F>(
        &self,
        call: ModelCallInputs,
        ctx: &mut RunContext,
        model: F,
    ) -> impl Future<Output = Result<ModelResponse, RunError>> + Send
    where
        F: Guarded<ModelCallInputs, ModelResponse, Future: Sized>,
        F: FnMut(Permit<ModelCallInputs>) -> LlmCallFuture<F>, // no `move`, no `&mut`, for retries; or guard_llm_call_once
    {
        guard_model(self, call, ctx, Whole(model))
    }

    /// Guards a model call like [`guard_llm_call`](Self::guard_llm_call), but calls the function at most once: see
    /// [`guard_run_once`](Self::guard_run_once).
    ///
    /// # Errors
    /// Returns an error in the same cases, and if a rail asks for a retry after the function was called.
    fn guard_llm_call_once<F>(
        &self,
        call: ModelCallInputs,
        ctx: &mut RunContext,
        model: F,
    ) -> impl Future<Output = Result<ModelResponse, RunError>> + Send
    where
        F: GuardedOnce<ModelCallInputs, ModelResponse, Future: Sized>,
        F: FnOnce(Permit<ModelCallInputs>) -> OnceFuture<F, ModelCallInputs, ModelResponse>,
    {
        guard_model(self, call, ctx, Once(Some(model)))
    }

    /// Guards a model call with an answer in pieces.
    ///
    /// The guard passes each piece to the rails of [`LlmChunk`](crate::events::LlmChunk), and then to `sink`. If the
    /// rails [hold back](crate::StreamWindow) the end of the text, this end waits until more text has arrived.
    ///
    /// The guard runs the same rails as [`guard_llm_call`](Self::guard_llm_call), and acts on their decisions in the
    /// same way. Only the rails of `LlmChunk` see pieces here: `guard_llm_call` runs them on the whole answer. If the
    /// rails of `PostLlmCall` change the response, the sink has already received the unchanged text.
    ///
    /// `model` returns a stream of [`ModelDelta`](crate::ModelDelta)s. `sink` receives each
    /// [`StreamPiece`](crate::StreamPiece). The guard waits for the sink before it asks the model for more.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::{ModelDelta, StreamPiece};
    /// use futures_util::stream;
    ///
    /// /// Replaces the name of a colour.
    /// #[rail(on = [LlmChunk])]
    /// fn grey(window: &mut StreamWindow) {
    ///     window.replace("green", "grey");
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let model = |_request| {
    ///     let pieces = ["It is gr", "een, and", " so it stays."];
    ///     stream::iter(pieces.map(|text| Ok::<_, OperationError>(ModelDelta::Text(text.into()))))
    /// };
    /// let (pieces, mut ctx) = (std::sync::Mutex::new(Vec::new()), RunContext::new("demo"));
    /// let sink = |piece| {
    ///     pieces.lock().unwrap().push(piece);
    ///     async {}
    /// };
    /// let response = rail_chain![grey].guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await?;
    /// assert_eq!(response.message.text(), "It is grey, and so it stays.");
    /// let text = |piece: &str| StreamPiece::Text(piece.into());
    /// assert_eq!(*pieces.lock().unwrap(), [text("It is "), text("grey, and"), text(" so it stays.")]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the same cases as [`guard_llm_call`](Self::guard_llm_call).
    fn guard_stream<F, S>(
        &self,
        call: ModelCallInputs,
        ctx: &mut RunContext,
        model: F,
        sink: S,
    ) -> impl Future<Output = Result<ModelResponse, RunError>> + Send
    where
        F: GuardedStream<Stream: Sized>,
        F: FnMut(Permit<ModelCallInputs>) -> <F as GuardedStream>::Stream,
        S: StreamSink + IsSink<This: Sized>,
    {
        guard_model(self, call, ctx, Streamed::new(model, sink))
    }

    /// Guards a compaction of the history. The guard runs the rails of [`PreCompaction`](crate::events::PreCompaction),
    /// the compaction, and the rails of [`PostCompaction`](crate::events::PostCompaction).
    ///
    /// ```
    /// use exo_rails::message::Message;
    /// use exo_rails::prelude::*;
    /// use exo_rails::{CompactionInputs, CompactionOutput};
    ///
    /// /// Gives the compaction a hint.
    /// #[rail(on = [PreCompaction])]
    /// fn keep_orders(history: &mut CompactionInputs) {
    ///     history.hint = Some("keep the numbers of orders".into());
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let history = CompactionInputs { messages: [Message::user("Hello"), Message::user("Order 7?")].into(), ..Default::default() };
    /// let last_only = |history: Permit<CompactionInputs>| async move {
    ///     assert_eq!(history.hint.as_deref(), Some("keep the numbers of orders"));
    ///     let messages = history.messages.last().cloned().into_iter().collect();
    ///     Ok::<_, OperationError>(CompactionOutput { messages, removed: 1, ..Default::default() })
    /// };
    /// let mut ctx = RunContext::new("demo");
    /// let shorter = rail_chain![keep_orders].guard_compaction(history, &mut ctx, last_only).await?;
    /// assert_eq!(shorter.messages[0].text(), "Order 7?");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if a rail aborts, faults or has used up its retries, if the compaction fails or keeps its
    /// permit, or if the run is cancelled.
    fn guard_compaction<F>(
        &self,
        history: CompactionInputs,
        ctx: &mut RunContext,
        compaction: F,
    ) -> impl Future<Output = Result<CompactionOutput, RunError>> + Send
    where
        F: Guarded<CompactionInputs, CompactionOutput, Future: Sized>,
        F: FnMut(Permit<CompactionInputs>) -> CompactionFuture<F>,
    {
        guard::<Compaction, _, _>(self, history, ctx.watched(), Whole(compaction))
    }

    /// Guards a request to a memory. `recall` asks the memory. Then the rails of
    /// [`MemoryRecalled`](crate::events::MemoryRecalled) decide about the answer, before the model reads it.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::{MemoryQuery, RecalledMemory};
    ///
    /// #[rail(on = [MemoryRecalled])]
    /// fn no_passwords(memory: &mut RecalledMemory) {
    ///     memory.items.retain(|item| !item.text.contains("password"));
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let recall = |_query: Permit<MemoryQuery>| async {
    ///     Ok::<_, OperationError>(vec!["Ada likes tea.", "Ada's password is 4711."])
    /// };
    /// let (query, mut ctx) = (MemoryQuery::new("Who is Ada?", 5), RunContext::new("demo"));
    /// let memory = rail_chain![no_passwords].guard_recall(query, &mut ctx, recall).await?;
    /// assert_eq!(memory.items, ["Ada likes tea.".into()]);
    /// # Ok(()) }
    /// ```
    ///
    /// If a rail skips the answer, its substitute replaces the answer. Without a substitute, the result is empty.
    ///
    /// # Errors
    /// Returns an error if a rail aborts or faults, if the memory fails or keeps its permit, or if the run is
    /// cancelled.
    fn guard_recall<F>(
        &self,
        query: MemoryQuery,
        ctx: &mut RunContext,
        recall: F,
    ) -> impl Future<Output = Result<RecalledMemory, RunError>> + Send
    where
        F: GuardedOnce<MemoryQuery, RecalledMemory, Future: Sized>,
        F: FnOnce(Permit<MemoryQuery>) -> OnceFuture<F, MemoryQuery, RecalledMemory>,
    {
        memory::recall(self, query, ctx.watched(), recall)
    }

    /// Guards an entry for a memory. The rails of [`MemoryStored`](crate::events::MemoryStored) decide about the entry
    /// and can change it. Then the guard calls `store` with the permit for the entry. If a rail skips the entry, the
    /// guard does not call `store`.
    ///
    /// ```
    /// use exo_rails::message::Message;
    /// use exo_rails::prelude::*;
    /// use exo_rails::MemoryEntry;
    ///
    /// #[rail(on = [MemoryStored])]
    /// fn redact(entry: &mut MemoryEntry) {
    ///     entry.for_each_text(|text| *text = text.replace("4711", "[number]"));
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let store = |entry: Permit<MemoryEntry>| async move {
    ///     assert_eq!(entry.messages[0].text(), "My password is [number].");
    ///     Ok::<_, OperationError>(())
    /// };
    /// let entry = MemoryEntry::new([Message::user("My password is 4711.")]);
    /// rail_chain![redact].guard_store(entry, &mut RunContext::new("demo"), store).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if a rail aborts or faults, if the memory fails or keeps its permit, or if the run is
    /// cancelled.
    fn guard_store<F>(
        &self,
        entry: MemoryEntry,
        ctx: &mut RunContext,
        store: F,
    ) -> impl Future<Output = Result<(), RunError>> + Send
    where
        F: GuardedOnce<MemoryEntry, (), Future: Sized>,
        F: FnOnce(Permit<MemoryEntry>) -> OnceFuture<F, MemoryEntry, ()>,
    {
        memory::store(self, entry, ctx.watched(), store)
    }

    /// Guards a tool call.
    ///
    /// The guard runs the rails of [`PreToolCall`](crate::events::PreToolCall), the call, and the rails of
    /// [`PostToolCall`](crate::events::PostToolCall). If the tool fails, the rails of
    /// [`ToolError`](crate::events::ToolError) run before the rails of `PostToolCall`.
    ///
    /// The guard acts on the decisions of the rails. After a skip, the substitute replaces the output. After a retry,
    /// the guard waits and starts again at the pre rails. After an abort, the call returns an error. The tool receives
    /// the changes of the rails: the [`Permit`](crate::Permit) holds the call with these changes.
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
    /// let mut ctx = RunContext::new("demo");
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
    /// A tool that fails does not make the guarded call fail. If no rail of [`ToolError`](crate::events::ToolError)
    /// rescues the error, the error becomes the output that the model reads. This output has
    /// [`is_error`](ToolOutput::is_error) and the [kind](ToolOutput::error_kind) of the error. It passes through the
    /// rails of `PostToolCall` like every output.
    ///
    /// # Errors
    /// Returns an error if
    ///
    /// - a rail aborts, faults or has used up its retries,
    /// - the tool keeps its permit,
    /// - the tool runs an agent, and [too many runs](RunError::TooDeep) are inside each other, or
    /// - the run is cancelled.
    fn guard_tool_call<F>(
        &self,
        call: ToolCallInputs,
        ctx: &mut RunContext,
        tool: F,
    ) -> impl Future<Output = Result<ToolOutput, RunError>> + Send
    where
        F: Guarded<ToolCallInputs, ToolOutput, Future: Sized>,
        F: FnMut(Permit<ToolCallInputs>) -> ToolCallFuture<F>, // no `move`, no `&mut`, for retries; or guard_tool_call_once
    {
        guard::<ToolCall, _, _>(self, call, ctx.watched(), Whole(tool))
    }

    /// Guards a tool call like [`guard_tool_call`](Self::guard_tool_call), but calls the function at most once: see
    /// [`guard_run_once`](Self::guard_run_once).
    ///
    /// # Errors
    /// Returns an error in the same cases, and if a rail asks for a retry after the function was called.
    fn guard_tool_call_once<F>(
        &self,
        call: ToolCallInputs,
        ctx: &mut RunContext,
        tool: F,
    ) -> impl Future<Output = Result<ToolOutput, RunError>> + Send
    where
        F: GuardedOnce<ToolCallInputs, ToolOutput, Future: Sized>,
        F: FnOnce(Permit<ToolCallInputs>) -> OnceFuture<F, ToolCallInputs, ToolOutput>,
    {
        guard::<ToolCall, _, _>(self, call, ctx.watched(), Once(Some(tool)))
    }

    /// Guards a [custom operation](derive@crate::Operation).
    ///
    /// The guard runs the rails of the event before the operation, the operation, and the rails of the event after it.
    /// If the operation fails, the rails of its error event run. The rails of the event after it then run only if one
    /// of them rescues the operation.
    ///
    /// The guard acts on the decisions of the rails as in a tool call. A skip without a substitute is an error, and so
    /// is a failure that no rail rescues, because there is no output.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::Operation;
    ///
    /// #[derive(Clone, Debug)]
    /// struct Document(String);
    ///
    /// #[derive(Debug)]
    /// struct Receipt(u64);
    ///
    /// /// Stores a document.
    /// #[derive(Operation)]
    /// #[operation(inputs = Document, output = Receipt)]
    /// struct StoreDocument;
    ///
    /// #[rail(priority = 10, on = [PreStoreDocument])]
    /// fn not_empty(document: &Document) -> RailAction<Receipt> {
    ///     if document.0.is_empty() { RailAction::skip_with(Receipt(0), "it is empty") } else { RailAction::Continue }
    /// }
    ///
    /// /// Cannot be called unguarded.
    /// async fn store(document: Permit<Document>) -> Result<Receipt, OperationError> {
    ///     Ok(Receipt(document.0.len() as u64))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let rails = rail_chain![#[chain(operations = [StoreDocument])] not_empty];
    /// let mut ctx = RunContext::new("archive");
    /// let receipt = rails.guard_operation::<StoreDocument, _>(Document("a letter".into()), &mut ctx, store).await?;
    /// assert_eq!(receipt.0, 8);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if
    ///
    /// - a rail aborts, faults or has used up its retries,
    /// - a rail skips the operation without a substitute,
    /// - the operation fails and no rail rescues it,
    /// - the operation keeps its permit, or
    /// - the run is cancelled.
    fn guard_operation<O, F>(
        &self,
        inputs: O::Inputs,
        ctx: &mut RunContext,
        operation: F,
    ) -> impl Future<Output = Result<O::Output, RunError>> + Send
    where
        O: CustomOperation,
        F: Guarded<O::Inputs, O::Output, Future: Sized>,
        F: FnMut(Permit<O::Inputs>) -> OperationFuture<F, O>, // no `move`, no `&mut`, for retries; or guard_operation_once
        Self: ServesOperation<O, Itself: Sized>,
    {
        self.guarded(inputs, ctx, operation)
    }

    /// Guards a custom operation like [`guard_operation`](Self::guard_operation), but calls the function at most once: see
    /// [`guard_run_once`](Self::guard_run_once).
    ///
    /// # Errors
    /// Returns an error in the same cases, and if a rail asks for a retry after the function was called.
    fn guard_operation_once<O, F>(
        &self,
        inputs: O::Inputs,
        ctx: &mut RunContext,
        operation: F,
    ) -> impl Future<Output = Result<O::Output, RunError>> + Send
    where
        O: CustomOperation,
        F: GuardedOnce<O::Inputs, O::Output, Future: Sized>,
        F: FnOnce(Permit<O::Inputs>) -> OnceFuture<F, O::Inputs, O::Output>,
        Self: ServesOperation<O, Itself: Sized>,
    {
        self.guarded_once(inputs, ctx, operation)
    }
}

#[diagnostic::do_not_recommend]
impl<R: GuardSet> Guard for R {}

/// A guard set that serves the events of a [custom operation](derive@crate::Operation).
///
/// The library implements it for every guard set that serves these events. Use it as a bound in code that is generic over
/// guard sets:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{Operation, ServesOperation};
///
/// #[derive(Clone, Debug)]
/// struct Document(String);
///
/// #[derive(Debug)]
/// struct Receipt;
///
/// #[derive(Operation)]
/// #[operation(inputs = Document, output = Receipt)]
/// struct StoreDocument;
///
/// async fn archive<R>(rails: &R, document: Document, ctx: &mut RunContext) -> Result<Receipt, RunError>
/// where
///     R: GuardSet + ServesOperation<StoreDocument>,
/// {
///     rails.guard_operation::<StoreDocument, _>(document, ctx, |_| async { Ok::<_, OperationError>(Receipt) }).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not guard the operation `{O}`",
    label = "does not guard `{O}`",
    note = "a chain guards the operations of the library, and the custom operations that it lists: `#[chain(operations = [{O}])]`",
    note = "`RailManager`, `HookManager` and `NoRails` guard every operation"
)]
pub trait ServesOperation<O: CustomOperation>: ServesItsEvents<O> {
    // For the bound `Itself: Sized`, which is always met: see `RunFuture`.
    #[doc(hidden)]
    type Itself;

    #[doc(hidden)]
    fn guarded<F: Guarded<O::Inputs, O::Output>>(
        &self,
        inputs: O::Inputs,
        ctx: &mut RunContext,
        operation: F,
    ) -> impl Future<Output = Result<O::Output, RunError>> + Send;

    #[doc(hidden)]
    fn guarded_once<F: GuardedOnce<O::Inputs, O::Output>>(
        &self,
        inputs: O::Inputs,
        ctx: &mut RunContext,
        operation: F,
    ) -> impl Future<Output = Result<O::Output, RunError>> + Send;
}

#[diagnostic::do_not_recommend]
impl<O: CustomOperation, R: GuardSet + ServesItsEvents<O>> ServesOperation<O> for R {
    type Itself = ();

    fn guarded<F: Guarded<O::Inputs, O::Output>>(
        &self,
        inputs: O::Inputs,
        ctx: &mut RunContext,
        operation: F,
    ) -> impl Future<Output = Result<O::Output, RunError>> + Send {
        guard::<O, _, _>(self, inputs, ctx.watched(), Whole(operation))
    }

    fn guarded_once<F: GuardedOnce<O::Inputs, O::Output>>(
        &self,
        inputs: O::Inputs,
        ctx: &mut RunContext,
        operation: F,
    ) -> impl Future<Output = Result<O::Output, RunError>> + Send {
        guard::<O, _, _>(self, inputs, ctx.watched(), Once(Some(operation)))
    }
}

/// Guards a whole run.
#[expect(clippy::manual_async_fn, reason = "an `async fn` keeps its arguments twice: the future would be larger")]
fn run_guarded<R: GuardSet, P: Perform<Run>>(
    rails: &R,
    inputs: InvokeInputs,
    ctx: &mut RunContext,
    run: P,
) -> impl Future<Output = Result<InvokeOutput, RunError>> + Send {
    async move {
        let (ctx, watch) = ctx.watched();
        let mut ongoing = OngoingRun { rails, ctx, has_ended: false };
        ongoing.ctx.forget_passed();
        let attempted = if let Err(error) = ensure_room() {
            Err(Box::new(FailedAttempts { error, inputs }))
        } else {
            let (under_way, bell) = watch.parts();
            let failed = |error, inputs| Box::new(FailedAttempts { error, inputs });
            let ctx = (&mut *ongoing.ctx, under_way);
            let attempts = attempts::<Run, _, _, _>(rails, inputs, ctx, run, failed);
            let mut attempts = pin!(bell.unless_cancelled(under_way, attempts));
            poll_fn(|task| {
                let _nested = Nested::enter();
                attempts.as_mut().poll(task)
            })
            .await
        };
        let result = match attempted {
            Ok(output) => Ok(output),
            Err(failed) => {
                let FailedAttempts { error, inputs } = *failed;
                // A rail that faults or panics here must not hide the error of the run.
                match error.open_question() {
                    Some(question) => {
                        tell(enter::<Suspended, R>(rails, (&inputs, &question), ongoing.ctx)).await;
                    }
                    None => tell(enter::<Error, R>(rails, (&inputs, &error), ongoing.ctx)).await,
                }
                Err(error)
            }
        };
        ongoing.has_ended = true;
        result
    }
}

/// Guards a model call, after it has added the messages of rails that wait for the next model call.
fn guard_model<R, P>(
    rails: &R,
    mut call: ModelCallInputs,
    ctx: &mut RunContext,
    model: P,
) -> impl Future<Output = Result<ModelResponse, RunError>> + Send
where
    R: GuardSet,
    P: Perform<LlmCall>,
{
    call.messages.extend(ctx.take_notices());
    guard::<LlmCall, _, _>(rails, call, ctx.watched(), model)
}

/// Guards an operation. Drops its inputs if it fails.
fn guard<O, R, P>(
    rails: &R,
    inputs: O::Inputs,
    (ctx, watch): (&mut RailContext, &mut Watch),
    operation: P,
) -> impl Future<Output = Result<O::Output, RunError>> + Send
where
    O: Kind,
    R: GuardSet + Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed>,
    P: Perform<O>,
{
    let (under_way, bell) = watch.parts();
    bell.unless_cancelled(
        under_way,
        attempts::<O, R, P, _>(rails, inputs, (ctx, under_way), operation, |error, _| error),
    )
}

/// Runs rails that cannot stop anything, and reports their faults and panics.
async fn tell<T>(told: impl Future<Output = Result<T, RailFault>>) {
    match caught(told).await {
        Ok(Ok(_)) => {}
        Ok(Err(fault)) => {
            report(&fault, OnFault::Continue);
            drop_quietly(fault);
        }
        Err(cause) => warn!(%cause, "a rail or hook panicked, and cannot stop anything here"),
    }
}

/// The error of a run, and the inputs with the changes of the rails.
struct FailedAttempts {
    error: RunError,
    inputs: InvokeInputs,
}

impl<T> OrCancelled for Result<T, Box<FailedAttempts>> {
    // The dropped future owned the inputs, and its rails had not decided about them. So the rails of `Error` see empty
    // inputs.
    fn cancelled() -> Self {
        Err(FailedAttempts { error: RunError::Cancelled, inputs: InvokeInputs::default() }.into())
    }
}
