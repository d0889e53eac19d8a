//! Values that rails share during an event ([`Extensions`]), or during a run or session ([`SharedExtensions`]).

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::context::hook_state::HookState;
use crate::context::lock::{Lock, Locked};

type Values = HashMap<TypeId, Box<dyn Any + Send + Sync>>;

/// Typed values that the rails of **one event** share. They are empty at the start of each event that has rails.
///
/// There is at most one value of each type, so define a type for each value that your rails share. An empty
/// `Extensions` allocates nothing.
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
    // Boxed, so that an empty `Extensions` is one pointer.
    values: Option<Box<Values>>,
}

impl Extensions {
    /// Inserts a value. Returns the previous value of this type.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) -> Option<T> {
        let old = self.values.get_or_insert_default().insert(TypeId::of::<T>(), Box::new(value));
        old.and_then(|old| old.downcast().ok()).map(|old| *old)
    }

    /// Returns the value of this type.
    #[must_use]
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.values.as_ref()?.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Returns a mutable reference to the value of this type.
    pub fn get_mut<T: Any + Send + Sync>(&mut self) -> Option<&mut T> {
        self.values.as_mut()?.get_mut(&TypeId::of::<T>())?.downcast_mut()
    }

    /// Removes the value of this type and returns it.
    pub fn remove<T: Any + Send + Sync>(&mut self) -> Option<T> {
        let value = self.values.as_mut()?.remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }

    /// Returns whether no rail has inserted a value since the event started.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.values.is_none()
    }

    /// Removes all values, for the next event.
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
/// There is at most one value of each type. A clone is another handle to the same values. [`SharedExtensions::update`]
/// is atomic: concurrent updates run one after the other, and none is lost.
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
    values: BareExtensions,
    /// The real store, if this is the store of a rail in shadow. Reads go there if this store has no value of the type.
    real: Option<BareExtensions>,
}

/// A handle to shared values, without the store behind it.
#[derive(Clone, Default)]
pub(super) struct BareExtensions(Arc<Lock<SharedValues>>);

impl BareExtensions {
    /// Makes a store with a copy of these named values.
    pub(super) fn with_state(state: Map<String, Value>) -> Self {
        let store = SharedExtensions::default();
        store.state().restore(state);
        store.values
    }

    fn read<T: Any + Send + Sync, R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        self.0.lock().get(&TypeId::of::<T>())?.value.downcast_ref().map(read)
    }

    fn has(&self, type_id: TypeId) -> bool {
        self.0.lock().contains_key(&type_id)
    }
}

type SharedValues = HashMap<TypeId, SharedValue>;

struct SharedValue {
    /// The name of the value's type, for messages.
    type_name: &'static str,
    value: Box<dyn Any + Send + Sync>,
    /// How a saved run has the value, if a rail keeps it.
    kept: Option<Kept>,
}

/// How a value is saved that a rail keeps.
#[derive(Clone, Copy)]
struct Kept {
    name: &'static str,
    save: fn(&(dyn Any + Send + Sync)) -> Option<serde_json::Result<Value>>,
}

impl Kept {
    fn of<T: Any + Serialize>(name: &'static str) -> Self {
        Self { name, save: |value| value.downcast_ref::<T>().map(serde_json::to_value) }
    }
}

/// The kept values of a resumed run that no rail has asked for yet.
#[derive(Default)]
pub(super) struct Waiting(pub(super) Map<String, Value>);

impl SharedValue {
    fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self { type_name: type_name::<T>(), value: Box::new(value), kept: None }
    }
}

impl SharedExtensions {
    /// Inserts a value. Returns the previous value of this type.
    pub fn insert<T: Any + Send + Sync>(&self, value: T) -> Option<T> {
        let mut values = self.lock();
        let mut new = SharedValue::new(value);
        new.kept = values.get(&TypeId::of::<T>()).and_then(|old| old.kept);
        let old = values.insert(TypeId::of::<T>(), new);
        old.and_then(|old| old.value.downcast().ok()).map(|old| *old)
    }

    /// Returns a clone of the value of this type.
    #[must_use]
    pub fn get<T: Any + Send + Sync + Clone>(&self) -> Option<T> {
        self.read(T::clone)
    }

    /// Calls `read` with the value of this type, and returns the result.
    pub(super) fn read<T: Any + Send + Sync, R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        match &self.real {
            Some(below) if !self.values.has(TypeId::of::<T>()) => below.read(read),
            _ => self.values.read(read),
        }
    }

    /// Calls `read` with each value of this type: the value here, and the value in the real store.
    pub(super) fn read_all<T: Any + Send + Sync>(&self, mut read: impl FnMut(&T)) {
        self.values.read(&mut read);
        if let Some(real) = &self.real {
            real.read(&mut read);
        }
    }

    /// Returns a store with these values, which reads from this store.
    pub(super) fn with_own(&self, own: BareExtensions) -> Self {
        Self { values: own, real: Some(self.values.clone()) }
    }

    /// Returns the names of the types that no rail keeps and for which `is_listed` is true, sorted.
    pub(super) fn type_names(&self, mut is_listed: impl FnMut(TypeId) -> bool) -> Vec<String> {
        let values = self.lock();
        let names = values
            .iter()
            .filter(|(id, value)| value.kept.is_none() && is_listed(**id))
            .map(|(_, value)| value.type_name.to_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// Changes the value of this type and returns the result of `change`. If there is no value, `update` inserts the
    /// default first.
    ///
    /// Other calls on this store wait until `change` returns, so keep `change` short. If `change` panics, the value
    /// keeps the changes made so far.
    ///
    /// # Panics
    /// Panics if the call would wait forever:
    /// - `change`, or the `Default` or `Clone` of a value, uses the same store;
    /// - two threads each change a value in one store, and meanwhile use the store of the other thread. Use several
    ///   stores one after the other, or always in the same order.
    pub fn update<T: Any + Send + Sync + Default, R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut values = self.lock();
        let slot = values.entry(TypeId::of::<T>()).or_insert_with(|| SharedValue::new(T::default()));
        match slot.value.downcast_mut() {
            Some(value) => change(value),
            // The key is the type of the value, so this branch never runs. It keeps the function total.
            None => change(&mut T::default()),
        }
    }

    /// Changes the value of this type like [`update`](Self::update), and keeps it: [`RunContext::save`] writes the value
    /// under this name, each time that it saves the run. So the value in a saved run is never older than the run. In a
    /// resumed run, the first call of `update_kept` reads the saved value. If there is none, it inserts the default.
    ///
    /// A rail keeps its own values in this way, without a [`KeptValues`](crate::KeptValues) of the program. The values of a
    /// session and of rails in shadow are not saved with a run.
    ///
    /// ```
    /// use exo_rails::RunContext;
    ///
    /// #[derive(Default, serde::Serialize, serde::Deserialize)]
    /// struct ToolCalls(u32);
    ///
    /// let count = |ctx: &RunContext| {
    ///     ctx.run.update_kept("tool_calls", |calls: &mut ToolCalls| {
    ///         calls.0 += 1;
    ///         calls.0
    ///     })
    /// };
    /// let ctx = RunContext::new("support");
    /// assert_eq!(count(&ctx)?, 1);
    /// let saved = ctx.save(&Default::default())?;
    ///
    /// let mut ctx = RunContext::new("support");
    /// ctx.restore(saved, &Default::default())?;
    /// assert_eq!(count(&ctx)?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the saved value is not a `T`. It stays where it is, so the next call returns the error too.
    ///
    /// # Panics
    /// Panics where [`update`](Self::update) does.
    ///
    /// [`RunContext::save`]: crate::RunContext::save
    pub fn update_kept<T, R>(&self, name: &'static str, change: impl FnOnce(&mut T) -> R) -> serde_json::Result<R>
    where
        T: Any + Send + Sync + Default + Serialize + DeserializeOwned,
    {
        let mut values = self.lock();
        if !values.contains_key(&TypeId::of::<T>()) {
            let waiting = values.get_mut(&TypeId::of::<Waiting>());
            let waiting = waiting.and_then(|waiting| waiting.value.downcast_mut::<Waiting>());
            let value = match waiting.as_ref().and_then(|Waiting(waiting)| waiting.get(name)) {
                Some(saved) => T::deserialize(saved)?,
                None => T::default(),
            };
            if let Some(Waiting(waiting)) = waiting {
                waiting.remove(name);
            }
            values.insert(TypeId::of::<T>(), SharedValue::new(value));
        }
        let slot = values.entry(TypeId::of::<T>()).or_insert_with(|| SharedValue::new(T::default()));
        slot.kept.get_or_insert_with(|| Kept::of::<T>(name));
        Ok(match slot.value.downcast_mut() {
            Some(value) => change(value),
            // As in `update`.
            None => change(&mut T::default()),
        })
    }

    /// Writes the values that rails keep, and those that wait for their rails. Leaves out the types for which `is_saved` is true.
    pub(super) fn kept(&self, is_saved: impl Fn(TypeId) -> bool) -> serde_json::Result<Map<String, Value>> {
        let mut saved = self.read(|Waiting(waiting)| waiting.clone()).unwrap_or_default();
        for (_, SharedValue { value, kept, .. }) in self.lock().iter().filter(|(id, _)| !is_saved(**id)) {
            if let Some(kept) = kept
                && let Some(value) = (kept.save)(&**value)
            {
                saved.insert(kept.name.to_owned(), value?);
            }
        }
        Ok(saved)
    }

    /// Removes the value of this type and returns it.
    #[must_use]
    pub fn remove<T: Any + Send + Sync>(&self) -> Option<T> {
        let removed = self.lock().remove(&TypeId::of::<T>())?;
        removed.value.downcast().ok().map(|value| *value)
    }

    /// Returns the values that have names instead of types. All calls on one store return a handle to the same
    /// [`HookState`].
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
        self.values.0.lock()
    }
}

impl fmt::Debug for SharedExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A caller that is changing a value may want to print the context with this store.
        let Some(values) = self.values.0.try_lock() else {
            return f.debug_struct("SharedExtensions").finish_non_exhaustive();
        };
        f.debug_struct("SharedExtensions").field("values", &values.len()).finish()
    }
}
