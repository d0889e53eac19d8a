//! The actions of a rail: [`RailAction`], [`RetryRequest`], [`Verdict`]. The submodules have the content of these actions
//! in a decision.

pub(crate) mod allowed;
pub(crate) mod decided;
pub(crate) mod identity;

pub use allowed::*;
pub use decided::*;
pub(crate) use identity::*;

use std::time::Duration;

use serde::Serialize;

use crate::error::{Ending, Question, Suspension};
use crate::message::{InvokeOutput, Message};
use crate::point::{IntoReason, Reason};

/// The decision of a rail about the operation that it guards.
///
/// `S` is the type of the substitute that a [skip](Self::Skip) may bring in place of the operation's result. A plain
/// `RailAction` skips without a substitute. A `RailAction<ToolOutput>` may bring a tool output in place of a tool call.
///
/// `R` is the type of a [retry](Self::Retry). At an event that allows a skip but no retry, a rail returns
/// `RailAction<S, NoRetry>`.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 15, on = [PreToolCall])]
/// fn allowed_tools(call: &ToolCallInputs) -> RailAction {
///     match call.tool_name.as_str() {
///         "search" | "calculate" => RailAction::Continue,
///         other => RailAction::skip(format!("`{other}` is not on the list of allowed tools")),
///     }
/// }
/// ```
#[must_use = "a dropped decision has no effect: return it"]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum RailAction<S = NoSubstitute, R = RetryRequest> {
    /// Continues with the next rail, and after the last rail with the operation.
    #[default]
    Continue,
    /// Ends the event: no further rail of this event runs.
    ///
    /// - Before an operation: the operation does not happen, and the substitute replaces its result.
    /// - After an operation: the result stays unchanged.
    /// - After a failure: the substitute replaces the error. Without a substitute, the error stays unchanged.
    Skip(Skip<S>),
    /// Waits, then repeats the operation, beginning with its pre rails.
    Retry(R),
    /// Ends the run: with a [`RailAbortError`](crate::RailAbortError) of this reason, with an [answer](Self::abort_with),
    /// or with a [question](Self::suspend).
    Abort(Abort),
}

impl<S, R> RailAction<S, R> {
    /// Ends the run. The caller of the run receives `reason`.
    pub fn abort(reason: impl IntoReason) -> Self {
        Self::Abort(Abort { reason: reason.into_reason(), ending: None })
    }

    /// Aborts if `condition` is true, and continues if it is false.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// let action: RailAction = RailAction::abort_if(1 + 1 == 3, "the numbers are wrong");
    /// assert_eq!(action, RailAction::Continue);
    /// ```
    pub fn abort_if(condition: bool, reason: impl IntoReason) -> Self {
        if condition { Self::abort(reason) } else { Self::Continue }
    }

    /// Ends the run with this answer, from any event that allows an abort. The rest of the run does not happen.
    ///
    /// The run succeeds, and its output is the answer. The rails of [`Finished`](crate::events::Finished) see the answer
    /// and can change it. An answer that a rail of `Finished` itself gives stays unchanged. A guarded operation returns the
    /// [`RunError::Abort`](crate::RunError::Abort) that carries the answer. So your loop can end with `?`, and the
    /// [`guard_run`](crate::Guard::guard_run) around the loop takes the answer from the error.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PreToolCall])]
    /// fn budget(ctx: &RailContext) -> RailAction {
    ///     if ctx.step() < 3 {
    ///         return RailAction::Continue;
    ///     }
    ///     RailAction::abort_with("This takes too long. A colleague will call you.", "three steps")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let rails = &rail_chain![budget];
    /// let endless = |run: Permit<InvokeInputs>| async move {
    ///     let mut ctx = run.context();
    ///     for step in 0.. {
    ///         ctx.set_step(step);
    ///         let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("not yet")) };
    ///         rails.guard_tool_call(ToolCallInputs::new("wait"), &mut ctx, tool).await?;
    ///     }
    ///     Ok::<_, RunError>(InvokeOutput::text("never"))
    /// };
    /// let output = rails.guard_run("Is it done?", &mut RunContext::new("demo"), endless).await?;
    /// assert_eq!(output.text, "This takes too long. A colleague will call you.");
    /// # Ok(()) }
    /// ```
    pub fn abort_with(answer: impl Into<InvokeOutput>, reason: impl IntoReason) -> Self {
        Self::Abort(Abort { reason: reason.into_reason(), ending: Some(Box::new(Ending::Answer(answer.into()))) })
    }

    /// Suspends the run until a person or a program outside the run answers the question, which may take days. Use it for
    /// approvals.
    ///
    /// The run ends for now, and the rails of [`Suspended`](crate::events::Suspended) observe it. An `Agent` turns the run
    /// into a `SuspendedRun`. Your program can write it to disk and resume it later, in the same process or in another one.
    ///
    /// A resumed run does not repeat the tool calls that had already run. It runs the rails of the event again, this time
    /// with the answer. At an event after an operation, the rails receive the same result again, with the changes that
    /// earlier rails made before the suspension. Some operations are repeated instead: a model call whose run was suspended
    /// at [`LlmChunk`](crate::events::LlmChunk), where no rail has seen the whole answer, a request to a memory, and a custom
    /// operation.
    ///
    /// For code that does not support suspension, a suspension is an abort. A guarded operation in your own loop returns
    /// the [`RunError::Abort`](crate::RunError::Abort) that has the [question](crate::RunError::suspension). To support
    /// suspension in this loop, save the [context](crate::RunContext::save) and the conversation, and continue with both
    /// later.
    ///
    /// Two cases differ:
    ///
    /// - At [`SessionStart`](crate::events::SessionStart) no run exists yet, so a suspension is an abort.
    /// - An agent that runs inside a tool cannot suspend the run around it. Its suspension is a failure of the tool.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 20, on = [PreToolCall])]
    /// fn approval(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    ///     if call.tool_name != "refund" {
    ///         return Ok(RailAction::Continue);
    ///     }
    ///     let question = ctx.question("approve the refund").with_data(&call.arguments);
    ///     Ok(match ctx.answer_to(&question)? {
    ///         None => RailAction::suspend(question),
    ///         Some(true) => RailAction::Continue,
    ///         Some(false) => RailAction::skip("a person has refused the refund"),
    ///     })
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let (rails, mut ctx) = (rail_chain![approval], RunContext::new("support"));
    /// let pay = |_| async { Ok::<_, OperationError>(ToolOutput::text("paid back")) };
    /// let error = rails.guard_tool_call(ToolCallInputs::new("refund"), &mut ctx, pay).await.unwrap_err();
    /// let question = &error.suspension().unwrap().question;
    /// assert_eq!(question.text, "approve the refund");
    ///
    /// ctx.answer(question.clone(), true);
    /// assert_eq!(rails.guard_tool_call(ToolCallInputs::new("refund"), &mut ctx, pay).await?.content, "paid back");
    /// # Ok(()) }
    /// ```
    pub fn suspend(question: impl IntoQuestion) -> Self {
        let question = question.into_question();
        let (reason, suspension) = (question.text.clone(), Suspension::from(question));
        Self::Abort(Abort { reason, ending: Some(Box::new(Ending::Suspension(suspension))) })
    }

    /// Skips the operation without a substitute.
    ///
    /// The result depends on the operation:
    ///
    /// - A tool call returns an error output. It tells the model which rail skipped the call, and why.
    /// - A model call returns an empty answer, which ends the agent's loop.
    /// - A run returns an empty output.
    /// - A compaction returns the history unchanged.
    /// - A memory recalls nothing, or stores nothing.
    /// - A custom operation fails with [`OperationErrorKind::Denied`](crate::OperationErrorKind::Denied).
    ///
    /// For a model call, a run and a compaction, the `extra` of the result has a field `skipped` with the rail and the
    /// reason. At [`LlmError`](crate::events::LlmError), at [`ToolError`](crate::events::ToolError) and at the event of a
    /// custom operation's failure, the error remains.
    pub fn skip(reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: None })
    }

    /// [Skips](Self::skip) if `condition` is true, and continues if it is false.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 20, on = [PreToolCall])]
    /// fn recent_orders(call: &ToolCallInputs) -> RailAction {
    ///     let year = call.arguments["year"].as_u64().unwrap_or(0);
    ///     RailAction::skip_if(year < 2020, "orders before 2020 are in the archive")
    /// }
    /// # let _ = rail_chain![recent_orders];
    /// ```
    pub fn skip_if(condition: bool, reason: impl IntoReason) -> Self {
        if condition { Self::skip(reason) } else { Self::Continue }
    }

    /// Skips the operation and replaces its result by `substitute`.
    pub fn skip_with(substitute: S, reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: Some(substitute) })
    }
}

impl<S> RailAction<S> {
    /// Repeats the operation. A reason alone means one retry without a delay. Pass a [`RetryRequest`] for more retries or a
    /// delay.
    ///
    /// ```
    /// use std::time::Duration;
    /// use exo_rails::prelude::*;
    ///
    /// let at_once: RailAction = RailAction::retry("the answer was empty");
    /// let later: RailAction = RailAction::retry(
    ///     RetryRequest::new("the service is busy").with_delay(Duration::from_secs(2)).with_max_retries(3),
    /// );
    /// ```
    pub fn retry(request: impl IntoRetry) -> Self {
        Self::Retry(request.into_retry())
    }
}

impl<S, R: GivesWay> RailAction<S, R> {
    /// Repeats the operation like [`retry`](RailAction::retry), but [continues](RetryOrContinue) when the rail has no
    /// retries left. A rail that calls this returns `RailAction<S, RetryOrContinue>`.
    pub fn retry_or_continue(request: impl IntoRetry) -> Self {
        Self::Retry(R::give_way(request.into_retry()))
    }
}

/// The content of a [`RailAction::Skip`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip<S = NoSubstitute> {
    /// Why the rail skips.
    pub reason: Reason,
    /// The substitute for the result of the operation.
    pub substitute: Option<S>,
}

/// The content of a [`RailAction::Abort`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abort {
    /// Why the run ends.
    pub reason: Reason,
    /// How the run ends. `None` means that the run fails.
    // Boxed, because this field would otherwise make every action larger.
    pub ending: Option<Box<Ending>>,
}

/// The substitute type of a rail that offers no substitute. It has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSubstitute {}

/// The retry type of a rail that never retries. It has no values.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{CompactionInputs, NoRetry, NoSubstitute};
///
/// /// Short conversations stay unchanged.
/// #[rail(on = [PreCompaction])]
/// fn keep_short(history: &CompactionInputs) -> RailAction<NoSubstitute, NoRetry> {
///     if history.messages.len() < 8 { RailAction::skip("it is short") } else { RailAction::Continue }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRetry {}

/// The decision to continue or to abort. Return it from a rail that needs no other action, at any event that allows an
/// abort.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [Start])]
/// fn input_length(run: &InvokeInputs) -> Verdict {
///     Verdict::abort_if(run.input.text().len() > 10_000, "the input is too long")
/// }
/// ```
#[must_use = "a dropped verdict has no effect: return it"]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Verdict {
    /// Continues with the next rail, and after the last rail with the operation.
    #[default]
    Continue,
    /// Ends the run with this reason.
    Abort(Reason),
}

impl Verdict {
    /// Ends the run. The caller of the run receives `reason`.
    pub fn abort(reason: impl IntoReason) -> Self {
        Self::Abort(reason.into_reason())
    }

    /// Aborts if `condition` is true, and continues if it is false.
    pub fn abort_if(condition: bool, reason: impl IntoReason) -> Self {
        if condition { Self::abort(reason) } else { Self::Continue }
    }

    /// A verdict cannot skip. The method exists for its error message: without the method, the compiler reports only that
    /// the name is missing. The method does not return `Self`, so the compiler never suggests it.
    #[doc(hidden)]
    pub fn skip<V, R: BeyondVerdict>(reason: R) -> V {
        reason.decided()
    }

    #[doc(hidden)]
    pub fn skip_with<V, S, R: BeyondVerdict>(_: S, reason: R) -> V {
        reason.decided()
    }

    #[doc(hidden)]
    pub fn skip_if<V, R: BeyondVerdict>(_: bool, reason: R) -> V {
        reason.decided()
    }

    #[doc(hidden)]
    pub fn retry<V, R: BeyondVerdict>(request: R) -> V {
        request.decided()
    }

    #[doc(hidden)]
    pub fn retry_or_continue<V, R: BeyondVerdict>(request: R) -> V {
        request.decided()
    }

    #[doc(hidden)]
    pub fn abort_with<V, A, R: BeyondVerdict>(_: A, reason: R) -> V {
        reason.decided()
    }

    #[doc(hidden)]
    pub fn suspend<V, R: BeyondVerdict>(question: R) -> V {
        question.decided()
    }
}

impl<S, R> From<Verdict> for RailAction<S, R> {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Continue => Self::Continue,
            Verdict::Abort(reason) => Self::Abort(Abort { reason, ending: None }),
        }
    }
}

/// A request to repeat the operation.
///
/// ```
/// use std::time::Duration;
/// use exo_rails::RetryRequest;
///
/// let request = RetryRequest::new("rate limit reached").with_delay(Duration::from_secs(2)).with_max_retries(3);
/// assert_eq!(request.delay, Duration::from_secs(2));
/// ```
#[must_use = "a retry request does nothing by itself: return `RailAction::retry(request)`"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RetryRequest {
    /// The time to wait before the operation is repeated. The wait ends early if the run is cancelled.
    ///
    /// A run has a [longest delay](crate::RunContext::with_max_retry_delay), which is 5 minutes by default. If the delay is
    /// longer, the library refuses the retry. If the delay is zero, the library still lets other tasks run before it
    /// repeats the operation.
    ///
    /// A delay needs the timer of the tokio runtime. `#[tokio::main]` enables it. If you build the runtime yourself, call
    /// `enable_time` or `enable_all`.
    pub delay: Duration,
    /// The number of times that this rail may repeat this operation. 0 means never. When the retries are used up, the
    /// operation fails with [`RetriesExhausted`](crate::RetriesExhausted), or the rail [continues](RetryOrContinue).
    pub max_retries: u32,
    /// Why the rail asks for a retry.
    pub reason: Reason,
    /// The message that the model reads with the retry: see [`with_feedback`](Self::with_feedback).
    // Boxed, because this field would otherwise make every action larger.
    pub feedback: Option<Box<Message>>,
}

impl RetryRequest {
    /// Creates a request for one retry without a delay.
    pub fn new(reason: impl IntoReason) -> Self {
        Self { delay: Duration::ZERO, max_retries: 1, reason: reason.into_reason(), feedback: None }
    }

    /// Sets the delay.
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Sets the number of retries.
    pub fn with_max_retries(mut self, max_retries: u32) -> Self {
        self.max_retries = max_retries;
        self
    }

    /// Adds a message that tells the model how to do better.
    ///
    /// An operation is repeated with the inputs that the caller gave. On a retry of a model call, the library appends the
    /// messages of all retries so far to these inputs. So the rails and the model see them. On a retry of any other
    /// operation, the library [delivers](crate::RunScope::notify_model) the message before the next model call of the run.
    ///
    /// ```
    /// use exo_rails::message::Message;
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PostLlmCall])]
    /// fn only_json(response: &ModelResponse) -> RailAction {
    ///     match serde_json::from_str::<serde_json::Value>(&response.message.text()) {
    ///         Ok(_) => RailAction::Continue,
    ///         Err(error) => {
    ///             let feedback = Message::user(format!("Your answer is not JSON: {error}. Answer with JSON only."));
    ///             RailAction::retry(RetryRequest::new("the answer is not JSON").with_feedback(feedback))
    ///         }
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let model = |request: Permit<ModelCallInputs>| async move {
    ///     let answer = if request.messages.is_empty() { "Sure!" } else { "{}" };
    ///     Ok::<_, OperationError>(ModelResponse::text(answer))
    /// };
    /// let mut ctx = RunContext::new("demo");
    /// let response = rail_chain![only_json].guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
    /// assert_eq!(response.message.text(), "{}");
    /// # Ok(()) }
    /// ```
    pub fn with_feedback(mut self, message: Message) -> Self {
        self.feedback = Some(Box::new(message));
        self
    }
}

/// The retry of a rail that continues if the library refuses the retry. The next rail of the event then runs, and the
/// operation does not fail with [`RetriesExhausted`](crate::RetriesExhausted).
///
/// The library refuses a retry if the rail or the run has no retries left, or if the delay is too long.
///
/// A rail that retries and then falls back returns `RailAction<S, RetryOrContinue>`.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{NoSubstitute, RetryOrContinue};
///
/// /// Asks the provider twice more.
/// #[rail(priority = 20, on = [LlmError])]
/// fn ask_again(error: &OperationError) -> RailAction<NoSubstitute, RetryOrContinue> {
///     RailAction::retry_or_continue(RetryRequest::new(error.message.clone()).with_max_retries(2))
/// }
///
/// /// Answers when the provider does not.
/// #[rail(priority = 30, on = [LlmError])]
/// fn fall_back() -> RailAction<ModelResponse> {
///     RailAction::skip_with(ModelResponse::text("Please call us."), "the provider is down")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let mut calls = 0;
/// let provider = |_request: Permit<ModelCallInputs>| {
///     calls += 1;
///     async { Err::<ModelResponse, _>(OperationError::from("the provider is down")) }
/// };
/// let (rails, mut ctx) = (rail_chain![ask_again, fall_back], RunContext::new("demo"));
/// let response = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, provider).await?;
/// assert_eq!((calls, response.message.text().as_ref()), (3, "Please call us."));
/// # Ok(()) }
/// ```
// A separate type, and not a field of the request: guard sets read the count of retries only for rails that return this
// type.
#[must_use = "a retry request does nothing by itself: return `RailAction::retry_or_continue(request)`"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct RetryOrContinue(pub RetryRequest);

/// The retry type of a rail that continues when it has no retries left.
#[diagnostic::on_unimplemented(
    message = "a rail that retries or continues returns `RailAction<_, RetryOrContinue>`",
    label = "the rail cannot continue when its retries are used up",
    note = "without a substitute, the rail returns `RailAction<NoSubstitute, RetryOrContinue>`; both types are in `exo_rails`",
    note = "if the operation should fail when the retries are used up, write `RailAction::retry` and return `RailAction`"
)]
pub trait GivesWay {
    /// Creates the retry from this request.
    #[doc(hidden)]
    fn give_way(request: RetryRequest) -> Self;
}

#[diagnostic::do_not_recommend]
impl GivesWay for RetryOrContinue {
    fn give_way(request: RetryRequest) -> Self {
        Self(request)
    }
}

/// Types that convert into a retry: a [`RetryRequest`], or only a reason.
#[diagnostic::on_unimplemented(
    message = "a retry needs a reason or a `RetryRequest`, not `{Self}`",
    label = "not a retry",
    note = "write `RailAction::retry(\"it was empty\")`, or give a request like `RetryRequest::new(\"busy\").with_max_retries(3)`"
)]
pub trait IntoRetry {
    /// Converts into a request.
    fn into_retry(self) -> RetryRequest;
}

/// Types that a rail can suspend a run with: a [`Question`].
#[diagnostic::on_unimplemented(
    message = "a rail suspends the run with a `Question`, not with `{Self}`",
    label = "not a question",
    note = "ask the context for a question: take `ctx: &RailContext`, and write `RailAction::suspend(ctx.question(\"approve the refund\"))`"
)]
pub trait IntoQuestion {
    /// Converts into a question.
    fn into_question(self) -> Question;
}

impl IntoQuestion for Question {
    fn into_question(self) -> Question {
        self
    }
}

/// The actions that a [`RailAction`](crate::RailAction) has and a [`Verdict`] does not have. No type implements the trait.
#[diagnostic::on_unimplemented(
    message = "a `Verdict` can only continue or abort",
    label = "a verdict cannot do this",
    note = "to skip, retry, suspend or end the run with an answer, let the rail return `RailAction`, and write `RailAction::skip(\"a reason\")`"
)]
pub trait BeyondVerdict {
    /// Never called, because no type implements the trait.
    #[doc(hidden)]
    fn decided<V>(self) -> V;
}

impl IntoRetry for RetryRequest {
    fn into_retry(self) -> RetryRequest {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<R: IntoReason> IntoRetry for R {
    fn into_retry(self) -> RetryRequest {
        RetryRequest::new(self)
    }
}
