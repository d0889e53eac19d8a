//! The operations of the lifecycle: a run, a model call, a tool call, a compaction, and custom operations.

use std::convert::Infallible;
use std::future::ready;

use serde_json::{Map, Value, json};

use super::attempt_over::{AttemptOver, act_on};
use super::windows;
use crate::action::{NoSubstitute, RailSkip};
use crate::chain::{Serves, enter};
use crate::context::{OperationEnd, RailContext};
use crate::error::{DepthLimit, Ending, OperationError, RunError, SuspendedResult};
use crate::event::{Compaction, CustomOperation, LlmCall, LlmError, Operation, Payloads, Run, ToolCall, ToolError};
use crate::guard_set::GuardSet;
use crate::message::{
    CompactionInputs, CompactionOutput, InvokeInputs, InvokeOutput, Message, ModelCallInputs, ModelResponse,
    OperationErrorKind, ToolCallInputs, ToolOutput,
};
use crate::point::{HookPoint, RailName, Reason};

impl From<Infallible> for AttemptOver {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// The error that stands for a model call that the rails or the run ended. No rail decides about it.
pub(super) fn interrupted() -> OperationError {
    OperationError::new(OperationErrorKind::Other, "a rail has ended the operation")
}

/// The differences between the kinds of operations.
pub(crate) trait Kind: Operation<Post: Payloads<Substitute = NoSubstitute>> {
    /// Whether the guard drops the operation when the run is cancelled. Most operations finish, because a dropped one
    /// could leave its work half done.
    const IS_INTERRUPTED: bool = false;

    fn pre(inputs: &mut Self::Inputs) -> <Self::Pre as Payloads>::Payload<'_>;

    fn post<'a>(inputs: &'a Self::Inputs, output: &'a mut Self::Output) -> <Self::Post as Payloads>::Payload<'a>;

    /// Runs the rails of the operation's failure. Returns the skip if they skip.
    fn failed<'a, R: Serves<Self::Failed> + GuardSet>(
        rails: &'a R,
        inputs: &'a Self::Inputs,
        error: &'a Self::Error,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Result<Option<RailSkip<Self::Output>>, AttemptOver>> + Send;

    /// Turns a failure that no rail rescued into an output or an error.
    fn unrescued(inputs: &Self::Inputs, error: Self::Error) -> Result<Self::Output, RunError>;

    /// Returns the answer if a rail ended the run with an answer.
    fn answered(error: RunError, _: &mut RailContext) -> Result<Self::Output, RunError> {
        Err(error)
    }

    /// The inputs that a suspension keeps if a rail suspends the run before the operation.
    fn suspended_before(_: &Self::Inputs) -> Option<SuspendedResult> {
        None
    }

    /// The output that a suspension keeps if a rail suspends the run after the operation.
    fn suspended_after(_: Self::Output) -> Option<SuspendedResult> {
        None
    }

    /// Prepares another attempt that a rail asked for.
    fn begins_again(_: &mut RailContext) {}

    /// Checks what the rails of the event before the operation have made of the inputs.
    ///
    /// # Errors
    /// Returns an error if the operation must not start with these inputs.
    fn check_rewritten(_: &Self::Inputs, _before: &Self::Inputs) -> Result<(), RunError> {
        Ok(())
    }

    /// Counts the cost of the operation.
    fn count(_: &Self::Output, _: &RailContext) {}

    /// How the operation has ended with this output.
    fn output_end(_: &Self::Output) -> OperationEnd {
        OperationEnd::Succeeded
    }

    /// How the operation has ended with this error.
    fn error_end(error: &Self::Error) -> OperationEnd;

    /// The failure, for the error that reports used-up retries.
    fn failure(error: Self::Error) -> Option<Box<OperationError>>;

    /// The failure that the output reports, if it reports one.
    fn failure_in(_: &Self::Inputs, _: &Self::Output) -> Option<Box<OperationError>> {
        None
    }

    /// Gives the model the message of a retry, in the inputs or before the next model call of the run.
    fn give_feedback(_: &mut Self::Inputs, message: Message, ctx: &RailContext) {
        ctx.notify_model(message);
    }

    /// The output of an operation that a rail skipped without a substitute.
    ///
    /// # Errors
    /// Returns an error if the operation has no such output.
    fn skipped(inputs: &Self::Inputs, by: &RailName, reason: &Reason) -> Result<Self::Output, RunError>;

    /// Runs the rails of `LlmChunk` on an answer that arrived as a whole. Other operations have no such rails.
    fn deliver<R: GuardSet>(
        _: &R,
        _: &Self::Inputs,
        _: &mut Self::Output,
        _: &mut RailContext,
    ) -> impl Future<Output = Result<(), AttemptOver>> + Send {
        ready(Ok(()))
    }
}

/// Implements the payloads that most operations have: the inputs before the operation, the inputs and the output after
/// it.
macro_rules! carried {
    () => {
        fn pre(inputs: &mut Self::Inputs) -> &mut Self::Inputs {
            inputs
        }

        fn post<'a>(
            inputs: &'a Self::Inputs,
            output: &'a mut Self::Output,
        ) -> (&'a Self::Inputs, &'a mut Self::Output) {
            (inputs, output)
        }
    };
}

impl Kind for Run {
    carried!();
    // `guard_run` runs the rails of `Error`, wherever the error comes from.
    fn failed<'a, R: GuardSet>(
        _: &'a R,
        _: &'a InvokeInputs,
        _: &'a RunError,
        _: &'a mut RailContext,
    ) -> impl Future<Output = Result<Option<RailSkip<InvokeOutput>>, AttemptOver>> + Send {
        ready(Ok(None))
    }

    fn unrescued(_: &InvokeInputs, error: RunError) -> Result<InvokeOutput, RunError> {
        Err(error)
    }

    fn answered(error: RunError, ctx: &mut RailContext) -> Result<InvokeOutput, RunError> {
        let RunError::Abort(mut abort) = error else { return Err(error) };
        match abort.ending.take().map(|ending| *ending) {
            Some(Ending::Answer(answer)) => {
                ctx.set_substituted_by(abort.rail_name);
                Ok(answer)
            }
            ending => {
                abort.ending = ending.map(Box::new);
                Err(abort.into())
            }
        }
    }

    fn suspended_before(inputs: &InvokeInputs) -> Option<SuspendedResult> {
        Some(SuspendedResult::Start(inputs.clone()))
    }

    fn suspended_after(output: InvokeOutput) -> Option<SuspendedResult> {
        Some(SuspendedResult::Finished(output))
    }

    // An approval is valid for one attempt of the run.
    fn begins_again(ctx: &mut RailContext) {
        ctx.forget_answers();
        ctx.forget_passed();
    }

    fn error_end(_: &RunError) -> OperationEnd {
        OperationEnd::Failed
    }

    fn failure(_: RunError) -> Option<Box<OperationError>> {
        None
    }

    fn skipped(_: &InvokeInputs, by: &RailName, reason: &Reason) -> Result<InvokeOutput, RunError> {
        Ok(InvokeOutput { extra: skip_note(by, reason), ..InvokeOutput::default() })
    }
}

/// A note in the place of an output, with the rail that skipped the operation and its reason.
fn skip_note(by: &RailName, reason: &Reason) -> Map<String, Value> {
    Map::from_iter([(InvokeOutput::SKIPPED.to_owned(), json!({ "by": by, "reason": reason }))])
}

impl Kind for LlmCall {
    carried!();

    // A dropped request changes nothing.
    const IS_INTERRUPTED: bool = true;

    async fn failed<'a, R: GuardSet>(
        rails: &'a R,
        inputs: &'a ModelCallInputs,
        error: &'a OperationError,
        ctx: &'a mut RailContext,
    ) -> Result<Option<RailSkip<ModelResponse>>, AttemptOver> {
        act_on(enter::<LlmError, R>(rails, (inputs, error), ctx).await?)
    }

    fn unrescued(_: &ModelCallInputs, error: OperationError) -> Result<ModelResponse, RunError> {
        Err(error.into())
    }

    fn check_rewritten(inputs: &ModelCallInputs, before: &ModelCallInputs) -> Result<(), RunError> {
        Err(match inputs.messages.torn_since(&before.messages) {
            Some(torn) => OperationError::torn_at(HookPoint::PreLlmCall, &torn).into(),
            None => return Ok(()),
        })
    }

    fn count(response: &ModelResponse, ctx: &RailContext) {
        if let Some(usage) = &response.usage {
            ctx.count_usage(usage);
        }
    }

    fn error_end(error: &OperationError) -> OperationEnd {
        OperationEnd::of_error(error.kind)
    }

    fn failure(error: OperationError) -> Option<Box<OperationError>> {
        Some(Box::new(error))
    }

    fn suspended_after(response: ModelResponse) -> Option<SuspendedResult> {
        Some(SuspendedResult::Response(response))
    }

    fn give_feedback(inputs: &mut ModelCallInputs, message: Message, _: &RailContext) {
        inputs.messages.push(message);
    }

    fn skipped(_: &ModelCallInputs, by: &RailName, reason: &Reason) -> Result<ModelResponse, RunError> {
        Ok(ModelResponse { extra: skip_note(by, reason), ..ModelResponse::empty() })
    }

    fn deliver<R: GuardSet>(
        rails: &R,
        inputs: &ModelCallInputs,
        output: &mut ModelResponse,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<(), AttemptOver>> + Send {
        windows::whole(rails, inputs, output, ctx)
    }
}

/// A tool call. If no rail rescues the error of a tool, the error becomes the output. So the rails after the call see
/// the text that the model will read.
impl Kind for ToolCall {
    carried!();
    async fn failed<'a, R: GuardSet>(
        rails: &'a R,
        inputs: &'a ToolCallInputs,
        error: &'a OperationError,
        ctx: &'a mut RailContext,
    ) -> Result<Option<RailSkip<ToolOutput>>, AttemptOver> {
        act_on(enter::<ToolError, R>(rails, (inputs, error), ctx).await?)
    }

    fn unrescued(inputs: &ToolCallInputs, error: OperationError) -> Result<ToolOutput, RunError> {
        // With an output, the model would call the tool again, and so would each model around it.
        if let Some(limit) = DepthLimit::met_by(&error) {
            return Err(limit.into());
        }
        let output = ToolOutput::error(format!("The call of `{}` failed: {error}", inputs.tool_name));
        Ok(ToolOutput { error_kind: Some(error.kind), ..output })
    }

    fn error_end(error: &OperationError) -> OperationEnd {
        OperationEnd::of_error(error.kind)
    }

    fn failure(error: OperationError) -> Option<Box<OperationError>> {
        Some(Box::new(error))
    }

    fn output_end(output: &ToolOutput) -> OperationEnd {
        match output {
            ToolOutput { error_kind: Some(kind), .. } => OperationEnd::of_error(*kind),
            ToolOutput { is_error: true, .. } => OperationEnd::Failed,
            _ => OperationEnd::Succeeded,
        }
    }

    // Without the text of the output: a rail has refused it, and the error of the run must not show it.
    fn failure_in(inputs: &ToolCallInputs, output: &ToolOutput) -> Option<Box<OperationError>> {
        let failed = |kind| OperationError::new(kind, format!("the tool `{}` failed", inputs.tool_name));
        output.error_kind.map(failed).map(Box::new)
    }

    fn suspended_after(output: ToolOutput) -> Option<SuspendedResult> {
        Some(SuspendedResult::Output(output))
    }

    fn skipped(inputs: &ToolCallInputs, by: &RailName, reason: &Reason) -> Result<ToolOutput, RunError> {
        Ok(ToolOutput::error(format!("The call of `{}` was skipped by the rail `{by}`: {reason}", inputs.tool_name)))
    }
}

impl Kind for Compaction {
    fn pre(inputs: &mut CompactionInputs) -> &mut CompactionInputs {
        inputs
    }

    fn post<'a>(
        inputs: &'a CompactionInputs,
        output: &'a mut CompactionOutput,
    ) -> (&'a CompactionInputs, &'a CompactionOutput) {
        (inputs, output)
    }

    // A failed compaction has no event of its own. The rails of `Error` see the error if it ends the run.
    fn failed<'a, R: GuardSet>(
        _: &'a R,
        _: &'a CompactionInputs,
        _: &'a OperationError,
        _: &'a mut RailContext,
    ) -> impl Future<Output = Result<Option<RailSkip<CompactionOutput>>, AttemptOver>> + Send {
        ready(Ok(None))
    }

    fn unrescued(_: &CompactionInputs, error: OperationError) -> Result<CompactionOutput, RunError> {
        Err(error.into())
    }

    fn error_end(error: &OperationError) -> OperationEnd {
        OperationEnd::of_error(error.kind)
    }

    fn failure(error: OperationError) -> Option<Box<OperationError>> {
        Some(Box::new(error))
    }

    fn skipped(inputs: &CompactionInputs, by: &RailName, reason: &Reason) -> Result<CompactionOutput, RunError> {
        let messages = inputs.messages.clone();
        Ok(CompactionOutput { messages, extra: skip_note(by, reason), ..CompactionOutput::default() })
    }
}

/// A custom operation.
impl<O: CustomOperation> Kind for O {
    fn pre(inputs: &mut O::Inputs) -> <O::Pre as Payloads>::Payload<'_> {
        <O as CustomOperation>::pre(inputs)
    }

    fn post<'a>(inputs: &'a O::Inputs, output: &'a mut O::Output) -> <O::Post as Payloads>::Payload<'a> {
        <O as CustomOperation>::post(inputs, output)
    }

    async fn failed<'a, R: Serves<O::Failed> + GuardSet>(
        rails: &'a R,
        inputs: &'a O::Inputs,
        error: &'a OperationError,
        ctx: &'a mut RailContext,
    ) -> Result<Option<RailSkip<O::Output>>, AttemptOver> {
        act_on(enter::<O::Failed, R>(rails, <O as CustomOperation>::failed(inputs, error), ctx).await?)
    }

    fn unrescued(_: &O::Inputs, error: OperationError) -> Result<O::Output, RunError> {
        Err(error.into())
    }

    fn error_end(error: &OperationError) -> OperationEnd {
        OperationEnd::of_error(error.kind)
    }

    fn failure(error: OperationError) -> Option<Box<OperationError>> {
        Some(Box::new(error))
    }

    fn skipped(_: &O::Inputs, by: &RailName, reason: &Reason) -> Result<O::Output, RunError> {
        let message = format!("`{}` was skipped by the rail `{by}`: {reason}", O::NAME);
        Err(OperationError::new(OperationErrorKind::Denied, message).into())
    }
}
