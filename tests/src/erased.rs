//! Guarded operations behind `dyn`.

use exo_rails::prelude::*;
use exo_rails::{Guarded, GuardedResult, IntoFailure, IntoOutput};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// The guarded operations, with the guard set and the operation behind `dyn`.
///
/// The methods do what the methods of [`Guard`] do. But the compiler makes the code of `guard_tool_call` again for each type
/// of guard set and for each closure, and the code of `dyn_tool_call` once for all programs of the tests.
pub trait GuardDyn: GuardSet + Sized {
    /// Like [`Guard::guard_tool_call`].
    fn dyn_tool_call<'a, F>(
        &'a self,
        call: ToolCallInputs,
        ctx: &'a mut RunContext,
        mut tool: F,
    ) -> BoxFuture<'a, Result<ToolOutput, RunError>>
    where
        F: Guarded<ToolCallInputs, ToolOutput> + 'a,
    {
        let mut tool = move |call| tool(call).map(convert).boxed();
        async move { tool_call(self, call, ctx, &mut tool).await }.boxed()
    }

    /// Like [`Guard::guard_llm_call`].
    fn dyn_llm_call<'a, F>(
        &'a self,
        request: ModelCallInputs,
        ctx: &'a mut RunContext,
        mut model: F,
    ) -> BoxFuture<'a, Result<ModelResponse, RunError>>
    where
        F: Guarded<ModelCallInputs, ModelResponse> + 'a,
    {
        let mut model = move |request| model(request).map(convert).boxed();
        async move { llm_call(self, request, ctx, &mut model).await }.boxed()
    }

    /// Like [`Guard::guard_run`].
    fn dyn_run<'a, F>(
        &'a self,
        inputs: impl Into<InvokeInputs>,
        ctx: &'a mut RunContext,
        mut run: F,
    ) -> BoxFuture<'a, Result<InvokeOutput, RunError>>
    where
        F: Guarded<InvokeInputs, InvokeOutput, RunError> + 'a,
    {
        let inputs = inputs.into();
        let mut run = move |inputs| run(inputs).map(convert).boxed();
        async move { whole_run(self, inputs, ctx, &mut run).await }.boxed()
    }
}

impl<R: GuardSet> GuardDyn for R {}

fn convert<O, E>(result: impl GuardedResult<Value: IntoOutput<O>, Error: IntoFailure<E>>) -> Result<O, E> {
    result.into_result().map(IntoOutput::into_output).map_err(IntoFailure::into_failure)
}

/// An operation behind `dyn`.
type Boxed<'f, I, O, E> = dyn FnMut(Permit<I>) -> BoxFuture<'f, Result<O, E>> + Send + 'f;

async fn tool_call(
    rails: &dyn GuardSet,
    call: ToolCallInputs,
    ctx: &mut RunContext,
    tool: &mut Boxed<'_, ToolCallInputs, ToolOutput, OperationError>,
) -> Result<ToolOutput, RunError> {
    (&rails).guard_tool_call(call, ctx, tool).await
}

async fn llm_call(
    rails: &dyn GuardSet,
    request: ModelCallInputs,
    ctx: &mut RunContext,
    model: &mut Boxed<'_, ModelCallInputs, ModelResponse, OperationError>,
) -> Result<ModelResponse, RunError> {
    (&rails).guard_llm_call(request, ctx, model).await
}

async fn whole_run(
    rails: &dyn GuardSet,
    inputs: InvokeInputs,
    ctx: &mut RunContext,
    run: &mut Boxed<'_, InvokeInputs, InvokeOutput, RunError>,
) -> Result<InvokeOutput, RunError> {
    (&rails).guard_run(inputs, ctx, run).await
}
