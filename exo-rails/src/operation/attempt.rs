//! The attempts of a guarded operation: pre rails, the operation, post rails; and again, when a rail asks for a retry.

#![expect(
    clippy::manual_async_fn,
    reason = "an `async fn` keeps its arguments twice: the futures would be double the size"
)]

use super::kinds::Operation;
use super::perform::Perform;
use super::permit::issue;
use super::retries::{Retries, Retry};
use crate::chain::{Serves, enter};
use crate::context::{Open, RailContext};
use crate::decision::Decision;
use crate::error::{RailAbortError, RailFault, RunError};
use crate::event::Event;
use crate::guard_set::GuardSet;
use crate::point::{HookPoint, RailInfo, Reason};

/// Why an attempt is over without a result.
pub(crate) enum AttemptOver {
    /// The operation fails.
    Failed(RunError),
    /// A rail has it done again.
    Retry(Retry),
}

impl From<RunError> for AttemptOver {
    fn from(error: RunError) -> Self {
        Self::Failed(error)
    }
}

impl From<RailFault> for AttemptOver {
    fn from(fault: RailFault) -> Self {
        Self::Failed(fault.into())
    }
}

impl From<RailAbortError> for AttemptOver {
    fn from(abort: RailAbortError) -> Self {
        Self::Failed(abort.into())
    }
}

/// Guards an operation: attempts it until it is done or fails.
///
/// Each attempt begins with the inputs as the caller gave them: a rail that rewrites them does not rewrite its own work on
/// a retry.
pub(super) fn guard<O, R, P>(
    rails: &R,
    inputs: &mut O::Inputs,
    ctx: &mut RailContext,
    mut operation: P,
) -> impl Future<Output = Result<O::Output, RunError>> + Send
where
    O: Operation,
    R: Serves<O::Pre> + Serves<O::Post> + GuardSet + ?Sized,
    P: Perform<O>,
{
    async move {
        let original = Serves::<O::Pre>::may_rewrite(rails).then(|| Box::new(inputs.clone()));
        let mut retries = Retries::default();
        loop {
            ctx.ensure_running()?;
            ctx.begin_attempt(retries.total);
            let retry = match attempt::<O, R, P>(rails, inputs, ctx, &mut operation).await {
                Ok(output) => return Ok(output),
                Err(AttemptOver::Failed(error)) => return Err(error),
                Err(AttemptOver::Retry(retry)) => retry,
            };
            let delay = retries.take(retry)?;
            ctx.pause(delay).await?;
            operation.restart().await;
            if let Some(original) = &original {
                inputs.clone_from(original);
            }
        }
    }
}

// What a `match` is about is kept as long as one of its arms waits. So a decision is first taken apart, and then waited for.

/// One attempt: pre rails, the operation unless they skip it, post rails.
fn attempt<O, R, P>(
    rails: &R,
    inputs: &mut O::Inputs,
    ctx: &mut RailContext,
    operation: &mut P,
) -> impl Future<Output = Result<O::Output, AttemptOver>> + Send
where
    O: Operation,
    R: Serves<O::Pre> + Serves<O::Post> + GuardSet + ?Sized,
    P: Perform<O>,
{
    async move {
        let substitute = match enter::<O::Pre, R>(rails, O::pre(inputs), ctx).await {
            Ok(Decision::Continue) => None,
            stopped => act_on(stopped?, O::Pre::POINT)?.map(|skip| substitute::<O>(skip, inputs, ctx)),
        };
        let mut output = match substitute {
            Some(output) => output,
            None => perform::<O, R, P>(rails, inputs, ctx, operation).await?,
        };
        operation.deliver(rails, inputs, &mut output, ctx).await?;
        match enter::<O::Post, R>(rails, O::post(inputs, &mut output), ctx).await {
            Ok(Decision::Continue) => {}
            // A skip accepts the result as it stands.
            stopped => drop(act_on(stopped?, O::Post::POINT)?),
        }
        Ok(output)
    }
}

/// Does the operation with a permit. When it fails, asks the rails of its error what to do.
fn perform<O, R, P>(
    rails: &R,
    inputs: &mut O::Inputs,
    ctx: &mut RailContext,
    operation: &mut P,
) -> impl Future<Output = Result<O::Output, AttemptOver>> + Send
where
    O: Operation,
    R: GuardSet + ?Sized,
    P: Perform<O>,
{
    async move {
        // Cancelled while the rails were asked: then nothing begins any more.
        ctx.ensure_running()?;
        let place = ctx.lend(inputs);
        let open = Open(&place);
        let result = operation.perform(rails, issue(&place), &place, ctx).await;
        drop(open);
        if !ctx.take_back(place, inputs) {
            return Err(RunError::PermitKept { event: O::Pre::POINT }.into());
        }
        let error = match result? {
            Ok(output) => return Ok(output),
            Err(error) => error,
        };
        let decision = O::failed(rails, inputs, &error, ctx).await?;
        match act_on(decision, O::FAILED)? {
            Some(Skip { by, substitute: Some(output), .. }) => {
                ctx.set_substituted_by(by);
                Ok(output)
            }
            // A skip without a substitute accepts what there is: the error.
            _ => Ok(O::unrescued(inputs, error)?),
        }
    }
}

/// A skip, taken out of its decision.
pub(super) struct Skip<S> {
    by: &'static RailInfo,
    reason: Reason,
    substitute: Option<S>,
}

/// Acts on a decision: the skip, when it is one.
///
/// # Errors
/// When the decision ends the attempt.
pub(super) fn act_on<S>(decision: Decision<S>, event: HookPoint) -> Result<Option<Skip<S>>, AttemptOver> {
    match decision {
        Decision::Continue => Ok(None),
        Decision::Skip { by, reason, substitute } => Ok(Some(Skip { by, reason, substitute })),
        Decision::Retry { by, identity, request } => Err(AttemptOver::Retry(Retry { by, identity, request, event })),
        Decision::Abort(abort) => Err(abort.into()),
    }
}

/// What stands in for the result of an operation that a rail has skipped.
#[cold]
fn substitute<O: Operation>(skip: Skip<O::Output>, inputs: &O::Inputs, ctx: &mut RailContext) -> O::Output {
    let Skip { by, reason, substitute } = skip;
    ctx.set_substituted_by(by);
    substitute.unwrap_or_else(|| O::skipped(inputs, by, &reason))
}
