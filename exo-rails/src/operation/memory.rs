//! Guarded memories: what they recall, and what they store.

use std::sync::Arc;

use super::failure::IntoFailure;
use super::guarded::Guarded;
use super::permit::issue;
use crate::chain::enter;
use crate::context::{CloseOnDrop, RailContext, Slot};
use crate::decision::Decision;
use crate::error::{OperationError, RunError};
use crate::event::{MemoryRecalled, MemoryStored};
use crate::guard_set::GuardSet;
use crate::message::{MemoryEntry, MemoryQuery, RecalledMemory};
use crate::point::HookPoint;

/// Asks a memory, and then the rails about what it has recalled.
pub(super) async fn recall<R, F>(
    rails: &R,
    query: MemoryQuery,
    ctx: &mut RailContext,
    mut recall: F,
) -> Result<RecalledMemory, RunError>
where
    R: GuardSet,
    F: Guarded<MemoryQuery, RecalledMemory, OperationError, Future: Send, Value: Send, Error: Send> + Send,
{
    ctx.ensure_running()?;
    ctx.begin_attempt(0);
    let mut slot = ctx.take_slot(query);
    open(&mut slot, HookPoint::MemoryRecalled, ctx)?;
    let open_slot = CloseOnDrop(&slot);
    // Like a call of the model: a question that nobody waits for changes nothing.
    let result = ctx.unless_cancelled(recall(issue(&slot))).await;
    drop(open_slot);
    unshared(&mut slot, HookPoint::MemoryRecalled)?;
    let result = result.ok_or(RunError::Cancelled)?;
    let mut memory = result.map_err(IntoFailure::<OperationError>::into_failure)?.into();
    let decision = enter::<MemoryRecalled, R>(rails, (slot.inputs(), &mut memory), ctx).await?;
    ctx.return_slot(slot);
    match decision {
        Decision::Continue => Ok(memory),
        Decision::Skip(skip) => Ok(skip.substitute.unwrap_or_default()),
        Decision::Abort(abort) => Err(abort.into()),
    }
}

/// Asks the rails about what a memory is to store, and has it stored, unless they skip it.
pub(super) async fn store<R, F>(
    rails: &R,
    entry: MemoryEntry,
    ctx: &mut RailContext,
    mut store: F,
) -> Result<(), RunError>
where
    R: GuardSet,
    F: Guarded<MemoryEntry, (), OperationError, Future: Send, Value: Send, Error: Send> + Send,
{
    ctx.ensure_running()?;
    ctx.begin_attempt(0);
    let mut slot = ctx.take_slot(entry);
    let entry = open(&mut slot, HookPoint::MemoryStored, ctx)?.inputs_mut();
    match enter::<MemoryStored, R>(rails, entry, ctx).await? {
        Decision::Continue => {}
        Decision::Skip(_) => return Ok(()),
        Decision::Abort(abort) => return Err(abort.into()),
    }
    ctx.ensure_running()?;
    let open_slot = CloseOnDrop(&slot);
    let result = store(issue(&slot)).await;
    drop(open_slot);
    unshared(&mut slot, HookPoint::MemoryStored)?;
    ctx.return_slot(slot);
    result.map(Into::into).map_err(|error| IntoFailure::<OperationError>::into_failure(error).into())
}

/// Opens the slot for its permit.
fn open<'s, T>(slot: &'s mut Arc<Slot<T>>, event: HookPoint, ctx: &RailContext) -> Result<&'s mut Slot<T>, RunError> {
    let slot = unshared(slot, event)?;
    slot.open(ctx.step(), 0);
    Ok(slot)
}

/// The slot, which no permit shares.
///
/// # Errors
/// When the memory has kept its permit.
fn unshared<T>(slot: &mut Arc<Slot<T>>, event: HookPoint) -> Result<&mut Slot<T>, RunError> {
    Arc::get_mut(slot).ok_or(RunError::PermitKept { event })
}
