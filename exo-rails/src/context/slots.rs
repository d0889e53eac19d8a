//! Where the inputs of an operation lie while it has its permit.

use std::any::Any;
use std::fmt;
use std::mem;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::RunScope;

/// Where inputs lie while an operation has its permit.
#[derive(Debug)]
pub(crate) struct Place<T> {
    pub(crate) inputs: T,
    pub(crate) scope: Arc<RunScope>,
    pub(crate) step: u32,
    pub(crate) attempt: u32,
    is_closed: AtomicBool,
}

impl<T> Place<T> {
    /// Whether the guard of the operation is over.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }
}

impl<T> Deref for Place<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inputs
    }
}

/// Closes a place when it is dropped: the operation is over, or its guard was dropped. A permit that is left is worth nothing
/// from then on.
pub(crate) struct Open<'p, T>(pub(crate) &'p Place<T>);

impl<T> Drop for Open<'_, T> {
    fn drop(&mut self) {
        self.0.is_closed.store(true, Ordering::Release);
    }
}

/// The places that a context shares with permits: one for each type of inputs, allocated once, used by one operation
/// after the other. Empty inputs lie in a place between operations.
#[derive(Default)]
pub(crate) struct Slots {
    // Most contexts have operations of one kind: the first place needs no list.
    first: Option<Arc<dyn Any + Send + Sync>>,
    others: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Slots {
    /// Puts inputs into their place, for a permit to share. What was there lies in `inputs` until they are
    /// [taken back](Self::take_back).
    pub(crate) fn fill<T>(
        &mut self,
        inputs: &mut T,
        scope: &Arc<RunScope>,
        (step, attempt): (u32, u32),
    ) -> Arc<Place<T>>
    where
        T: Default + Send + Sync + 'static,
    {
        if let Some(mut place) = self.take::<T>()
            && let Some(unshared) = Arc::get_mut(&mut place)
        {
            mem::swap(&mut unshared.inputs, inputs);
            (unshared.step, unshared.attempt) = (step, attempt);
            *unshared.is_closed.get_mut() = false;
            if !Arc::ptr_eq(&unshared.scope, scope) {
                unshared.scope = Arc::clone(scope);
            }
            return place;
        }
        Arc::new(Place {
            inputs: mem::take(inputs),
            scope: Arc::clone(scope),
            step,
            attempt,
            is_closed: AtomicBool::new(false),
        })
    }

    fn take<T: Send + Sync + 'static>(&mut self) -> Option<Arc<Place<T>>> {
        match self.first.take()?.downcast() {
            Ok(place) => Some(place),
            Err(other) => {
                self.first = Some(other);
                self.take_other()
            }
        }
    }

    #[cold]
    fn take_other<T: Send + Sync + 'static>(&mut self) -> Option<Arc<Place<T>>> {
        let at = self.others.iter().position(|place| (**place).is::<Place<T>>())?;
        self.others.swap_remove(at).downcast().ok()
    }

    fn put(&mut self, place: Arc<dyn Any + Send + Sync>) {
        match self.first {
            None => self.first = Some(place),
            Some(_) => self.others.push(place),
        }
    }

    /// Takes the inputs back; whether the permit was given up. The inputs of one that was not are copied.
    pub(crate) fn take_back<T>(&mut self, mut place: Arc<Place<T>>, inputs: &mut T) -> bool
    where
        T: Clone + Send + Sync + 'static,
    {
        match Arc::get_mut(&mut place) {
            Some(unshared) => {
                mem::swap(&mut unshared.inputs, inputs);
                self.put(place);
                true
            }
            None => {
                inputs.clone_from(&place.inputs);
                false
            }
        }
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots").field("places", &(self.others.len() + usize::from(self.first.is_some()))).finish()
    }
}
