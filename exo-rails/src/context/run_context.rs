//! The context of a run, as the program that runs it has it.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::retries::RetryBudget;
use super::{RailContext, RunScope, SharedExtensions, Watch};
use crate::point::HookPoint;

/// The longest delay of a retry when the context does not say.
const DEFAULT_MAX_RETRY_DELAY: Duration = Duration::from_mins(5);

/// The context of a run: its names, its session, its cancellation, and what its rails share.
///
/// The program that runs an agent makes one for each run, and passes it to the guarded operations. Rails receive the
/// [`RailContext`] that it derefs to. They cannot make or replace one: so no rail can lose the run's cancellation, session
/// or state.
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
    /// Beside the context of the rails: it is used while they have theirs.
    watch: Watch,
}

impl RunContext {
    /// A context for a new run of the agent with this name.
    #[must_use]
    pub fn new(agent: impl Into<Arc<str>>) -> Self {
        static RUNS: AtomicU64 = AtomicU64::new(1);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let scope = RunScope {
            run: SharedExtensions::default(),
            session: SharedExtensions::default(),
            agent: agent.into(),
            run_id: format!("run-{run}").into(),
            session_id: None,
            turn: 0,
            cancellation: None,
            retry_budget: None,
            max_retry_delay: DEFAULT_MAX_RETRY_DELAY,
            is_resumed: false,
        };
        Self::of(Arc::new(scope), 0, false)
    }

    /// A context at this step of a run.
    pub(crate) fn of(scope: Arc<RunScope>, step: u32, is_nested: bool) -> Self {
        let watch = Watch::of(&scope);
        Self { rails: RailContext { is_nested, ..RailContext::of(scope, step) }, watch }
    }

    /// The same context with this run name.
    #[must_use]
    pub fn with_run_id(self, run_id: impl Into<Arc<str>>) -> Self {
        let run_id = run_id.into();
        self.with_scope(|scope| scope.run_id = run_id)
    }

    /// The same context as a run of a session: `values` are what its runs share, `turn` counts them from 0.
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

    /// The same context with a token that cancels the run: no operation begins any more, the wait before a
    /// retry ends, and the run fails with [`RunError::Cancelled`](crate::RunError::Cancelled).
    ///
    /// - The library drops a rail that waits, at its `.await`. This includes rails with `always` and rails around an operation.
    ///   It does not call the rails behind it. The rails of [`Error`](struct@crate::events::Error) run.
    /// - It drops a model call, and a request to a memory.
    /// - It does not drop any other operation that is running. Such an operation can ask [`Permit::scope`](crate::Permit::scope)
    ///   for the token. The rails behind it see its result, and are dropped if they wait.
    /// - It does not drop the rails of `Error`, `Suspended` and `SessionEnd`: give a `timeout` to those that wait. It does not drop
    ///   a single [`dispatch`](crate::GuardSet::dispatch) either: use [`CancellationToken::run_until_cancelled`] there.
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

    /// The same context with a limit on the retries of all operations of the run together, whichever rails ask for them.
    ///
    /// Without it, the limits multiply: three retries of a run that has three retries of its model call are 16 calls.
    /// When none is left, a rail's request ends with [`RetriesExhausted`](crate::RetriesExhausted), or
    /// [gives way](crate::RetryOrContinue).
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
    /// A rail that obeys a `Retry-After` waits for a time that a server chooses, and a server may choose a year. When a rail asks for a
    /// longer delay than this, the operation fails with [`RetriesExhausted`](crate::RetriesExhausted), or the rail
    /// [continues](crate::RetryOrContinue). The library does not shorten the delay, because a server refuses a request that comes
    /// too early.
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

    /// The same context, for the tool call of its step with this number: in a custom loop that runs the calls of one answer in
    /// [contexts](RailContext::child) of their own. A [question](RailContext::question) about a call is then only about that
    /// call, also when the model asks for the same call twice.
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
        // Nobody else has the scope of a new context: then it is changed where it is.
        self.watch = Watch::default();
        change(Arc::make_mut(&mut self.rails.scope));
        self.watch = Watch::of(&self.rails.scope);
        self
    }

    /// Sets the step, in your own loop.
    pub const fn set_step(&mut self, step: u32) {
        self.rails.step = step;
    }

    /// Begins an event. A guard set does this before it asks its rails; do it in a test that calls the function of a rail.
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

    /// The context as its rails receive it.
    pub(crate) const fn for_rails(&mut self) -> &mut RailContext {
        &mut self.rails
    }

    /// The same, with what ends them when the run is cancelled.
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
