//! The context of a rail: its place in the run, and the values that it shares.

mod answer_limit;
mod current_operation;
mod emit;
pub(crate) mod extensions;
pub(crate) mod hook_state;
mod lock;
mod notices;
pub(crate) mod operation_end;
pub(crate) mod provided;
mod questions;
mod retries;
mod retry_budget;
pub(crate) mod run_context;
pub(crate) mod saved;
mod shadow;
pub(crate) mod slots;
pub(crate) mod stopped;
mod usage;
mod watch;

pub use answer_limit::AnswerLimit;
use answer_limit::AnswerLimits;
pub(crate) use emit::Emit;
pub use extensions::*;
pub use hook_state::*;
pub use operation_end::*;
pub use provided::*;
pub use run_context::*;
pub use saved::*;
pub(crate) use slots::*;
pub use stopped::*;
pub(crate) use watch::*;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use self::current_operation::CurrentOperation;
use self::retry_budget::{CountedRetries, RetryBudget};
use crate::action::Path;
use crate::error::RunError;
use crate::point::{HookPoint, RailName};

/// The context of a rail: its place in the run (agent, run, session, turn, step, event, attempt) and the values that it
/// shares with other rails.
///
/// Rails receive a context, and cannot make or replace one. A rail that runs an operation itself uses a
/// [child](Self::child) of its context. The program starts a run with a [`RunContext`].
///
/// The context derefs to the [`RunScope`], which is the same for all events of a run. `ctx.run` and `ctx.session` are
/// fields of the scope.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Default)]
/// struct ToolCalls(u32);
///
/// #[rail(priority = 30, on = [PreToolCall])]
/// fn budget(ctx: &RailContext) -> RailAction {
///     let calls = ctx.run.update(|calls: &mut ToolCalls| { calls.0 += 1; calls.0 });
///     if calls > 20 { RailAction::abort(format!("call {calls} in step {}", ctx.step())) } else { RailAction::Continue }
/// }
/// ```
#[derive(Debug)]
pub struct RailContext {
    /// Values that the rails of this event share.
    pub extra: Extensions,
    scope: Arc<RunScope>,
    event: HookPoint,
    step: u32,
    call_number: u32,
    attempt: u32,
    operation: CurrentOperation,
    substituted_by: Option<RailName>,
    // Boxed, so that a context whose rails provide nothing and stop nothing has one pointer here.
    shared: Option<Box<Shared>>,
    /// The step at which a walk stopped. The code that ran the walk reads it.
    pub(crate) stopped_at: usize,
    /// The duration of the operation.
    elapsed: Option<Duration>,
    /// How the operation has ended. `None` if no guard of an operation runs.
    operation_end: Option<OperationEnd>,
    /// The path through the chains to the rail that is called.
    path: Path,
    /// The retries of the operation, if there were any.
    retries: Vec<CountedRetries>,
    /// Whether the context is for an operation inside another operation, and not for a run.
    is_nested: bool,
    /// Whether the operation has begun and cannot begin again.
    is_spent: bool,
    slots: Slots,
    /// The operations whose inputs the rails before them have allowed, as bits. An event bus sets them. Without a bus,
    /// it is 0.
    passed: u64,
    // Boxed, because few rails limit an answer.
    answer_limits: Option<Box<AnswerLimits>>,
}

/// The values that the rails of one event provide.
pub(crate) type ProvidedValues = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// Values and facts from the rails of one event, for the later rails.
#[derive(Default)]
struct Shared {
    /// The values that the rails provide.
    values: ProvidedValues,
    /// How a rail stopped the event, if one did.
    stopped: Option<StoppedBy>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("values", &self.values.len()).field("stopped", &self.stopped).finish()
    }
}

/// The part of the context that is the same for all events of a run.
#[derive(Debug, Clone)]
pub struct RunScope {
    /// Values that live as long as the run.
    pub run: SharedExtensions,
    /// Values that live as long as the session.
    pub session: SharedExtensions,
    agent: Arc<str>,
    run_id: Arc<str>,
    session_id: Option<Arc<str>>,
    turn: u32,
    // Asking a token takes a lock, so the scope has a token only if the program can cancel the run.
    cancellation: Option<CancellationToken>,
    retry_budget: Option<RetryBudget>,
    max_retry_delay: Duration,
    is_resumed: bool,
    is_shadow: bool,
}

impl RunScope {
    /// Returns the name of the agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Returns the name of the run: the name that the program has set, or by default a random name that no
    /// other run has.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Returns the name of the session, if the run belongs to a session.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Returns the names of the agent, the run and the session, as handles that outlive the scope.
    pub(crate) fn names(&self) -> (Arc<str>, Arc<str>, Option<Arc<str>>) {
        (Arc::clone(&self.agent), Arc::clone(&self.run_id), self.session_id.clone())
    }

    /// Returns the number of the run in its session, from 0.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Returns the token that cancels the run, if the program has set one.
    #[must_use]
    pub fn cancellation(&self) -> Option<&CancellationToken> {
        self.cancellation.as_ref()
    }

    /// Returns whether the run continues after a [suspension](crate::RailAction::suspend).
    ///
    /// The rails of [`Start`](crate::events::Start) run again for a resumed run, because no run continues without them.
    /// A rail that counts runs can check `is_resumed`.
    #[must_use]
    pub const fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Returns whether the run has been cancelled.
    #[must_use]
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.as_ref().is_some_and(CancellationToken::is_cancelled)
    }
}

impl RailContext {
    /// Makes a context for another operation of the same run, at the same step. The child shares the values of the run
    /// and of the session. Its [`extra`](Self::extra) is empty, and its attempt is the first.
    ///
    /// A rail that runs events or operations itself uses a child. The context of the rail stays at the event that the
    /// rail guards.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::NoRails;
    ///
    /// #[rail(on = [PreToolCall])]
    /// async fn second_opinion(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, RunError> {
    ///     let request = ModelCallInputs::default();
    ///     let judge = |_request| async { Ok::<_, OperationError>(ModelResponse::text("fine")) };
    ///     let opinion = NoRails.guard_llm_call(request, &mut ctx.child(), judge).await?;
    ///     match opinion.message.text().as_ref() {
    ///         "fine" => Ok(RailAction::Continue),
    ///         _ => Ok(RailAction::skip(format!("a second opinion speaks against `{}`", call.tool_name))),
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn child(&self) -> RunContext {
        RunContext::of(Arc::clone(&self.scope), self.step, true)
    }

    /// Returns a handle to the scope of the run.
    pub(crate) fn scope_handle(&self) -> Arc<RunScope> {
        Arc::clone(&self.scope)
    }

    /// Makes a context at this step of a run.
    pub(crate) fn of(scope: Arc<RunScope>, step: u32) -> Self {
        Self {
            extra: Extensions::default(),
            scope,
            event: HookPoint::Start,
            step,
            call_number: 0,
            attempt: 0,
            operation: CurrentOperation::default(),
            substituted_by: None,
            shared: None,
            stopped_at: 0,
            elapsed: None,
            operation_end: None,
            path: Path::default(),
            retries: Vec::new(),
            is_nested: false,
            is_spent: false,
            slots: Slots::default(),
            passed: 0,
            answer_limits: None,
        }
    }

    /// Returns the event whose rails are running. Between events, this is the last one.
    #[must_use]
    pub const fn event(&self) -> HookPoint {
        self.event
    }

    /// Returns the number of the step in the agent's loop, from 0. A step is a model call with the tool calls that the
    /// model asks for. At the events of the run itself, the step is 0.
    #[must_use]
    pub const fn step(&self) -> u32 {
        self.step
    }

    /// Returns the number of the tool call in its step, from 0: see [`RunContext::with_call_number`].
    #[must_use]
    pub const fn call_number(&self) -> u32 {
        self.call_number
    }

    /// Returns the number of retries of the operation so far. The first attempt is 0.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the rail whose substitute is the result, because the rail skipped the operation or rescued its failure.
    /// Returns `None` if the result comes from the operation itself.
    ///
    /// Use it in rails on [`PostLlmCall`](crate::events::PostLlmCall), [`PostToolCall`](crate::events::PostToolCall)
    /// and [`Finished`](crate::events::Finished).
    #[must_use]
    pub const fn substituted_by(&self) -> Option<&RailName> {
        self.substituted_by.as_ref()
    }

    /// Returns the duration of the operation before this event: a tool call, a model call, a run, a compaction or a
    /// custom operation. Returns `None` at events before an operation, and if a rail skipped the operation.
    ///
    /// The duration includes the rails around the operation, but not the rails before and after it. For a streamed
    /// model call, it includes the rails of `LlmChunk` and the sink. After a retry, it is the duration of the last
    /// attempt. Guard sets read the clock only if a rail takes the context.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PostToolCall, ToolError])]
    /// fn slow(call: &ToolCallInputs, ctx: &RailContext) {
    ///     if ctx.elapsed() > Some(Duration::from_secs(5)) {
    ///         println!("`{}` is slow", call.tool_name);
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        self.elapsed.filter(|_| self.event.is_after())
    }

    #[inline]
    pub(crate) const fn set_elapsed(&mut self, elapsed: Option<Duration>) {
        self.elapsed = elapsed;
    }

    /// Returns the value of this type that an earlier rail of the event has [provided](crate::Provided), or `None`.
    ///
    /// Use it in plain hooks, and in rails that also work without the value. A rail that requires the value declares
    /// `needs = [T]` and takes `&T`. Then the value always exists.
    #[must_use]
    pub fn provided<T: Provided>(&self) -> Option<&T> {
        self.shared.as_ref()?.values.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Returns a handle to the provided value, which outlives the borrow of the context.
    pub(crate) fn provided_handle<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let value = self.shared.as_ref()?.values.get(&TypeId::of::<T>())?;
        Arc::clone(value).downcast().ok()
    }

    /// Provides a value to the later rails of the event.
    pub(crate) fn provide<T: Any + Send + Sync>(&mut self, value: T) {
        self.shared.get_or_insert_default().values.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// Returns whether rails of the event may have provided values.
    #[inline]
    pub(crate) const fn may_have_provided(&self) -> bool {
        self.shared.is_some()
    }

    /// Moves the values that the rails of the event have provided to the slot of the operation, for its permit. Not a part of
    /// `take_slot`, because rails usually provide nothing.
    #[cold]
    pub(crate) fn provide_to<T>(&mut self, slot: &mut Arc<Slot<T>>) {
        if let (Some(shared), Some(slot)) = (&mut self.shared, Arc::get_mut(slot)) {
            slot.provided = Some(Box::new(std::mem::take(&mut shared.values)));
        }
    }

    /// Returns how an earlier rail stopped the event, or `None` if no rail has stopped it. Only rails with the option
    /// [`always`](macro@crate::rail#options) run after a stop.
    #[must_use]
    pub fn stopped(&self) -> Option<&StoppedBy> {
        self.shared.as_ref()?.stopped.as_ref()
    }

    /// Records how an event was stopped, for the rails with `always`. Custom guard sets that contain other guard sets
    /// call it before [`Serves::run_always_rails`](crate::Serves::run_always_rails) of the remaining guard sets.
    #[cold]
    pub fn set_stopped(&mut self, stopped: StoppedBy) {
        self.shared.get_or_insert_default().stopped = Some(stopped);
    }

    #[inline]
    pub(crate) fn begin_attempt(&mut self, attempt: u32) {
        self.attempt = attempt;
        self.is_spent = false;
        self.operation_end = Some(OperationEnd::NotStarted);
        // A previous operation may have been dropped while a rail in a chain waited, and left the path in this chain.
        self.path = Path::default();
        if self.substituted_by.is_some() || self.answer_limits.is_some() {
            self.clear_attempt();
        }
    }

    #[cold]
    fn clear_attempt(&mut self) {
        self.substituted_by = None;
        self.answer_limits = None;
    }

    #[cold]
    pub(crate) fn set_substituted_by(&mut self, rail: RailName) {
        self.substituted_by = Some(rail);
    }

    /// Returns whether the rails before an operation have allowed its inputs.
    pub(crate) const fn has_passed(&self, operation: u64) -> bool {
        self.passed & operation != 0
    }

    /// Records whether the rails before an operation have allowed its inputs.
    pub(crate) const fn set_passed(&mut self, operation: u64, passed: bool) {
        self.passed = if passed { self.passed | operation } else { self.passed & !operation };
    }

    /// Forgets the allowed inputs, because other inputs replace them.
    pub(crate) const fn forget_passed(&mut self) {
        self.passed = 0;
    }

    /// Starts an event, as guard sets do before they call its rails. Removes the values that the rails of the previous
    /// event shared.
    #[inline]
    pub(crate) fn enter(&mut self, event: HookPoint) {
        self.event = event;
        // One branch for both, because two branches gain nothing.
        if self.shared.is_some() | !self.extra.is_empty() {
            self.forget();
        }
    }

    /// A separate function, because there is usually nothing to remove.
    #[cold]
    fn forget(&mut self) {
        self.extra.clear();
        self.shared = None;
    }

    /// Returns whether the run is inside another operation: a tool or a rail runs an agent in the
    /// [context](crate::Permit::context) of its call, or in a [child](Self::child) of its context.
    ///
    /// An inner run shares the values of the run around it, and usually a model has written its input. So a rail that trusts
    /// the input of a user, or that clears the values of a run, checks this method.
    ///
    /// Use it at the events of a run: `Start`, `Finished`, `Error`, `Suspended` and `Dropped`. At all other events, it returns
    /// `false`.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::NoRails;
    ///
    /// #[rail(on = [Start])]
    /// fn log(run: &InvokeInputs, ctx: &RailContext) {
    ///     let writer = if ctx.is_inner_run() { "a model" } else { "the user" };
    ///     assert_eq!(run.input.text(), format!("a task of {writer}"));
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let (rails, mut ctx) = (rail_chain![log], RunContext::new("desk"));
    /// let run = |_| async { Ok::<_, RunError>(InvokeOutput::text("done")) };
    /// rails.guard_run("a task of the user", &mut ctx, run).await?;
    /// let tool = |call: Permit<ToolCallInputs>| async move {
    ///     let inner = |_| async { Ok::<_, RunError>(InvokeOutput::text("done")) };
    ///     let output = rail_chain![log].guard_run("a task of a model", &mut call.context(), inner).await;
    ///     output.map(|output| ToolOutput::text(output.text)).map_err(OperationError::from)
    /// };
    /// NoRails.guard_tool_call(ToolCallInputs::new("delegate"), &mut ctx, tool).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub const fn is_inner_run(&self) -> bool {
        use HookPoint::{Dropped, Error, Finished, Start, Suspended};
        self.is_nested && matches!(self.event, Start | Finished | Error | Suspended | Dropped)
    }

    /// Returns whether the context is for an operation inside another operation, of a rail or of a tool.
    pub(crate) const fn is_nested(&self) -> bool {
        self.is_nested
    }

    /// Returns the path to the chain whose rails run.
    pub(crate) const fn path(&self) -> Path {
        self.path
    }

    /// Enters the chain at this place. Returns the path for [`return_to`](Self::return_to).
    #[inline]
    pub(crate) const fn go_into(&mut self, place: u64) -> Path {
        let outside = self.path;
        self.path = outside.to(place);
        outside
    }

    /// Leaves a chain.
    #[inline]
    pub(crate) const fn return_to(&mut self, outside: Path) {
        self.path = outside;
    }

    /// Returns an open slot with the inputs of an operation. The permit of the operation shares the slot.
    #[inline(always)]
    pub(crate) fn take_slot<T: Send + Sync + 'static>(&mut self, inputs: T) -> Arc<Slot<T>> {
        self.slots.take_for(inputs, &self.scope, (self.step, self.attempt), self.is_nested)
    }

    /// Drops the empty slot for operations of this kind: see [`provide_to`](Self::provide_to).
    pub(crate) fn drop_slot<T: Send + Sync + 'static>(&mut self) {
        self.slots.drop_slot::<T>();
    }

    /// Returns the slot of an operation for the next one, and takes the inputs out.
    ///
    /// # Errors
    /// Returns the slot if a permit still shares it. The slot then keeps its inputs.
    #[inline(always)]
    pub(crate) fn return_slot<T: Send + Sync + 'static>(&mut self, slot: Arc<Slot<T>>) -> Result<T, Arc<Slot<T>>> {
        self.slots.put(slot)
    }

    /// Waits at most a second until the permit that shares a slot is dropped, and takes the inputs out. Returns whether the permit
    /// was kept. Then the inputs are a copy. A task may send its result before it drops
    /// its permit, and which of both the guard sees first is luck.
    #[cold]
    pub(crate) async fn await_permit<T: Clone + Send + Sync + 'static>(&mut self, mut slot: Arc<Slot<T>>) -> (T, bool) {
        const YIELDS: usize = 16;
        let delays = std::iter::repeat_n(0, YIELDS).chain((0..10).map(|doubled| 1 << doubled));
        for milliseconds in delays {
            if self.pause(Duration::from_millis(milliseconds)).await.is_err() {
                break;
            }
            slot = match self.slots.put(slot) {
                Ok(inputs) => return (inputs, false),
                Err(slot) => slot,
            };
        }
        (slot.inputs().clone(), true)
    }

    /// Waits, unless the run is cancelled meanwhile. Without a delay, yields to other tasks and timers, because retries
    /// of an operation that never waits must not block the thread.
    pub(crate) async fn pause(&self, delay: Duration) -> Result<(), RunError> {
        if delay.is_zero() {
            tokio::task::yield_now().await;
            return self.ensure_running();
        }
        let sleep = tokio::time::sleep(delay);
        match &self.scope.cancellation {
            None => sleep.await,
            Some(token) => token.run_until_cancelled(sleep).await.ok_or(RunError::Cancelled)?,
        }
        Ok(())
    }

    /// Returns an error if the run has been cancelled.
    pub(crate) fn ensure_running(&self) -> Result<(), RunError> {
        if self.scope.is_cancelled() { Err(RunError::Cancelled) } else { Ok(()) }
    }
}

impl Deref for RailContext {
    type Target = RunScope;

    fn deref(&self) -> &RunScope {
        &self.scope
    }
}
