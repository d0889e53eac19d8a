//! Guarded memories: the rails decide about recalled and stored items.

use std::sync::Arc;

use futures_util::{FutureExt, TryFutureExt};

use super::guarded::{GuardedOnce, converted};
use super::permit::issue;
use crate::chain::{Serves, enter};
use crate::context::{CloseOnDrop, RailContext, Slot, Watch};
use crate::decision::Decision;
use crate::error::{OperationError, RunError};
use crate::event::{MemoryRecalled, MemoryStored};
use crate::guard_set::GuardSet;
use crate::message::{MemoryEntry, MemoryQuery, RecalledMemory};
use crate::point::HookPoint;
use crate::rail::facts;

/// Asks a memory, then runs the rails on its answer.
pub(super) async fn recall<R, F>(
    rails: &R,
    query: MemoryQuery,
    (ctx, watch): (&mut RailContext, &mut Watch),
    recall: F,
) -> Result<RecalledMemory, RunError>
where
    R: GuardSet,
    F: GuardedOnce<MemoryQuery, RecalledMemory>,
{
    ctx.ensure_running()?;
    ctx.begin_operation();
    let result = recalled(rails, query, (ctx, watch), recall).await;
    ctx.end_operation(result.as_ref().err());
    result
}

async fn recalled<R, F>(
    rails: &R,
    query: MemoryQuery,
    (ctx, watch): (&mut RailContext, &mut Watch),
    recall: F,
) -> Result<RecalledMemory, RunError>
where
    R: GuardSet,
    F: GuardedOnce<MemoryQuery, RecalledMemory>,
{
    let slot = ctx.take_slot(query);
    let open_slot = CloseOnDrop(&slot);
    // Like a model call: a dropped request changes nothing.
    let recalled = recall(issue(&slot)).map(converted::<_, OperationError>).err_into::<RunError>();
    let result = watch.unless_cancelled(recalled).await;
    drop(open_slot);
    let query = taken_back(slot, HookPoint::MemoryRecalled, ctx).await?;
    let mut memory = result?;
    let outcome = watch
        .unless_cancelled(enter::<MemoryRecalled, R>(rails, (&query, &mut memory), ctx).err_into::<RunError>())
        .await;
    match outcome? {
        Decision::Continue => Ok(memory),
        Decision::Skip(skip) => Ok(skip.substitute.unwrap_or_default()),
        Decision::Abort(abort) => Err(abort.into()),
    }
}

/// Runs the rails on an entry, then stores the entry unless a rail skips it.
pub(super) async fn store<R, F>(
    rails: &R,
    entry: MemoryEntry,
    (ctx, watch): (&mut RailContext, &mut Watch),
    store: F,
) -> Result<(), RunError>
where
    R: GuardSet,
    F: GuardedOnce<MemoryEntry, ()>,
{
    ctx.ensure_running()?;
    ctx.begin_operation();
    let result = stored(rails, entry, (ctx, watch), store).await;
    ctx.end_operation(result.as_ref().err());
    result
}

async fn stored<R, F>(
    rails: &R,
    mut entry: MemoryEntry,
    (ctx, watch): (&mut RailContext, &mut Watch),
    store: F,
) -> Result<(), RunError>
where
    R: GuardSet,
    F: GuardedOnce<MemoryEntry, ()>,
{
    let outcome = watch.unless_cancelled(enter::<MemoryStored, R>(rails, &mut entry, ctx).err_into::<RunError>()).await;
    match outcome? {
        Decision::Continue => {}
        Decision::Skip(_) => return Ok(()),
        Decision::Abort(abort) => return Err(abort.into()),
    }
    ctx.ensure_running()?;
    let mut slot = ctx.take_slot(entry);
    let is_provided = Serves::<MemoryStored>::fact::<facts::HasRails>(rails) && ctx.may_have_provided();
    if is_provided {
        ctx.provide_to(&mut slot);
    }
    let open_slot = CloseOnDrop(&slot);
    let result = converted::<(), OperationError>(store(issue(&slot)).await);
    drop(open_slot);
    taken_back(slot, HookPoint::MemoryStored, ctx).await?;
    if is_provided {
        ctx.drop_slot::<MemoryEntry>();
    }
    Ok(result?)
}

/// Takes the inputs back from the slot.
///
/// # Errors
/// Returns an error if the operation has kept its permit.
async fn taken_back<T: Clone + Send + Sync + 'static>(
    slot: Arc<Slot<T>>,
    event: HookPoint,
    ctx: &mut RailContext,
) -> Result<T, RunError> {
    match ctx.return_slot(slot) {
        Ok(inputs) => Ok(inputs),
        Err(slot) => match ctx.await_permit(slot).await {
            (inputs, false) => Ok(inputs),
            (_, true) => Err(RunError::PermitKept { event }),
        },
    }
}
