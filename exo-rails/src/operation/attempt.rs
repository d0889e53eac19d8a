//! The attempts of a guarded operation: pre rails, operation, post rails. A retry starts the next attempt.

#![expect(
    clippy::manual_async_fn,
    reason = "an `async fn` keeps its arguments twice: the futures would be double the size"
)]

use std::mem;
use std::sync::Arc;

use tokio::time::Instant;

use super::attempt_over::{AttemptOver, act_on};
use super::kinds::Kind;
use super::perform::Perform;
use super::retries::{Granted, Retry};
use crate::action::RailSkip;
use crate::chain::{Serves, enter};
use crate::context::{CloseOnDrop, OperationEnd, RailContext, RunScope, Slot, UnderWay};
use crate::decision::{Decision, Outcome};
use crate::error::{RunError, SuspendedResult};
use crate::event::{Event, Next, OperationResult};
use crate::guard_set::GuardSet;
use crate::rail::facts;

/// Makes attempts until the operation succeeds or fails. An attempt runs the pre rails, the operation unless a rail
/// skips it, and the post rails. `fail` makes the error.
///
/// Each attempt starts with the inputs of the caller. So a rail that rewrites the inputs does not rewrite its own
/// changes on a retry.
#[expect(clippy::too_many_lines, reason = "one future for everything: see below")]
// One future for everything. With one future for the attempt and another one for the operation inside, a tool call
// takes 60 instructions more.
pub(super) fn attempts<O, R, P, E>(
    rails: &R,
    mut inputs: O::Inputs,
    (ctx, under_way): (&mut RailContext, &UnderWay),
    mut operation: P,
    fail: impl FnOnce(RunError, O::Inputs) -> E + Send,
) -> impl Future<Output = Result<O::Output, E>> + Send
where
    O: Kind,
    R: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed> + GuardSet,
    P: Perform<O>,
{
    async move {
        let mut original = Serves::<O::Pre>::fact::<facts::MayRewrite>(rails).then(|| Box::new(inputs.clone()));
        ctx.begin_operation();
        loop {
            // A future keeps the subject of a `match` while an arm waits, and a local until its block ends. So this
            // block takes outcomes and results apart, and the code after the block waits.
            let over = 'attempt: {
                if ctx.is_cancelled() {
                    break 'attempt RunError::Cancelled.into();
                }
                let mut output = 'output: {
                    if let Some(outcome) = stopped(enter::<O::Pre, R>(rails, O::pre(&mut inputs), ctx).await) {
                        match skipped::<O>(outcome, &inputs, ctx) {
                            Ok(Some(output)) => break 'output output,
                            Ok(None) => {}
                            Err(over) => break 'attempt over,
                        }
                    }
                    if let Err(error) = may_start::<O>(&inputs, original.as_deref(), ctx) {
                        break 'attempt error.into();
                    }
                    let error = {
                        let began = is_timed::<O, R>(rails).then(Instant::now);
                        let mut slot = ctx.take_slot(inputs);
                        // Without rails, the event was not entered, and the context may have values of another event.
                        let is_provided = Serves::<O::Pre>::fact::<facts::HasRails>(rails) && ctx.may_have_provided();
                        if is_provided {
                            ctx.provide_to(&mut slot);
                        }
                        let open_slot = CloseOnDrop(&slot);
                        let mut execution = Execution::<O, R, P> {
                            rails,
                            slot: &slot,
                            operation: &mut operation,
                            ctx,
                            under_way,
                            over: None,
                        };
                        let result = Serves::<O::Pre>::surround(rails, slot.inputs(), &mut execution).await;
                        let over = execution.over;
                        drop(open_slot);
                        if let Some(began) = began {
                            ctx.set_elapsed(Some(began.elapsed()));
                        }
                        inputs = match ctx.return_slot(slot) {
                            Ok(inputs) => inputs,
                            // Boxed, because it is rare and would make every guarded call larger.
                            Err(slot) => match Box::pin(ctx.await_permit(slot)).await {
                                (inputs, false) => inputs,
                                (copy, true) => {
                                    inputs = copy;
                                    break 'attempt RunError::PermitKept { event: O::Pre::POINT }.into();
                                }
                            },
                        };
                        if is_provided {
                            ctx.drop_slot::<O::Inputs>();
                        }
                        // The rails or the run have ended the operation. This takes precedence over the result of the
                        // rails around it.
                        if let Some(over) = over {
                            break 'attempt over.into();
                        }
                        match result {
                            Ok(output) => {
                                // A rail around the operation may have made the output.
                                if O::output_end(&output) == OperationEnd::Succeeded {
                                    ctx.replace_operation_end();
                                }
                                break 'output output;
                            }
                            Err(error) => Box::new(error),
                        }
                    };
                    match rescue::<O, R>(rails, &inputs, error, ctx).await {
                        Ok(output) => output,
                        Err(over) => break 'attempt over,
                    }
                };
                if let Err(over) = operation.deliver(rails, &inputs, &mut output, ctx).await {
                    break 'attempt over;
                }
                let Some(outcome) = stopped(enter::<O::Post, R>(rails, O::post(&inputs, &mut output), ctx).await)
                else {
                    ctx.end_operation(None);
                    return Ok(output);
                };
                match accepted::<O>(outcome, output, &inputs, ctx) {
                    Ok(output) => {
                        ctx.end_operation(None);
                        return Ok(output);
                    }
                    Err(over) => over,
                }
            };
            let retry = match over {
                AttemptOver::Failed(error) => {
                    ctx.end_operation(Some(&error));
                    return Err(fail(*error, inputs));
                }
                AttemptOver::Retry(retry) => retry,
            };
            // Boxed, because a timer would be the largest part of the future.
            if let Err(error) = Box::pin(again::<O>(retry, original.as_deref_mut(), &mut inputs, ctx)).await {
                ctx.end_operation(Some(&error));
                return Err(fail(error, inputs));
            }
            operation.restart().await;
        }
    }
}

/// Checks whether the operation may start after the rails of the event before it.
///
/// # Errors
/// Returns an error if the run was cancelled while the rails ran, or if they have changed the inputs into ones that the operation
/// cannot take.
#[inline(always)]
fn may_start<O: Kind>(inputs: &O::Inputs, original: Option<&O::Inputs>, ctx: &RailContext) -> Result<(), RunError> {
    if ctx.is_cancelled() {
        return Err(RunError::Cancelled);
    }
    original.map_or(Ok(()), |original| O::check_rewritten(inputs, original))
}

/// Returns whether a rail may ask for the duration of the operation.
fn is_timed<O: Kind, R: Serves<O::Post> + Serves<O::Failed>>(rails: &R) -> bool {
    Serves::<O::Post>::fact::<facts::IsTimed>(rails) || Serves::<O::Failed>::fact::<facts::IsTimed>(rails)
}

/// Waits until the next attempt and restores its inputs.
///
/// # Errors
/// Returns an error if no retry is left, or if the run is cancelled.
async fn again<O: Kind>(
    retry: Box<Retry>,
    mut original: Option<&mut O::Inputs>,
    inputs: &mut O::Inputs,
    ctx: &mut RailContext,
) -> Result<(), RunError> {
    let Granted { delay, feedback } = retry.grant(ctx)?;
    ctx.pause(delay).await?;
    if let Some(message) = feedback {
        O::give_feedback(original.as_deref_mut().unwrap_or(inputs), *message, ctx);
    }
    if let Some(original) = original {
        inputs.clone_from(original);
    }
    O::begins_again(ctx);
    ctx.begin_attempt(ctx.attempt() + 1);
    Ok(())
}

/// Runs the rails of the operation's error, and acts on their decision.
async fn rescue<O: Kind, R: Serves<O::Failed> + GuardSet>(
    rails: &R,
    inputs: &O::Inputs,
    // Boxed, because the future keeps it while the rails run.
    error: Box<O::Error>,
    ctx: &mut RailContext,
) -> Result<O::Output, AttemptOver> {
    match O::failed(rails, inputs, &error, ctx).await {
        Ok(skip) => rescued::<O>(skip, *error, inputs, ctx),
        Err(AttemptOver::Retry(retry)) => {
            Err(AttemptOver::Retry(Box::new(Retry { failure: O::failure(*error), ..*retry })))
        }
        Err(over) => Err(over.suspended_with(|| {
            let failure = O::failure(*error)?;
            Some(SuspendedResult::Failure((&*failure).into()))
        })),
    }
}

/// An operation that the pre rails have allowed.
struct Execution<'a, O: Kind, R: ?Sized, P: Perform<O>> {
    rails: &'a R,
    slot: &'a Arc<Slot<O::Inputs>>,
    operation: &'a mut P,
    ctx: &'a mut RailContext,
    under_way: &'a UnderWay,
    /// How the rails or the run ended the operation, if they did.
    over: Option<P::Over>,
}

// A pointer, because each rail around the operation moves it.
impl<O, R, P> Next<O> for &mut Execution<'_, O, R, P>
where
    O: Kind,
    R: GuardSet,
    P: Perform<O>,
{
    #[inline(always)]
    fn run(self) -> impl Future<Output = OperationResult<O>> + Send {
        let Execution { rails, slot, operation, ctx, under_way, over } = self;
        operation.perform(*rails, slot, (ctx, under_way), over)
    }

    fn scope(&self) -> &RunScope {
        self.ctx
    }

    fn attempt(&self) -> u32 {
        self.ctx.attempt()
    }
}

/// Acts on the decision of the rails about a result. A skip accepts the result unchanged.
// The output comes by value. A reference would keep the output in memory even if no rail stops the event.
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

/// Replaces a failure with the substitute of the rails, or returns the error.
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
            if O::output_end(&output) == OperationEnd::Succeeded {
                ctx.replace_operation_end();
            }
            Ok(output)
        }
        // A skip without a substitute accepts the error.
        _ => Ok(O::unrescued(inputs, error).or_else(|error| O::answered(error, ctx))?),
    }
}

/// Returns the outcome of an event if a rail stopped the event.
#[inline(always)]
fn stopped<E: Event>(outcome: Outcome<E>) -> Option<Outcome<E>> {
    if matches!(outcome, Ok(Decision::Continue)) {
        // Not dropped: the outcome is empty, but the compiler would write code that looks for contents.
        mem::forget(outcome);
        return None;
    }
    Some(outcome)
}

/// Returns the answer if a rail ended the run with an answer.
#[cold]
fn answered<O: Kind>(over: AttemptOver, ctx: &mut RailContext) -> Result<O::Output, AttemptOver> {
    match over {
        AttemptOver::Failed(error) => Ok(O::answered(*error, ctx)?),
        again @ AttemptOver::Retry(_) => Err(again),
    }
}

/// Acts on the decision of the pre rails. If they skip the operation, returns the output that replaces its result.
// Inlined, because a call of this function took 28 instructions if no rail skips.
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
