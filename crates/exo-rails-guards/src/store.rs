//! State stores keep the counts and records of guards longer than an event, a run or the process.
//!
//! The stores are those of the crate [`exo_rails_store`], which works without agents too:
//!
//! | store | who shares the state | when the state is lost |
//! |---|---|---|
//! | [`MemoryStore`] | the guards of one process | when the process ends |
//! | `FileStore`, feature `file-store` | the processes of one machine | when the file is removed. See `FileStore` for power failures |
//! | `RedisStore`, feature `redis` | processes on several machines | when the Redis server loses it |
//!
//! To use a store for a kit, call [`KitBuilder::store`](crate::kit::KitBuilder::store). To use it for a single guard, call the
//! guard's `with_store` with an `Arc<dyn StateStore>` or a [`GuardStore`]. A `GuardStore` adds a time limit, and a namespace for
//! guards in shadow. If a store fails or does not answer before a call, the guard [faults](exo_rails::RailFault), and the call
//! does not run.
//!
//! To write a guard with state, use the methods of [`StateStore`] and [`StateStoreExt`]. `StateStoreExt` adds
//! [typed records](StateStoreExt::update), [namespaces](StateStoreExt::namespace) and [time limits](StateStoreExt::within) to
//! every store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::RunScope;
#[cfg(feature = "file-store")]
#[cfg_attr(docsrs, doc(cfg(feature = "file-store")))]
pub use exo_rails_store::FileStore;
#[cfg(feature = "redis")]
#[cfg_attr(docsrs, doc(cfg(feature = "redis")))]
pub use exo_rails_store::RedisStore;
pub use exo_rails_store::{
    Change, Claim, Conflict, Counter, Expected, LogEntry, MAX_AMOUNT, MemoryStore, OverLimit, Record, Reservation,
    Reserved, StateStore, StateStoreExt, StoreError, StoreFuture, TIME_LIMIT, Version, Write, key,
};
use tokio::sync::Semaphore;

/// A [`StateStore`] for guards. It adds a [time limit](TIME_LIMIT) to each operation, and a namespace for guards in
/// [shadow](exo_rails::Mode::Shadow). So a guard in shadow does not use up the budget of an enforced guard.
///
/// The default is a [`MemoryStore`]. Clones share the state. This example is a rail that counts calls:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::store::{Claim, GuardStore};
/// use exo_rails_guards::StoreError;
/// use std::time::Duration;
///
/// /// Lets a user make a number of calls.
/// struct CallLimit { most: u64, store: GuardStore }
///
/// #[rail(priority = 20)]
/// impl CallLimit {
///     #[on(PreToolCall)]
///     async fn count(&self, ctx: &RailContext) -> Result<Verdict, StoreError> {
///         let store = self.store.at(ctx);
///         let claim = Claim { key: "calls/ada", amount: 1, limit: self.most, window: None };
///         let Ok(reservation) = store.reserve(&[claim], Duration::from_secs(60)).await? else {
///             return Ok(Verdict::abort("the calls are used up"));
///         };
///         store.settle(&reservation, &[1]).await?;
///         Ok(Verdict::Continue)
///     }
/// }
///
/// rail_chain! { struct Rails { limit: CallLimit } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let store = GuardStore::default();
/// let rails = |most| Rails { limit: CallLimit { most, store: store.clone() } };
/// let (shadow, enforced) = (rails(1).shadow(), rails(1));
/// let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("demo"));
/// for _ in 0..3 {
///     assert!(shadow.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
/// }
/// assert!(enforced.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
/// assert!(!enforced.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct GuardStore {
    enforced: Arc<dyn StateStore>,
    shadow: Arc<dyn StateStore>,
    places: Places,
}

/// The places of running calls in this process, by the names and the sizes of their limits. So a guard that replaces another one
/// counts the calls that run.
type Places = Arc<Mutex<HashMap<(String, usize), Arc<Semaphore>>>>;

impl GuardStore {
    /// Makes a store for guards from any store. To let several guards share state, give each of them a clone.
    #[must_use]
    pub fn new(store: impl StateStore + 'static) -> Self {
        let enforced = store.within(TIME_LIMIT);
        let shadow = Arc::clone(&enforced).namespace("shadow");
        Self { enforced, shadow, places: Arc::default() }
    }

    /// Returns the places of a limit in this process.
    pub(crate) fn places(&self, limit: String, most: usize) -> Arc<Semaphore> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        // A guard has the places of its limits. Those of earlier guards without a running call are free.
        places.retain(|(_, most), place| Arc::strong_count(place) > 1 || place.available_permits() < *most);
        Arc::clone(places.entry((limit, most)).or_insert_with(|| Arc::new(Semaphore::new(most))))
    }

    /// Returns the store to use at this event: the namespace for shadow if the guard runs in shadow, and otherwise the store
    /// itself. A rail passes its context.
    #[must_use]
    pub fn at(&self, scope: &RunScope) -> &Arc<dyn StateStore> {
        if scope.is_shadow() { &self.shadow } else { &self.enforced }
    }
}

impl From<Arc<dyn StateStore>> for GuardStore {
    fn from(store: Arc<dyn StateStore>) -> Self {
        Self::new(store)
    }
}

impl<S: StateStore + 'static> From<Arc<S>> for GuardStore {
    fn from(store: Arc<S>) -> Self {
        Self::new(store as Arc<dyn StateStore>)
    }
}

impl Default for GuardStore {
    fn default() -> Self {
        Self::new(MemoryStore::new())
    }
}
