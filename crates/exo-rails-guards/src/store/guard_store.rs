//! The store of a guard.

use std::sync::Arc;

use exo_rails::RunScope;

use super::{MemoryStore, StateStore, StateStoreExt, TIME_LIMIT};

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
}

impl GuardStore {
    /// Makes a store for guards from any store. To let several guards share state, give each of them a clone.
    #[must_use]
    pub fn new(store: impl StateStore + 'static) -> Self {
        let enforced = store.within(TIME_LIMIT);
        let shadow = Arc::clone(&enforced).namespace("shadow");
        Self { enforced, shadow }
    }

    /// Returns the store to use at this event: the namespace for shadow if the guard runs in shadow, and otherwise the store
    /// itself. A rail passes its context.
    #[must_use]
    pub fn at(&self, scope: &RunScope) -> &Arc<dyn StateStore> {
        if scope.is_shadow() { &self.shadow } else { &self.enforced }
    }
}

impl Default for GuardStore {
    fn default() -> Self {
        Self::new(MemoryStore::new())
    }
}
