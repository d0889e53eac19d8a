//! Where a rail is, and what it shares with others.

mod emit;
pub(crate) mod extensions;
pub(crate) mod hook_state;
mod lock;
mod notices;
pub(crate) mod provided;
mod questions;
pub(crate) mod retries;
pub(crate) mod run_context;
pub(crate) mod saved;
pub(crate) mod slots;
pub(crate) mod stopped;
mod usage;
mod watch;

pub(crate) use emit::Emit;
pub use extensions::*;
pub use hook_state::*;
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

use self::retries::{CountedRetries, RetryBudget};
use crate::action::Path;
use crate::error::RunError;
use crate::point::{HookPoint, RailName};

/// Where a rail is (agent, run, session, turn, step, event, attempt) and what it shares with other rails.
///
/// Rails receive it, and cannot make or replace one: a rail that runs an operation of its own does it in a
/// [child](Self::child). A run begins in a [`RunContext`].
///
/// It derefs to the [`RunScope`], which is the same for all events of a run: `ctx.run` and `ctx.session` are
/// fields of it.
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
    substituted_by: Option<RailName>,
    // Boxed, so that a context of rails that provide nothing and stop nothing carries one pointer.
    shared: Option<Box<Shared>>,
    /// The step at which a walk was stopped, between the walk and whoever asks.
    pub(crate) stopped_at: usize,
    /// How long the operation took.
    elapsed: Option<Duration>,
    /// The way into the chains around the rail that is called.
    path: Path,
    /// The retries of the operation, once there was one.
    retries: Vec<CountedRetries>,
    /// Whether it is for an operation inside another one, and not for a run.
    is_nested: bool,
    slots: Slots,
    /// Which operations the rails before them have let pass, as bits: an event bus keeps them, and without one there are none.
    passed: u64,
}

/// What the rails of one event have said, for those after them.
#[derive(Default)]
struct Shared {
    /// The values that they provide.
    values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// How one of them stopped the event.
    stopped: Option<StoppedBy>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("values", &self.values.len()).field("stopped", &self.stopped).finish()
    }
}

/// What is the same for all events of a run.
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
    // Asking a token takes a lock, so a run that nobody can cancel has none.
    cancellation: Option<CancellationToken>,
    retry_budget: Option<RetryBudget>,
    max_retry_delay: Duration,
    is_resumed: bool,
}

impl RunScope {
    /// The name of the agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The run: a name that is unique in this process, or the one that was set.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The session, when the run belongs to one.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The names of the agent, the run and the session, to be kept.
    pub(crate) fn names(&self) -> (Arc<str>, Arc<str>, Option<Arc<str>>) {
        (Arc::clone(&self.agent), Arc::clone(&self.run_id), self.session_id.clone())
    }

    /// Which run of its session this is, from 0.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The token that cancels the run, when there is one.
    #[must_use]
    pub fn cancellation(&self) -> Option<&CancellationToken> {
        self.cancellation.as_ref()
    }

    /// Whether the run goes on after it was [suspended](crate::RailAction::suspend).
    ///
    /// Its [`Start`](crate::events::Start) comes again, because nothing runs that its rails have not let pass: one that counts
    /// runs asks here.
    #[must_use]
    pub const fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Whether the run has been cancelled.
    #[must_use]
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.as_ref().is_some_and(CancellationToken::is_cancelled)
    }
}

impl RailContext {
    /// A context for one more operation of the same run, at the same step: it shares what the run and the session
    /// share, and begins without [`extra`](Self::extra) and at the first attempt.
    ///
    /// A rail that runs events or operations of its own does it in a child: its own context is at the event that
    /// it guards, and stays there.
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

    /// What is the same for all events of the run, to be kept.
    pub(crate) fn scope_handle(&self) -> Arc<RunScope> {
        Arc::clone(&self.scope)
    }

    /// A context at this step of a run.
    pub(crate) fn of(scope: Arc<RunScope>, step: u32) -> Self {
        Self {
            extra: Extensions::default(),
            scope,
            event: HookPoint::Start,
            step,
            call_number: 0,
            attempt: 0,
            substituted_by: None,
            shared: None,
            stopped_at: 0,
            elapsed: None,
            path: Path::default(),
            retries: Vec::new(),
            is_nested: false,
            slots: Slots::default(),
            passed: 0,
        }
    }

    /// The event whose rails are running, or have run last.
    #[must_use]
    pub const fn event(&self) -> HookPoint {
        self.event
    }

    /// The step of the agent's loop, from 0: a model call and the tool calls that it asks for. At the events of
    /// the run itself it is 0.
    #[must_use]
    pub const fn step(&self) -> u32 {
        self.step
    }

    /// Which of the tool calls of its step this is, from 0: see [`RunContext::with_call_number`].
    #[must_use]
    pub const fn call_number(&self) -> u32 {
        self.call_number
    }

    /// How many times the operation has been retried: 0 when it is done for the first time.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The rail whose substitute stands in for the result of the operation, because it skipped the operation
    /// or rescued it after a failure; `None` when the result is the operation's own.
    ///
    /// For the rails of [`PostLlmCall`](crate::events::PostLlmCall),
    /// [`PostToolCall`](crate::events::PostToolCall) and [`Finished`](crate::events::Finished).
    #[must_use]
    pub const fn substituted_by(&self) -> Option<&RailName> {
        self.substituted_by.as_ref()
    }

    /// How long the operation took that the event comes after: the tool, the model, the run. `None` at events before an
    /// operation, and where it did not happen, because a rail skipped it.
    ///
    /// The time of the rails is not in it, and of an operation that was retried it is that of the last attempt. Guard sets look
    /// at the clock only where a rail takes the context.
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

    /// The value of this type that an earlier rail of the event has [provided](crate::Provided); `None` when none has.
    ///
    /// For plain hooks, and for rails that can do without it. A rail that cannot says `needs = [T]` and takes `&T`,
    /// which is always there.
    #[must_use]
    pub fn provided<T: Provided>(&self) -> Option<&T> {
        self.shared.as_ref()?.values.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The same, to be kept beside the context.
    pub(crate) fn provided_handle<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let value = self.shared.as_ref()?.values.get(&TypeId::of::<T>())?;
        Arc::clone(value).downcast().ok()
    }

    /// Hands on a value to the later rails of the event.
    pub(crate) fn provide<T: Any + Send + Sync>(&mut self, value: T) {
        self.shared.get_or_insert_default().values.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// How an earlier rail stopped the event, for rails that are called all the same because they are
    /// [`always`](macro@crate::rail#options) called; `None` while nothing has stopped it.
    #[must_use]
    pub fn stopped(&self) -> Option<&StoppedBy> {
        self.shared.as_ref()?.stopped.as_ref()
    }

    /// Tells the rails that are always called how the event was stopped: for your own guard sets that are made of
    /// others, before they call [`Serves::run_always_rails`](crate::Serves::run_always_rails) of those that are left.
    #[cold]
    pub fn set_stopped(&mut self, stopped: StoppedBy) {
        self.shared.get_or_insert_default().stopped = Some(stopped);
    }

    #[inline]
    pub(crate) fn begin_attempt(&mut self, attempt: u32) {
        self.attempt = attempt;
        // An operation before this one may have been dropped while a rail in a chain waited.
        self.path = Path::default();
        if self.substituted_by.is_some() {
            self.clear_substituted_by();
        }
    }

    #[cold]
    fn clear_substituted_by(&mut self) {
        self.substituted_by = None;
    }

    #[cold]
    pub(crate) fn set_substituted_by(&mut self, rail: RailName) {
        self.substituted_by = Some(rail);
    }

    /// Begins an event, as guard sets do before they ask their rails: they share nothing with those of the event before.
    /// Whether the rails before an operation have let its inputs pass.
    pub(crate) const fn has_passed(&self, operation: u64) -> bool {
        self.passed & operation != 0
    }

    /// Notes whether the rails before an operation have let its inputs pass.
    pub(crate) const fn set_passed(&mut self, operation: u64, passed: bool) {
        self.passed = if passed { self.passed | operation } else { self.passed & !operation };
    }

    /// The inputs that were let pass are gone: others take their place.
    pub(crate) const fn forget_passed(&mut self) {
        self.passed = 0;
    }

    #[inline]
    pub(crate) fn enter(&mut self, event: HookPoint) {
        self.event = event;
        // Both at once: nothing is gained by a branch for each.
        if self.shared.is_some() | !self.extra.is_empty() {
            self.forget();
        }
    }

    /// Apart, because there is mostly nothing to forget.
    #[cold]
    fn forget(&mut self) {
        self.extra.clear();
        self.shared = None;
    }

    /// Whether it is for an operation inside another one: of a rail or of a tool.
    pub(crate) const fn is_nested(&self) -> bool {
        self.is_nested
    }

    /// The path to the chain whose rails are called.
    pub(crate) const fn path(&self) -> Path {
        self.path
    }

    /// Goes into the chain at this place. Returns the path to [return to](Self::return_to).
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

    /// An open slot with the inputs of an operation, which its permit shares.
    #[inline(always)]
    pub(crate) fn take_slot<T: Send + Sync + 'static>(&mut self, inputs: T) -> Arc<Slot<T>> {
        self.slots.take_for(inputs, &self.scope, (self.step, self.attempt), self.is_nested)
    }

    /// Returns the slot of an operation, for the next one, and takes the inputs out.
    ///
    /// # Errors
    /// When a permit still shares the slot: then it keeps the inputs, and this is a copy of them.
    #[inline(always)]
    pub(crate) fn return_slot<T: Clone + Send + Sync + 'static>(&mut self, slot: Arc<Slot<T>>) -> Result<T, T> {
        self.slots.put(slot)
    }

    /// Waits, unless the run is cancelled meanwhile. Without a delay, other tasks and timers have their turn: retries of what
    /// is ready at once must not keep the thread.
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

    /// An error when the run has been cancelled.
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
