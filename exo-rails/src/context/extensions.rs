//! Values that rails share: for one event ([`Extensions`]) or for a run or session ([`SharedExtensions`]).

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::context::hook_state::HookState;
use crate::context::lock::{Lock, Locked};

type Values = HashMap<TypeId, Box<dyn Any + Send + Sync>>;

/// Typed values that the rails of **one event** share: empty at the start of each event that has rails.
///
/// There is at most one value of a type, so a rail wraps what it shares in a type of its own. Until the first
/// value is put in, it costs nothing.
///
/// ```
/// use exo_rails::prelude::*;
///
/// struct RateLimitLeft(u32);
///
/// #[rail(priority = 20, on = [PreLlmCall])]
/// fn rate_limit(ctx: &mut RailContext) {
///     ctx.extra.insert(RateLimitLeft(5));
/// }
///
/// #[rail(priority = 90, on = [PreLlmCall])]
/// fn log(ctx: &RailContext) {
///     if let Some(left) = ctx.extra.get::<RateLimitLeft>() {
///         println!("{} calls left", left.0);
///     }
/// }
/// ```
#[derive(Default)]
pub struct Extensions {
    // Boxed, so that a context that shares nothing carries one pointer.
    values: Option<Box<Values>>,
}

impl Extensions {
    /// Puts a value in; returns the one of this type that was there.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) -> Option<T> {
        let old = self.values.get_or_insert_default().insert(TypeId::of::<T>(), Box::new(value));
        old.and_then(|old| old.downcast().ok()).map(|old| *old)
    }

    /// The value of this type.
    #[must_use]
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.values.as_ref()?.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The value of this type, to be changed in place.
    pub fn get_mut<T: Any + Send + Sync>(&mut self) -> Option<&mut T> {
        self.values.as_mut()?.get_mut(&TypeId::of::<T>())?.downcast_mut()
    }

    /// Takes the value of this type out.
    pub fn remove<T: Any + Send + Sync>(&mut self) -> Option<T> {
        let value = self.values.as_mut()?.remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }

    /// Whether nothing has been put in since the event began.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.values.is_none()
    }

    /// Empties it, for the next event.
    pub(crate) fn clear(&mut self) {
        self.values = None;
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").field("values", &self.values.as_ref().map_or(0, |values| values.len())).finish()
    }
}

/// Typed values that live for a run, or for a session of several runs.
///
/// There is at most one value of a type. A clone is another handle to the same values, and [`SharedExtensions::update`]
/// is atomic: concurrent updates are applied one after the other and none is lost.
///
/// ```
/// use exo_rails::SharedExtensions;
///
/// #[derive(Clone, Copy, Default)]
/// struct Spent { tokens: u64 }
///
/// let store = SharedExtensions::default();
/// let handle = store.clone();
/// store.update(|spent: &mut Spent| spent.tokens += 40);
/// let total = handle.update(|spent: &mut Spent| { spent.tokens += 2; spent.tokens });
/// assert_eq!(total, 42);
/// ```
#[derive(Clone, Default)]
pub struct SharedExtensions {
    values: Arc<Lock<SharedValues>>,
}

type SharedValues = HashMap<TypeId, SharedValue>;

struct SharedValue {
    /// The name of its type, for people.
    type_name: &'static str,
    value: Box<dyn Any + Send + Sync>,
}

impl SharedValue {
    fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self { type_name: type_name::<T>(), value: Box::new(value) }
    }
}

impl SharedExtensions {
    /// Puts a value in; returns the one of this type that was there.
    pub fn insert<T: Any + Send + Sync>(&self, value: T) -> Option<T> {
        let old = self.lock().insert(TypeId::of::<T>(), SharedValue::new(value));
        old.and_then(|old| old.value.downcast().ok()).map(|old| *old)
    }

    /// A clone of the value of this type.
    #[must_use]
    pub fn get<T: Any + Send + Sync + Clone>(&self) -> Option<T> {
        self.read(T::clone)
    }

    /// What `read` returns for the value of this type.
    pub(super) fn read<T: Any + Send + Sync, R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        self.lock().get(&TypeId::of::<T>())?.value.downcast_ref().map(read)
    }

    /// The names of the types of which this is true, sorted.
    pub(super) fn type_names(&self, mut is_listed: impl FnMut(TypeId) -> bool) -> Vec<String> {
        let values = self.lock();
        let names = values.iter().filter(|(id, _)| is_listed(**id)).map(|(_, value)| value.type_name.to_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// Changes the value of this type, which starts as its default, and returns what `change` returns.
    ///
    /// Other calls on this store wait until `change` returns, so keep it short. If `change` panics, the value keeps the changes
    /// made so far.
    ///
    /// # Panics
    /// Panics where the call would otherwise wait for ever:
    /// - when `change`, or the `Default` or `Clone` of a value, uses the same store;
    /// - when two threads each change a value in one store and use the store of the other thread meanwhile. Use several stores one
    ///   after the other, or always in the same order.
    pub fn update<T: Any + Send + Sync + Default, R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut values = self.lock();
        let slot = values.entry(TypeId::of::<T>()).or_insert_with(|| SharedValue::new(T::default()));
        match slot.value.downcast_mut() {
            Some(value) => change(value),
            // The key is the value's type, so this branch is never taken; it keeps the function total.
            None => change(&mut T::default()),
        }
    }

    /// Takes the value of this type out.
    #[must_use]
    pub fn remove<T: Any + Send + Sync>(&self) -> Option<T> {
        let removed = self.lock().remove(&TypeId::of::<T>())?;
        removed.value.downcast().ok().map(|value| *value)
    }

    /// The values that have names in the place of types: a handle to the store's one [`HookState`].
    ///
    /// ```
    /// use exo_rails::SharedExtensions;
    ///
    /// let store = SharedExtensions::default();
    /// store.state().set("language", "de");
    /// assert_eq!(store.clone().state().get("language"), Some("de".into()));
    /// ```
    #[must_use]
    pub fn state(&self) -> HookState {
        self.update(|state: &mut HookState| state.clone())
    }

    fn lock(&self) -> Locked<'_, SharedValues> {
        self.values.lock()
    }
}

impl fmt::Debug for SharedExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whoever is changing a value may want to print the context that the store is in.
        let Some(values) = self.values.try_lock() else {
            return f.debug_struct("SharedExtensions").finish_non_exhaustive();
        };
        f.debug_struct("SharedExtensions").field("values", &values.len()).finish()
    }
}
