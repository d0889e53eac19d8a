//! Guards one operation with prepared results.

use std::collections::VecDeque;
use std::pin::Pin;

use crate::context::RunContext;
use crate::error::OperationError;
use crate::guard_set::GuardSet;
use crate::message::{ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput};
use crate::operation::{Guard, IntoFailure, Permit};
use crate::testing::tested::Tested;
use crate::testing::traced::Traced;

/// Prepares a guarded tool call. Awaiting it makes the call.
///
/// The tool returns the results that you prepare with [`returns`](CallToAwait::returns) and [`fails`](CallToAwait::fails).
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::testing;
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn no_shell(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "shell", "no shell")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let call = testing::tool_call(&rail_chain![no_shell], ToolCallInputs::new("shell")).returns("done").await;
/// call.assert_failed("no shell").assert_calls("shell", 0);
/// # }
/// ```
pub fn tool_call<R: GuardSet>(rails: &R, call: ToolCallInputs) -> CallToAwait<'_, R, ToolCallInputs, ToolOutput> {
    CallToAwait::new(rails, call)
}

/// Prepares a guarded call of the model. Awaiting it makes the call.
///
/// The model returns the results that you prepare with [`returns`](CallToAwait::returns) and [`fails`](CallToAwait::fails).
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::testing;
///
/// #[rail(on = [LlmError])]
/// fn fallback() -> RailAction<ModelResponse> {
///     RailAction::skip_with(ModelResponse::text("I will ask a colleague."), "the provider is down")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let call = testing::llm_call(&rail_chain![fallback], ModelCallInputs::default()).fails("no route to host").await;
/// call.assert_output("I will ask a colleague.");
/// # }
/// ```
pub fn llm_call<R: GuardSet>(
    rails: &R,
    request: ModelCallInputs,
) -> CallToAwait<'_, R, ModelCallInputs, ModelResponse> {
    CallToAwait::new(rails, request)
}

/// A guarded operation with prepared results. [`tool_call`] and [`llm_call`] create it.
#[must_use = "it does nothing until it is awaited"]
#[derive(Debug)]
pub struct CallToAwait<'r, R, I, O> {
    rails: &'r R,
    inputs: I,
    results: Results<O>,
    ctx: RunContext,
}

impl<'r, R: GuardSet, I, O> CallToAwait<'r, R, I, O> {
    fn new(rails: &'r R, inputs: I) -> Self {
        Self { rails, inputs, results: Results { left: VecDeque::new(), taken: 0 }, ctx: RunContext::new("testing") }
    }

    /// Prepares an output for the next attempt. Each call of `returns` or [`fails`](Self::fails) prepares one attempt, in
    /// order. An attempt without a prepared result fails.
    pub fn returns(mut self, output: impl Into<O>) -> Self {
        self.results.left.push_back(Ok(output.into()));
        self
    }

    /// Prepares an error for the next attempt.
    pub fn fails(mut self, error: impl IntoFailure<OperationError>) -> Self {
        self.results.left.push_back(Err(error.into_failure()));
        self
    }

    /// Sets the context of the operation. After the call, the context is in [`Tested::ctx`].
    pub fn in_context(mut self, ctx: RunContext) -> Self {
        self.ctx = ctx;
        self
    }
}

#[derive(Debug)]
struct Results<O> {
    left: VecDeque<Result<O, OperationError>>,
    taken: usize,
}

impl<O> Results<O> {
    fn next(&mut self) -> Result<O, OperationError> {
        self.taken += 1;
        let none = || Err(format!("there is no prepared result for call {}", self.taken).into());
        self.left.pop_front().unwrap_or_else(none)
    }
}

type TestedFuture<'r, O> = Pin<Box<dyn Future<Output = Tested<O>> + Send + 'r>>;

impl<'r, R: GuardSet> IntoFuture for CallToAwait<'r, R, ToolCallInputs, ToolOutput> {
    type Output = Tested<ToolOutput>;
    type IntoFuture = TestedFuture<'r, ToolOutput>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { rails, inputs, mut results, mut ctx } = self;
        Box::pin(async move {
            let rails = Traced::new(rails);
            let trace = rails.trace().clone();
            trace.watch_tool(&inputs.tool_name);
            let tool = |call: Permit<ToolCallInputs>| {
                trace.tool_ran(&call);
                std::future::ready(results.next())
            };
            let result = rails.guard_tool_call(inputs, &mut ctx, tool).await;
            Tested::new(result, ctx, trace)
        })
    }
}

impl<'r, R: GuardSet> IntoFuture for CallToAwait<'r, R, ModelCallInputs, ModelResponse> {
    type Output = Tested<ModelResponse>;
    type IntoFuture = TestedFuture<'r, ModelResponse>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { rails, inputs, mut results, mut ctx } = self;
        Box::pin(async move {
            let rails = Traced::new(rails);
            let trace = rails.trace().clone();
            trace.watch_model();
            let model = |request: Permit<ModelCallInputs>| {
                trace.model_asked(&request.messages);
                std::future::ready(results.next())
            };
            let result = rails.guard_llm_call(inputs, &mut ctx, model).await;
            Tested::new(result, ctx, trace)
        })
    }
}
