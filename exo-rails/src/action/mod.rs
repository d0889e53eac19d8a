//! What a rail decides: [`RailAction`], [`RetryRequest`], [`Verdict`]; and what a decision holds of it.

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

/// What a rail decides about the operation that it guards.
///
/// `S` is what a [skip](Self::Skip) may put in the place of the operation's result: `RailAction` alone skips
/// without a substitute, `RailAction<ToolOutput>` may bring the output of the tool call that does not happen.
///
/// `R` is how it asks for a [retry](Self::Retry). At an event that does not allow one, a rail that may skip returns
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
#[must_use = "a decision that is dropped guards nothing: return it"]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum RailAction<S = NoSubstitute, R = RetryRequest> {
    /// On to the next rail, then to the operation.
    #[default]
    Continue,
    /// No further rail of this event. Before an operation, it does not happen: the substitute stands in for its
    /// result. After it, what it came to is accepted as it stands, be it a result or an error; but a substitute
    /// rescues a failure.
    Skip(Skip<S>),
    /// Wait, then do the operation again, its pre rails first.
    Retry(R),
    /// End the run: with a [`RailAbortError`](crate::RailAbortError) of this reason, or with the answer that the rail gives.
    Abort(Abort),
}

impl<S, R> RailAction<S, R> {
    /// Ends the run; `reason` reaches whoever started it.
    pub fn abort(reason: impl IntoReason) -> Self {
        Self::Abort(Abort { reason: reason.into_reason(), ending: None })
    }

    /// Ends the run with this answer, from any event: what is left of the run does not happen.
    ///
    /// The run succeeds. Its output is the answer, as the rails of [`Finished`](crate::events::Finished) leave it; at
    /// `Finished` itself, it is the answer as it stands. A guarded operation returns the
    /// [`RunError::Abort`](crate::RunError::Abort) that carries the answer, so a custom loop ends with `?`, and
    /// [`guard_run`](crate::Guard::guard_run) around the loop takes the answer from it.
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

    /// Suspends the run until somebody has answered the question, which may take days: an approval.
    ///
    /// The run ends for now, and the rails of [`Suspended`](crate::events::Suspended) observe it. `Agent` makes a `SuspendedRun` of it, which is written to disk and resumed, in this process or in
    /// another one; the tool calls that had run are not run again. The event is then asked again, with the answer. At an event
    /// after an operation, the rails see its result again, as those before this rail had left it; only a streamed answer that is
    /// suspended at [`LlmChunk`](crate::events::LlmChunk) is asked for again.
    ///
    /// Code that does not know of suspensions sees an abort: a custom loop ends with the
    /// [`RunError::Abort`](crate::RunError::Abort) that has the [question](crate::RunError::suspension). It saves
    /// its [context](crate::RunContext::save) and its conversation, and continues with them later. At
    /// [`SessionStart`](crate::events::SessionStart), no run exists yet, and the suspension is an abort. An agent that runs inside a tool cannot suspend the run
    /// around it: its suspension is a failure of the tool.
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
    /// A tool call then yields an output that tells the model that it was skipped, by which rail and why; a
    /// model call an empty answer, which ends the agent's loop; a run an empty output. The latter two have a
    /// field `skipped` in their `extra`, with the rail and the reason. At
    /// [`LlmError`](crate::events::LlmError) and [`ToolError`](crate::events::ToolError) the error goes on.
    pub fn skip(reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: None })
    }

    /// Skips the operation and puts `substitute` in the place of its result.
    pub fn skip_with(substitute: S, reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: Some(substitute) })
    }
}

impl<S> RailAction<S> {
    /// Does the operation again: once and at once for a reason alone, or as the request says.
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
    /// Does the operation again as [`retry`](RailAction::retry) does, and [continues](RetryOrContinue) when the retries of
    /// the rail are used up. A rail that does so returns `RailAction<S, RetryOrContinue>`.
    pub fn retry_or_continue(request: impl IntoRetry) -> Self {
        Self::Retry(R::give_way(request.into_retry()))
    }
}

/// The content of a [`RailAction::Skip`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip<S = NoSubstitute> {
    /// Why the operation does not happen.
    pub reason: Reason,
    /// What stands in for its result.
    pub substitute: Option<S>,
}

/// The content of a [`RailAction::Abort`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abort {
    /// Why the run ends.
    pub reason: Reason,
    /// How the run ends; without it, the run fails.
    // Boxed: an action is as large as this.
    pub ending: Option<Box<Ending>>,
}

/// The substitute of a rail that has none to offer. It has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSubstitute {}

/// The retry of a rail at an event that allows none. It has no values.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{CompactionInputs, NoRetry, NoSubstitute};
///
/// /// Short conversations stay as they are.
/// #[rail(on = [PreCompaction])]
/// fn keep_short(history: &CompactionInputs) -> RailAction<NoSubstitute, NoRetry> {
///     if history.messages.len() < 8 { RailAction::skip("it is short") } else { RailAction::Continue }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRetry {}

/// Continue or abort: for rails that only ever let through or stop, on every event that allows to abort.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [Start])]
/// fn input_length(run: &InvokeInputs) -> Verdict {
///     Verdict::abort_if(run.input.text().len() > 10_000, "the input is too long")
/// }
/// ```
#[must_use = "a verdict that is dropped guards nothing: return it"]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Verdict {
    /// On to the next rail, then to the operation.
    #[default]
    Continue,
    /// End the run with this reason.
    Abort(Reason),
}

impl Verdict {
    /// Ends the run; `reason` reaches whoever started it.
    pub fn abort(reason: impl IntoReason) -> Self {
        Self::Abort(reason.into_reason())
    }

    /// Aborts when `condition` holds, continues when it does not.
    pub fn abort_if(condition: bool, reason: impl IntoReason) -> Self {
        if condition { Self::abort(reason) } else { Self::Continue }
    }

    /// A verdict cannot do this. The method exists for the message: without it, the compiler says only that the name is missing.
    /// It does not return `Self`, so the compiler never proposes it.
    #[doc(hidden)]
    pub fn skip<V, R: BeyondVerdict>(reason: R) -> V {
        reason.decided()
    }

    #[doc(hidden)]
    pub fn skip_with<V, S, R: BeyondVerdict>(_: S, reason: R) -> V {
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

/// How an operation is to be done again.
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
    /// How long to wait before the operation is done again. The wait ends early when the run is cancelled. A run has a
    /// [longest delay](crate::RunContext::with_max_retry_delay), 5 minutes when it is not said: with a longer one, the operation
    /// is not done again. Without a delay, other tasks have their turn before the operation is done again. The delay
    /// needs the timer of the tokio runtime: `enable_time` or `enable_all`, where `#[tokio::main]` does not.
    pub delay: Duration,
    /// How many times this rail may have this operation done again; 0 means never. When they are used up, the operation
    /// fails with [`RetriesExhausted`](crate::RetriesExhausted), or the rail [gives way](RetryOrContinue).
    pub max_retries: u32,
    /// Why.
    pub reason: Reason,
    /// What the model reads with the retry: see [`with_feedback`](Self::with_feedback).
    // Boxed: an action is as large as this.
    pub feedback: Option<Box<Message>>,
}

impl RetryRequest {
    /// One retry, without a delay.
    pub fn new(reason: impl IntoReason) -> Self {
        Self { delay: Duration::ZERO, max_retries: 1, reason: reason.into_reason(), feedback: None }
    }

    /// The same request with this delay.
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same request with this many retries.
    pub fn with_max_retries(mut self, max_retries: u32) -> Self {
        self.max_retries = max_retries;
        self
    }

    /// The same request with a message for the model, which says what to do better.
    ///
    /// A retry begins with the inputs as the caller gave them. The messages of all retries of a model call are added at
    /// their end, so the rails and the model see them. On a retry of anything else, the message is
    /// [delivered](crate::RunScope::notify_model) before the next model call of the run.
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

/// The retry of a rail that gives way when its retries are used up: the event then goes on to the next rail, as if this one
/// had continued. The operation does not fail with [`RetriesExhausted`](crate::RetriesExhausted).
///
/// A rail that retries this way returns `RailAction<S, RetryOrContinue>`: retry, then fall back.
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
// A type and not a field of the request: guard sets look at the count only for rails that return it.
#[must_use = "a retry request does nothing by itself: return `RailAction::retry_or_continue(request)`"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct RetryOrContinue(pub RetryRequest);

/// The retry of a rail that gives way.
#[diagnostic::on_unimplemented(
    message = "a rail that retries or continues returns `RailAction<_, RetryOrContinue>`",
    label = "the rail cannot continue when its retries are used up",
    note = "without a substitute, it returns `RailAction<NoSubstitute, RetryOrContinue>`; both are in `exo_rails`",
    note = "`RailAction::retry` is for a `RailAction`: the operation fails when the retries are used up"
)]
pub trait GivesWay {
    /// The retry of this request.
    #[doc(hidden)]
    fn give_way(request: RetryRequest) -> Self;
}

#[diagnostic::do_not_recommend]
impl GivesWay for RetryOrContinue {
    fn give_way(request: RetryRequest) -> Self {
        Self(request)
    }
}

/// What a retry can be made of: how, when and why, or only why.
#[diagnostic::on_unimplemented(
    message = "a retry is a reason or a `RetryRequest`, not `{Self}`",
    label = "not a retry",
    note = "`RailAction::retry(\"it was empty\")` is one, at once; others say more: `RetryRequest::new(\"busy\").with_max_retries(3)`"
)]
pub trait IntoRetry {
    /// The request.
    fn into_retry(self) -> RetryRequest;
}

/// What a rail suspends a run with: a [`Question`].
#[diagnostic::on_unimplemented(
    message = "a rail suspends the run with a `Question`, not with `{Self}`",
    label = "not a question",
    note = "the context makes a question: take `ctx: &RailContext`, and write `RailAction::suspend(ctx.question(\"approve the refund\"))`"
)]
pub trait IntoQuestion {
    /// The question.
    fn into_question(self) -> Question;
}

impl IntoQuestion for Question {
    fn into_question(self) -> Question {
        self
    }
}

/// What only a [`RailAction`](crate::RailAction) does. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "a `Verdict` continues or aborts",
    label = "a verdict can do nothing else",
    note = "a `RailAction` can skip, retry, suspend and end the run with an answer too: let the rail return `RailAction`, and write `RailAction::skip(\"a reason\")`"
)]
pub trait BeyondVerdict {
    /// What nobody has.
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
