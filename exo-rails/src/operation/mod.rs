//! Guarded operations: pre rails, the operation, post rails, and every decision acted on.

pub(crate) mod guard;
pub(crate) mod guarded;
pub(crate) mod kinds;
pub(crate) mod perform;
pub(crate) mod permit;
pub(crate) mod tool;
pub(crate) mod windows;

pub use guard::*;
pub use guarded::*;
pub use permit::*;
pub use tool::*;

use std::time::Duration;

use kinds::{Operation, Run};
use perform::{Made, Perform};

use crate::action::RetryRequest;
use crate::chain::{Serves, enter};
use crate::context::RailContext;
use crate::decision::{Decision, OnFault, RailIdentity, report};
use crate::error::{RailAbortError, RetriesExhausted, RunError};
use crate::event::{Error, Event};
use crate::guard_set::GuardSet;
use crate::message::{InvokeInputs, InvokeOutput};
use crate::point::{HookPoint, RailInfo, Reason};

/// How one attempt ends when it does not fail.
enum Attempt<T> {
    Done(T),
    Again(Again),
}

/// The retry that a rail asks for.
pub(crate) struct Again {
    by: &'static RailInfo,
    identity: RailIdentity,
    request: RetryRequest,
    // Not the context's event: a rail may have run another event in the same context.
    event: HookPoint,
}

/// Guards an operation: attempts it until it is done or fails.
///
/// Each attempt begins with the inputs as the caller gave them, so that a rail which rewrites them does not
/// rewrite its own work on a retry.
pub(crate) fn guard<O, R, P>(
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
            let again = match attempt::<O, R, P>(rails, inputs, ctx, &mut operation).await? {
                Attempt::Done(output) => return Ok(output),
                Attempt::Again(again) => again,
            };
            let delay = retries.take(again)?;
            ctx.pause(delay).await?;
            operation.again().await;
            if let Some(original) = &original {
                inputs.clone_from(original);
            }
        }
    }
}

/// Guards a run, and tells the observers of [`Error`] when it fails.
pub(crate) async fn guard_run<R, P>(
    rails: &R,
    mut inputs: InvokeInputs,
    ctx: &mut RailContext,
    run: P,
) -> Result<InvokeOutput, RunError>
where
    R: GuardSet + ?Sized,
    P: Perform<Run>,
{
    let result = guard::<Run, R, _>(rails, &mut inputs, ctx, run).await;
    if let Err(error) = &result
        && let Err(fault) = enter::<Error, R>(rails, (&inputs, error), ctx).await
    {
        // A guard set of somebody's own that fails here must not hide the error that it was told of.
        report(&fault, OnFault::Continue);
    }
    result
}

/// One attempt: pre rails, operation, post rails.
fn attempt<O, R, P>(
    rails: &R,
    inputs: &mut O::Inputs,
    ctx: &mut RailContext,
    operation: &mut P,
) -> impl Future<Output = Result<Attempt<O::Output>, RunError>> + Send
where
    O: Operation,
    R: Serves<O::Pre> + Serves<O::Post> + GuardSet + ?Sized,
    P: Perform<O>,
{
    async move {
        let decided = match enter::<O::Pre, R>(rails, O::pre(inputs), ctx).await {
            Ok(Decision::Continue) => None,
            stopped => decided::<O>(stopped?, inputs, ctx)?,
        };
        let (mut output, leaves) = match performed::<O, R, P>(rails, inputs, ctx, operation, decided).await? {
            Made::Whole(output) => (output, true),
            Made::Delivered(output) => (output, false),
            Made::Again(again) => return Ok(Attempt::Again(again)),
        };
        if leaves && let Some(again) = operation.deliver(rails, inputs, &mut output, ctx).await? {
            return Ok(Attempt::Again(again));
        }
        let again = match enter::<O::Post, R>(rails, O::post(inputs, &mut output), ctx).await {
            Ok(Decision::Continue) => None,
            stopped => settle(stopped?, O::Post::POINT, drop)?.again(),
        };
        Ok(again.map_or(Attempt::Done(output), Attempt::Again))
    }
}

/// What the pre rails have made of the operation; `None` when it is to happen.
#[cold]
fn decided<O: Operation>(
    decision: Decision<O::Output>,
    inputs: &O::Inputs,
    ctx: &mut RailContext,
) -> Result<Option<Made<O::Output>>, RailAbortError> {
    Ok(match settle(decision, O::Pre::POINT, |skip| substitute::<O>(skip, inputs, ctx))? {
        Settled::Proceed => None,
        Settled::Done(output) => Some(Made::Whole(output)),
        Settled::Again(again) => Some(Made::Again(again)),
    })
}

/// Does the operation, unless the pre rails have decided what it comes to; when it fails, asks the rails what to do.
fn performed<O, R, P>(
    rails: &R,
    inputs: &mut O::Inputs,
    ctx: &mut RailContext,
    operation: &mut P,
    decided: Option<Made<O::Output>>,
) -> impl Future<Output = Result<Made<O::Output>, RunError>> + Send
where
    O: Operation,
    R: GuardSet + ?Sized,
    P: Perform<O>,
{
    async move {
        if let Some(made) = decided {
            return Ok(made);
        }
        let error = match permitted::<O, R, P>(rails, inputs, ctx, operation).await? {
            Ok(made) => return Ok(made),
            Err(error) => error,
        };
        let decision = O::failed(rails, inputs, &error, ctx).await?;
        Ok(match settle(decision, O::FAILED, |skip| rescue(skip, ctx))? {
            Settled::Done(Some(output)) => Made::Whole(output),
            Settled::Again(again) => Made::Again(again),
            // A skip without a substitute accepts what there is: the error.
            Settled::Proceed | Settled::Done(None) => Made::Whole(O::unrescued(inputs, error)?),
        })
    }
}

/// Does the operation with a permit, and takes the inputs back from it.
fn permitted<O, R, P>(
    rails: &R,
    inputs: &mut O::Inputs,
    ctx: &mut RailContext,
    operation: &mut P,
) -> impl Future<Output = Result<Result<Made<O::Output>, O::Error>, RunError>> + Send
where
    O: Operation,
    R: GuardSet + ?Sized,
    P: Perform<O>,
{
    async move {
        // Cancelled while the rails were asked: then nothing begins any more.
        ctx.ensure_running()?;
        let shared = ctx.lend(inputs);
        let made = operation.perform(rails, permit::issue(&shared), &shared, ctx).await;
        match ctx.slots.take_back(shared, inputs) {
            Ok(()) => made,
            Err(kept) => {
                *inputs = O::Inputs::clone(&kept);
                Err(RunError::PermitKept { event: O::Pre::POINT })
            }
        }
    }
}

/// What a decision means for the attempt.
enum Settled<T> {
    Proceed,
    Done(T),
    Again(Again),
}

impl<T> Settled<T> {
    /// The retry, when it is one.
    fn again(self) -> Option<Again> {
        match self {
            Self::Again(again) => Some(again),
            Self::Proceed | Self::Done(_) => None,
        }
    }
}

/// A skip, taken out of its decision.
type Skipped<S> = (&'static RailInfo, Reason, Option<S>);

/// Acts on a decision; what a skip gives, the caller says.
fn settle<S, T>(
    decision: Decision<S>,
    event: HookPoint,
    skip: impl FnOnce(Skipped<S>) -> T,
) -> Result<Settled<T>, RailAbortError> {
    match decision {
        Decision::Continue => Ok(Settled::Proceed),
        Decision::Skip { by, reason, substitute } => Ok(Settled::Done(skip((by, reason, substitute)))),
        Decision::Retry { by, identity, request } => Ok(Settled::Again(Again { by, identity, request, event })),
        Decision::Abort(abort) => Err(abort),
    }
}

/// What stands in for the result of an operation that a rail has skipped.
fn substitute<O: Operation>(
    (by, reason, substitute): Skipped<O::Output>,
    inputs: &O::Inputs,
    ctx: &mut RailContext,
) -> O::Output {
    ctx.set_substituted_by(by);
    substitute.unwrap_or_else(|| O::skipped(inputs, by, &reason))
}

/// What a rail puts in the place of a failure, if it does.
fn rescue<T>((by, _, substitute): Skipped<T>, ctx: &mut RailContext) -> Option<T> {
    if substitute.is_some() {
        ctx.set_substituted_by(by);
    }
    substitute
}

/// How often the operation has been retried: for each rail that asked, and in total.
#[derive(Default)]
struct Retries {
    of_rail: Vec<((RailIdentity, &'static RailInfo), u32)>,
    total: u32,
}

impl Retries {
    /// Counts one more retry of this rail, unless it has none left; returns how long to wait.
    fn take(&mut self, again: Again) -> Result<Duration, RetriesExhausted> {
        let Again { by, identity, request, event } = again;
        // Types of two blocks can have the same name, and then stand at different places.
        let asks = (identity, by);
        let at = self.of_rail.iter().position(|(rail, _)| *rail == asks).unwrap_or_else(|| {
            self.of_rail.push((asks, 0));
            self.of_rail.len() - 1
        });
        let used = &mut self.of_rail[at].1;
        if *used >= request.max_retries {
            return Err(RetriesExhausted {
                rail_name: by.name,
                event,
                attempts: self.total + 1,
                max_retries: request.max_retries,
                reason: request.reason,
            });
        }
        *used += 1;
        self.total += 1;
        Ok(request.delay)
    }
}
