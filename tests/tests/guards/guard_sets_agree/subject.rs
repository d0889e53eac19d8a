//! Guard sets under test: what is seen of them.

use exo_rails::prelude::*;
use exo_rails::{Allowed, Outcome, RailSkip};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::script::Script;
use super::text::{Changeable, Text};

/// What is seen of one case.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    /// Every call of a rail and every operation, in order, with what it saw.
    pub log: Vec<String>,
    /// The decision or result, or the error.
    pub end: String,
}

/// What is guarded. The run makes a model call and a tool call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Run,
    LlmCall,
    ToolCall,
}

impl Operation {
    pub(crate) const ALL: [Self; 3] = [Self::Run, Self::LlmCall, Self::ToolCall];
}

/// The inputs of every case.
pub(crate) const GIVEN: &str = "given";
/// The result in events after an operation.
pub(crate) const RESULT: &str = "result";

/// A guard set behind `dyn`.
pub(crate) trait Subject {
    fn event(&self, point: HookPoint, script: &Script) -> Seen;

    fn guarded(&self, operation: Operation, script: &Script) -> Seen;
}

impl<R: GuardSet> Subject for R {
    fn event(&self, point: HookPoint, script: &Script) -> Seen {
        let mut ctx = begin(script);
        let end = block_on(event(self, point, &mut ctx).boxed());
        seen(&ctx, end)
    }

    fn guarded(&self, operation: Operation, script: &Script) -> Seen {
        let mut ctx = begin(script);
        let end = block_on(guarded(self, operation, &mut ctx).boxed());
        seen(&ctx, end.unwrap_or_else(|error| error.text()))
    }
}

fn begin(script: &Script) -> RunContext {
    let ctx = RunContext::new("agreement");
    ctx.run.insert(script.clone());
    ctx
}

fn block_on<T>(case: BoxFuture<'_, T>) -> T {
    // The clock stands still, so the delays of retries pass at once.
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(case)
}

fn seen(ctx: &RunContext, end: String) -> Seen {
    Seen { log: ctx.run.get::<Script>().unwrap().log(), end }
}

/// Runs the rails of one event; its end is the decision with the payload that they leave.
async fn event<R: GuardSet>(rails: &R, point: HookPoint, ctx: &mut RunContext) -> String {
    let (mut run, mut output) = (InvokeInputs::saying(GIVEN), InvokeOutput::saying(RESULT));
    let (mut prompt, mut response) = (ModelCallInputs::saying(GIVEN), ModelResponse::saying(RESULT));
    let (mut call, mut result) = (ToolCallInputs::saying(GIVEN), ToolOutput::saying(RESULT));
    let failure = OperationError::from(RESULT);
    match point {
        HookPoint::Start => end(rails.dispatch::<Start>(&mut run, ctx).await, &run),
        HookPoint::PreLlmCall => end(rails.dispatch::<PreLlmCall>(&mut prompt, ctx).await, &prompt),
        HookPoint::PostLlmCall => end(rails.dispatch::<PostLlmCall>((&prompt, &mut response), ctx).await, &response),
        HookPoint::LlmError => end(rails.dispatch::<LlmError>((&prompt, &failure), ctx).await, &failure),
        HookPoint::PreToolCall => end(rails.dispatch::<PreToolCall>(&mut call, ctx).await, &call),
        HookPoint::PostToolCall => end(rails.dispatch::<PostToolCall>((&call, &mut result), ctx).await, &result),
        HookPoint::ToolError => end(rails.dispatch::<ToolError>((&call, &failure), ctx).await, &failure),
        HookPoint::Finished => end(rails.dispatch::<Finished>((&run, &mut output), ctx).await, &output),
        HookPoint::Error => {
            let error = RunError::Operation(failure);
            end(rails.dispatch::<events::Error>((&run, &error), ctx).await, &error)
        }
        _ => unreachable!("an event without a test"),
    }
}

fn end<E: Event<Substitute: Text>>(decision: Outcome<E>, left: &impl Text) -> String {
    let decision = match decision {
        Ok(Decision::Continue) => "continue".to_owned(),
        Ok(Decision::Skip(skip)) => {
            let RailSkip { rail_name, reason, substitute } = skip.into_inner();
            format!("{rail_name} skips with {:?}: {reason}", substitute.map(|substitute| substitute.text()))
        }
        Ok(Decision::Retry(retry)) => format!("{} retries: {:?}", retry.get().rail_name, retry.get().request),
        Ok(Decision::Abort(abort)) => RunError::from(abort.into_inner()).text(),
        Err(fault) => fault.text(),
    };
    format!("{decision}, leaves {}", left.text())
}

/// Guards an operation; the text of its result.
async fn guarded(rails: &dyn GuardSet, operation: Operation, ctx: &mut RunContext) -> Result<String, RunError> {
    Ok(match operation {
        Operation::Run => (&rails).guard_run(GIVEN, ctx, |run| steps(rails, run)).await?.text(),
        Operation::LlmCall => {
            (&rails).guard_llm_call(ModelCallInputs::saying(GIVEN), ctx, answer::<_, ModelResponse>).await?.text()
        }
        Operation::ToolCall => {
            (&rails).guard_tool_call(ToolCallInputs::saying(GIVEN), ctx, answer::<_, ToolOutput>).await?.text()
        }
    })
}

/// A run: a model call, a tool call with the answer, and its own end.
async fn steps(rails: &dyn GuardSet, run: Permit<InvokeInputs>) -> Result<InvokeOutput, RunError> {
    let mut ctx = run.context();
    let prompt = ModelCallInputs::saying(&run.text());
    let response = (&rails).guard_llm_call(prompt, &mut ctx, answer::<_, ModelResponse>).await?;
    let call = ToolCallInputs::saying(&response.text());
    let output = (&rails).guard_tool_call(call, &mut ctx, answer::<_, ToolOutput>).await?;
    Ok(InvokeOutput::saying(&perform(run.scope(), &output.text())?))
}

/// A model call or a tool call.
async fn answer<I: Text, O: Changeable>(call: Permit<I>) -> Result<O, OperationError> {
    tests::yields(1).await;
    Ok(O::saying(&perform(call.scope(), &call.text())?))
}

/// What the script says that the next operation does.
fn perform(scope: &exo_rails::RunScope, inputs: &str) -> Result<String, OperationError> {
    scope.run.update(|script: &mut Script| script.perform(inputs)).map_err(Into::into)
}
