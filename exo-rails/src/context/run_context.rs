//! The context of a run, for the program that starts the run.

use std::hash::{BuildHasher, RandomState};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::retry_budget::RetryBudget;
use super::{RailContext, RunScope, SharedExtensions, Watch};
use crate::point::HookPoint;

/// The longest delay of a retry by default.
const DEFAULT_MAX_RETRY_DELAY: Duration = Duration::from_mins(5);

/// The context of a run: its names, its session, its cancellation, and the values that its rails share.
///
/// The program makes a context for each run and passes it to the guarded operations. Rails receive the [`RailContext`]
/// that it derefs to. They cannot make or replace a context, so a rail cannot lose the cancellation, the session or the
/// state of the run.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::NoRails;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let mut ctx = RunContext::new("support").with_run_id("run-7");
/// let tool = |_call| async { Ok::<_, OperationError>(ToolOutput::text("found")) };
/// NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
/// assert_eq!((ctx.agent(), ctx.run_id()), ("support", "run-7"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct RunContext {
    pub(super) rails: RailContext,
    /// Outside of the rails' context, because the guard uses it while the rails borrow theirs.
    watch: Watch,
}

impl RunContext {
    /// Makes a context for a new run of the agent with this name.
    #[must_use]
    pub fn new(agent: impl Into<Arc<str>>) -> Self {
        let scope = RunScope {
            run: SharedExtensions::default(),
            session: SharedExtensions::default(),
            agent: agent.into(),
            run_id: unique_run_id(),
            session_id: None,
            turn: 0,
            cancellation: None,
            retry_budget: None,
            max_retry_delay: DEFAULT_MAX_RETRY_DELAY,
            is_resumed: false,
            is_shadow: false,
        };
        Self::of(Arc::new(scope), 0, false)
    }

    /// Makes a context at this step of a run.
    pub(crate) fn of(scope: Arc<RunScope>, step: u32, is_nested: bool) -> Self {
        let watch = Watch::of(&scope);
        Self { rails: RailContext { is_nested, ..RailContext::of(scope, step) }, watch }
    }

    /// Sets the name of the run.
    #[must_use]
    pub fn with_run_id(self, run_id: impl Into<Arc<str>>) -> Self {
        let run_id = run_id.into();
        self.with_scope(|scope| scope.run_id = run_id)
    }

    /// Sets the session of the run. The runs of the session share `values`, and `turn` is the number of the run in the
    /// session, from 0.
    ///
    /// ```
    /// use exo_rails::{RunContext, SharedExtensions};
    ///
    /// #[derive(Clone, Default)]
    /// struct Language(String);
    ///
    /// let session = SharedExtensions::default();
    /// let first = RunContext::new("support").with_session("s-1", session.clone(), 0);
    /// first.session.insert(Language("de".into()));
    /// let second = RunContext::new("support").with_session("s-1", session, 1);
    /// assert_eq!(second.session.get::<Language>().unwrap().0, "de");
    /// assert_eq!((second.session_id(), second.turn()), (Some("s-1"), 1));
    /// ```
    #[must_use]
    pub fn with_session(self, session_id: impl Into<Arc<str>>, values: SharedExtensions, turn: u32) -> Self {
        let session_id = session_id.into();
        self.with_scope(|scope| {
            scope.session_id = Some(session_id);
            scope.session = values;
            scope.turn = turn;
        })
    }

    /// Sets a token that cancels the run. After the cancellation, no operation starts, a wait before a retry ends, and
    /// the run fails with [`RunError::Cancelled`](crate::RunError::Cancelled).
    ///
    /// - The library drops a rail that waits, at its `.await`. This includes rails with `always` and rails around an
    ///   operation. It does not call the rails after the dropped rail. The rails of
    ///   [`Error`](struct@crate::events::Error) run.
    /// - The library drops a model call, and a request that reads from a memory.
    /// - The library does not drop any other running operation. Such an operation can get the token from
    ///   [`Permit::scope`](crate::Permit::scope). The rails after it see its result, and the library drops them if
    ///   they wait.
    /// - The library does not drop the rails of `Error`, `Suspended` and `SessionEnd`. If they wait, give them a
    ///   `timeout`.
    /// - The library does not drop a single [`dispatch`](crate::GuardSet::dispatch). Use
    ///   [`CancellationToken::run_until_cancelled`] there.
    ///
    /// ```
    /// use exo_rails::{CancellationToken, NoRails};
    /// use exo_rails::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let token = CancellationToken::new();
    /// let mut ctx = RunContext::new("support").with_cancellation(token.clone());
    /// token.cancel();
    /// let run = |_| async { Ok::<_, RunError>(InvokeOutput::text("an answer")) };
    /// let result = NoRails.guard_run("Where is my order?", &mut ctx, run).await;
    /// assert!(matches!(result, Err(RunError::Cancelled)));
    /// # }
    /// ```
    #[must_use]
    pub fn with_cancellation(self, token: CancellationToken) -> Self {
        self.with_scope(|scope| scope.cancellation = Some(token))
    }

    /// Limits the number of retries in the run, over all operations and rails together.
    ///
    /// Without this limit, the limits of the rails multiply: a run with three retries, whose model call has three
    /// retries, makes up to 16 calls. If no retry is left, a request for a retry ends the operation with
    /// [`RetriesExhausted`](crate::RetriesExhausted), or the rail [continues](crate::RetryOrContinue).
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::RetryLimit;
    ///
    /// #[rail(on = [LlmError])]
    /// fn again() -> RailAction { RailAction::retry(RetryRequest::new("the provider is down").with_max_retries(10)) }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mut ctx = RunContext::new("support").with_max_retries(2);
    /// let down = |_| async { Err::<ModelResponse, _>(OperationError::from("the provider is down")) };
    /// let result = rail_chain![again].guard_llm_call(ModelCallInputs::default(), &mut ctx, down).await;
    /// let Err(RunError::RetriesExhausted(error)) = result else { panic!() };
    /// assert_eq!((error.attempts, error.limit), (3, RetryLimit::Run { max_retries: 2 }));
    /// # }
    /// ```
    #[must_use]
    pub fn with_max_retries(self, max_retries: u32) -> Self {
        self.with_scope(|scope| scope.retry_budget = Some(RetryBudget::new(max_retries)))
    }

    /// Sets the longest [delay](crate::RetryRequest::delay) of a retry. The default is 5 minutes.
    ///
    /// A rail that follows a `Retry-After` waits for a time that a server chooses, and a server may choose a year. If a
    /// rail asks for a longer delay, the operation fails with [`RetriesExhausted`](crate::RetriesExhausted), or the
    /// rail [continues](crate::RetryOrContinue). The library does not shorten the delay, because a server refuses a
    /// request that comes too early.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use exo_rails::prelude::*;
    /// use exo_rails::RetryLimit;
    ///
    /// #[rail(on = [LlmError])]
    /// fn obey(error: &OperationError) -> RailAction {
    ///     RailAction::retry(RetryRequest::new("busy").with_delay(error.retry_after.unwrap_or_default()))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mut ctx = RunContext::new("nightly").with_max_retry_delay(Duration::from_secs(3600));
    /// let year = Duration::from_secs(365 * 24 * 3600);
    /// let busy = |_| async move { Err::<ModelResponse, _>(OperationError::from("busy").with_retry_after(year)) };
    /// let result = rail_chain![obey].guard_llm_call(ModelCallInputs::default(), &mut ctx, busy).await;
    /// let Err(RunError::RetriesExhausted(error)) = result else { panic!() };
    /// assert_eq!(error.limit, RetryLimit::Delay { max_seconds: 3600 });
    /// # }
    /// ```
    #[must_use]
    pub fn with_max_retry_delay(self, max_delay: Duration) -> Self {
        self.with_scope(|scope| scope.max_retry_delay = max_delay)
    }

    /// Sets the number of the tool call in its step. Use it in a custom loop that runs each tool call of an answer in
    /// its own [child context](RailContext::child). A [question](RailContext::question) is then about one call only,
    /// even if the model asks for the same call twice.
    ///
    /// ```
    /// use exo_rails::RunContext;
    ///
    /// let ctx = RunContext::new("support");
    /// let contexts: Vec<_> = (0..2).map(|number| ctx.child().with_call_number(number)).collect();
    /// assert_ne!(contexts[0].question("approve?"), contexts[1].question("approve?"));
    /// ```
    #[must_use]
    pub const fn with_call_number(mut self, number: u32) -> Self {
        self.rails.call_number = number;
        self
    }

    fn with_scope(mut self, change: impl FnOnce(&mut RunScope)) -> Self {
        // The scope of a new context has one owner, so `make_mut` changes it in place.
        self.watch = Watch::default();
        change(Arc::make_mut(&mut self.rails.scope));
        self.watch = Watch::of(&self.rails.scope);
        self
    }

    /// Sets the step. Use it in your own loop.
    pub const fn set_step(&mut self, step: u32) {
        self.rails.step = step;
    }

    /// Starts an event. Guard sets do this before they call rails. Use it in a test that calls the function of a rail.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PreToolCall])]
    /// fn where_am_i(ctx: &RailContext) -> Verdict {
    ///     Verdict::abort(ctx.event().name())
    /// }
    ///
    /// let mut ctx = RunContext::new("test");
    /// ctx.enter(HookPoint::PreToolCall);
    /// assert_eq!(where_am_i(&ctx), Verdict::abort("pre_tool_call"));
    /// ```
    pub fn enter(&mut self, event: HookPoint) {
        self.rails.enter(event);
    }

    /// Returns the context that the rails receive.
    pub(crate) const fn for_rails(&mut self) -> &mut RailContext {
        &mut self.rails
    }

    /// Returns the context for the rails, and the watch that drops them when the run is cancelled.
    pub(crate) const fn watched(&mut self) -> (&mut RailContext, &mut Watch) {
        (&mut self.rails, &mut self.watch)
    }
}

impl Deref for RunContext {
    type Target = RailContext;

    fn deref(&self) -> &RailContext {
        &self.rails
    }
}

/// Returns a name that no other run has, in this process or in another one. Guards keep state under the names of runs in stores
/// that several processes share.
fn unique_run_id() -> Arc<str> {
    static RUNS: AtomicU64 = AtomicU64::new(1);
    // The keys of the standard library's hash tables are the only random numbers that need no further crate.
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    format!("run-{:016x}-{run}", *PROCESS).into()
}
