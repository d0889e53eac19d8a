//! Slots, which hold the inputs of an operation while it runs.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{ProvidedValues, RunScope};

const FILLED: &str = "a slot is given out with inputs, and emptied when it is given back";

/// A place for the inputs of an operation while it runs. The permit of the operation shares the slot.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    /// Empty between operations.
    inputs: Option<T>,
    /// The values that the rails before the operation have provided.
    pub(crate) provided: Option<Box<ProvidedValues>>,
    pub(crate) scope: Arc<RunScope>,
    pub(crate) step: u32,
    pub(crate) attempt: u32,
    /// Whether the context of the slot is for an operation inside another operation.
    pub(crate) is_nested: bool,
    is_closed: AtomicBool,
}

impl<T> Slot<T> {
    /// Returns the inputs of the operation.
    pub(crate) fn inputs(&self) -> &T {
        match &self.inputs {
            Some(inputs) => inputs,
            None => unreachable!("{FILLED}"),
        }
    }

    /// Returns whether the guard of the operation has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }
}

/// Closes a slot when the operation ends, or when its guard is dropped. A permit that still exists then is invalid.
pub(crate) struct CloseOnDrop<'s, T>(pub(crate) &'s Slot<T>);

impl<T> Drop for CloseOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.is_closed.store(true, Ordering::Release);
    }
}

/// The slots of a context, one for each type of inputs. A slot is allocated once, and one operation after the other
/// uses it. Between operations, a slot is empty.
#[derive(Default)]
pub(crate) struct Slots {
    // Most contexts have operations of one kind, so the first slot needs no list.
    first: Option<Arc<dyn Any + Send + Sync>>,
    others: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Slots {
    /// Returns a slot with these inputs for one attempt. The attempt [gives it back](Self::put).
    #[inline(always)]
    pub(crate) fn take_for<T: Send + Sync + 'static>(
        &mut self,
        inputs: T,
        scope: &Arc<RunScope>,
        (step, attempt): (u32, u32),
        is_nested: bool,
    ) -> Arc<Slot<T>> {
        if let Some(mut slot) = self.take::<T>()
            && let Some(unshared) = Arc::get_mut(&mut slot)
        {
            unshared.inputs = Some(inputs);
            (unshared.step, unshared.attempt) = (step, attempt);
            *unshared.is_closed.get_mut() = false;
            if !Arc::ptr_eq(&unshared.scope, scope) {
                unshared.scope = Arc::clone(scope);
            }
            return slot;
        }
        Arc::new(Slot {
            inputs: Some(inputs),
            provided: None,
            scope: Arc::clone(scope),
            step,
            attempt,
            is_nested,
            is_closed: AtomicBool::new(false),
        })
    }

    fn take<T: Send + Sync + 'static>(&mut self) -> Option<Arc<Slot<T>>> {
        match self.first.take()?.downcast() {
            Ok(slot) => Some(slot),
            Err(other) => {
                self.first = Some(other);
                self.take_other()
            }
        }
    }

    #[cold]
    fn take_other<T: Send + Sync + 'static>(&mut self) -> Option<Arc<Slot<T>>> {
        let at = self.others.iter().position(|slot| (**slot).is::<Slot<T>>())?;
        self.others.swap_remove(at).downcast().ok()
    }

    /// Takes a slot back, and takes the inputs out.
    ///
    /// # Errors
    /// Returns the slot if a permit still shares it. The slot then keeps its inputs.
    #[inline(always)]
    pub(crate) fn put<T: Send + Sync + 'static>(&mut self, mut slot: Arc<Slot<T>>) -> Result<T, Arc<Slot<T>>> {
        let Some(inputs) = Arc::get_mut(&mut slot).and_then(|unshared| unshared.inputs.take()) else {
            return Err(slot);
        };
        match self.first {
            None => self.first = Some(slot),
            Some(_) => self.others.push(slot),
        }
        Ok(inputs)
    }

    /// Drops the slot for operations of this kind, because it has values that belong to one operation.
    #[cold]
    pub(crate) fn drop_slot<T: Send + Sync + 'static>(&mut self) {
        drop(self.take::<T>());
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots").field("slots", &(self.others.len() + usize::from(self.first.is_some()))).finish()
    }
}
