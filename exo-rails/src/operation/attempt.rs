//! The attempts of a guarded operation: pre rails, the operation, post rails; and again, when a rail asks for a retry.

#![expect(
    clippy::manual_async_fn,
    reason = "an `async fn` keeps its arguments twice: the futures would be double the size"
)]

use std::mem;
use std::sync::Arc;

use tokio::time::Instant;

use super::kinds::Kind;
use super::perform::Perform;
use super::permit::issue;
use super::retries::{Granted, Retry};
use crate::action::{Allowed, RailSkip};
use crate::chain::{Serves, enter};
use crate::context::{CloseOnDrop, RailContext, RunScope, Slot};
use crate::decision::{Decision, Outcome};
use crate::error::{Ending, RailAbortError, RailFault, RunError, SuspendedResult};
use crate::event::{Event, Innermost, OperationResult};
use crate::guard_set::GuardSet;

/// Why an attempt is over without a result.
pub(crate) enum AttemptOver {
    /// The operation fails.
    Failed(RunError),
    /// A rail has it done again.
    // Boxed: every result of an attempt is as large as this.
    Retry(Box<Retry>),
}

impl AttemptOver {
    /// Says what the operation had come to, when a rail suspends the run.
    #[cold]
    pub(super) fn suspended_with(mut self, result: impl FnOnce() -> Option<SuspendedResult>) -> Self {
        if let Self::Failed(RunError::Abort(abort)) = &mut self
            && let Some(Ending::Suspension(suspension)) = abort.ending.as_deref_mut()
        {
            suspension.result = result();
        }
        self
    }
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

/// Attempts an operation until it is done or fails.
///
/// Each attempt begins with the inputs as the caller gave them: a rail that rewrites them does not rewrite its own work on
/// a retry.
pub(super) fn attempts<O, R, P>(
    rails: &R,
    slot: &mut Arc<Slot<O::Inputs>>,
    ctx: &mut RailContext,
    mut operation: P,
) -> impl Future<Output = Result<O::Output, RunError>> + Send
where
    O: Kind,
    R: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed> + GuardSet,
    P: Perform<O>,
{
    async move {
        let mut original = Serves::<O::Pre>::may_rewrite(rails).then(|| Box::new(slot.inputs().clone()));
        let mut number = 0;
        loop {
            if ctx.is_cancelled() {
                return Err(RunError::Cancelled);
            }
            ctx.begin_attempt(number);
            let Granted { delay, feedback } = match attempt::<O, R, P>(rails, slot, ctx, &mut operation).await {
                Ok(output) => return Ok(output),
                Err(AttemptOver::Failed(error)) => return Err(error),
                Err(AttemptOver::Retry(retry)) => retry.grant(ctx)?,
            };
            ctx.pause(delay).await?;
            operation.restart().await;
            O::begins_again(ctx);
            let inputs = unshared::<O>(slot)?.inputs_mut();
            if let Some(message) = feedback {
                O::give_feedback(original.as_deref_mut().unwrap_or(inputs), *message, ctx);
            }
            if let Some(original) = &original {
                inputs.clone_from(original);
            }
            number += 1;
        }
    }
}

/// The slot, which no permit shares.
///
/// # Errors
/// When the operation has kept its permit.
fn unshared<O: Kind>(slot: &mut Arc<Slot<O::Inputs>>) -> Result<&mut Slot<O::Inputs>, RunError> {
    Arc::get_mut(slot).ok_or_else(|| RunError::PermitKept { event: O::Pre::POINT })
}

// What a `match` is about is kept as long as one of its arms waits. So a decision is first taken apart, and then waited for.

/// One attempt: pre rails, the operation unless they skip it, post rails.
fn attempt<O, R, P>(
    rails: &R,
    slot: &mut Arc<Slot<O::Inputs>>,
    ctx: &mut RailContext,
    operation: &mut P,
) -> impl Future<Output = Result<O::Output, AttemptOver>> + Send
where
    O: Kind,
    R: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed> + GuardSet,
    P: Perform<O>,
{
    async move {
        let own_slot = unshared::<O>(slot)?;
        own_slot.open(ctx.step(), ctx.attempt());
        let substitute = match stopped(enter::<O::Pre, R>(rails, O::pre(own_slot.inputs_mut()), ctx).await) {
            None => None,
            Some(outcome) => skipped::<O>(outcome, slot.inputs(), ctx)?,
        };
        let mut output = match substitute {
            Some(output) => output,
            None => perform::<O, R, P>(rails, slot, ctx, operation).await?,
        };
        operation.deliver(rails, slot.inputs(), &mut output, ctx).await?;
        if let Some(outcome) = stopped(enter::<O::Post, R>(rails, O::post(slot.inputs(), &mut output), ctx).await) {
            return accepted::<O>(outcome, output, slot.inputs(), ctx);
        }
        Ok(output)
    }
}

/// Does the operation with a permit. When it fails, asks the rails of its error what to do.
fn perform<O, R, P>(
    rails: &R,
    slot: &mut Arc<Slot<O::Inputs>>,
    ctx: &mut RailContext,
    operation: &mut P,
) -> impl Future<Output = Result<O::Output, AttemptOver>> + Send
where
    O: Kind,
    R: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed> + GuardSet,
    P: Perform<O>,
{
    async move {
        // Cancelled while the rails were asked: then nothing begins any more.
        if ctx.is_cancelled() {
            return Err(RunError::Cancelled.into());
        }
        let is_timed = Serves::<O::Post>::is_timed(rails) || Serves::<O::Failed>::is_timed(rails);
        let began = is_timed.then(Instant::now);
        let open_slot = CloseOnDrop(slot);
        let execution = Execution::<O, R, P> { rails, slot, operation, ctx };
        let result = Serves::<O::Pre>::execute(rails, slot.inputs(), execution).await;
        drop(open_slot);
        if let Some(began) = began {
            ctx.set_elapsed(Some(began.elapsed()));
        }
        unshared::<O>(slot)?;
        let error = match result? {
            Ok(output) => return Ok(output),
            Err(error) => error,
        };
        match O::failed(rails, slot.inputs(), &error, ctx).await {
            Ok(skip) => rescued::<O>(skip, error, slot.inputs(), ctx),
            Err(AttemptOver::Retry(retry)) => {
                Err(AttemptOver::Retry(Box::new(Retry { failure: O::failure(error), ..*retry })))
            }
            Err(over) => Err(over.suspended_with(|| {
                let failure = O::failure(error)?;
                Some(SuspendedResult::Failure((&*failure).into()))
            })),
        }
    }
}

/// An operation that its pre rails have let pass.
struct Execution<'a, O: Kind, R: ?Sized, P> {
    rails: &'a R,
    slot: &'a Arc<Slot<O::Inputs>>,
    operation: &'a mut P,
    ctx: &'a mut RailContext,
}

impl<O, R, P> Innermost<O> for Execution<'_, O, R, P>
where
    O: Kind,
    R: GuardSet,
    P: Perform<O>,
{
    type Over = AttemptOver;

    #[inline(always)]
    fn execute(self) -> impl Future<Output = Result<OperationResult<O>, AttemptOver>> + Send {
        let Self { rails, slot, operation, ctx } = self;
        operation.perform(rails, issue(slot), slot.inputs(), ctx)
    }

    #[inline(always)]
    fn execute_inside(self, over: &mut Option<AttemptOver>) -> impl Future<Output = OperationResult<O>> + Send {
        let Self { rails, slot, operation, ctx } = self;
        operation.perform_inside(rails, issue(slot), slot.inputs(), ctx, over)
    }

    fn scope(&self) -> &RunScope {
        self.ctx
    }

    fn attempt(&self) -> u32 {
        self.ctx.attempt()
    }
}

/// Acts on what the rails decided about a result. A skip accepts the result as it stands.
// The output comes by value: a reference to it would keep it in memory where no rail stops the event.
#[cold]
fn accepted<O: Kind>(
    outcome: Outcome<O::Post>,
    output: O::Output,
    inputs: &O::Inputs,
    ctx: &mut RailContext,
) -> Result<O::Output, AttemptOver> {
    match act_on(outcome?) {
        Ok(_) => Ok(output),
        Err(AttemptOver::Retry(retry)) => {
            Err(AttemptOver::Retry(Box::new(Retry { failure: O::failure_in(inputs, &output), ..*retry })))
        }
        Err(over) => answered::<O>(over.suspended_with(|| O::suspended_after(output)), ctx),
    }
}

/// Replaces a failure by the substitute of the rails, or returns the error.
#[cold]
fn rescued<O: Kind>(
    skip: Option<RailSkip<O::Output>>,
    error: O::Error,
    inputs: &O::Inputs,
    ctx: &mut RailContext,
) -> Result<O::Output, AttemptOver> {
    match skip {
        Some(RailSkip { rail_name, substitute: Some(output), .. }) => {
            ctx.set_substituted_by(rail_name);
            Ok(output)
        }
        // A skip without a substitute accepts what there is: the error.
        _ => Ok(O::unrescued(inputs, error).or_else(|error| O::answered(error, ctx))?),
    }
}

/// The outcome of an event, when it stops it.
#[inline(always)]
fn stopped<E: Event>(outcome: Outcome<E>) -> Option<Outcome<E>> {
    if matches!(outcome, Ok(Decision::Continue)) {
        // Not dropped: there is nothing in it, and the compiler would look.
        mem::forget(outcome);
        return None;
    }
    Some(outcome)
}

/// Acts on a decision: the skip, when it is one.
///
/// # Errors
/// When the decision ends the attempt.
pub(super) fn act_on<E: Event>(decision: Decision<E>) -> Result<Option<RailSkip<E::Substitute>>, AttemptOver> {
    match decision {
        Decision::Continue => Ok(None),
        Decision::Skip(skip) => Ok(Some(skip.into_inner())),
        Decision::Retry(retry) => {
            Err(AttemptOver::Retry(Box::new(Retry { asked: retry.into_inner(), event: E::POINT, failure: None })))
        }
        Decision::Abort(abort) => Err(abort.into_inner().into()),
    }
}

/// The answer of a rail that has ended the run with one.
#[cold]
fn answered<O: Kind>(over: AttemptOver, ctx: &mut RailContext) -> Result<O::Output, AttemptOver> {
    match over {
        AttemptOver::Failed(error) => Ok(O::answered(error, ctx)?),
        again @ AttemptOver::Retry(_) => Err(again),
    }
}

/// Acts on what the rails decided before an operation: what stands in for its result, when they skip it.
// Inlined: a call of it took 28 instructions where no rail skips.
#[inline(always)]
fn skipped<O: Kind>(
    outcome: Outcome<O::Pre>,
    inputs: &O::Inputs,
    ctx: &mut RailContext,
) -> Result<Option<O::Output>, AttemptOver> {
    let RailSkip { rail_name, reason, substitute } = match act_on(outcome?) {
        Ok(Some(skip)) => skip,
        Ok(None) => return Ok(None),
        Err(over) => {
            return answered::<O>(over.suspended_with(|| O::suspended_before(inputs)), ctx).map(Some);
        }
    };
    ctx.set_elapsed(None);
    let output = match substitute {
        Some(output) => output,
        None => O::skipped(inputs, &rail_name, &reason)?,
    };
    ctx.set_substituted_by(rail_name);
    Ok(Some(output))
}
