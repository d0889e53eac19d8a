//! Rails that are attached and detached while agents run.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::rail_manager::{DuplicateRail, ManagedRail, RailHandle, RailManager};
use crate::chain::Serves;
use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::{Begins, Event, Next, Operation, OperationResult};
use crate::point::RailName;

/// A [`RailManager`] whose rails are attached and detached while agents run.
///
/// A clone refers to the same rails: give one to the agent and keep another one. The rails that are attached when an event
/// begins guard this event. So the rails after an operation may differ from the rails before it. A newly attached rail with
/// a `window` sees a streamed answer from the next piece on. A dispatch never waits while a rail is being attached, and
/// costs one lock more than the dispatch of a manager.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{DuplicateRail, LiveRails};
///
/// #[rail(on = [PreToolCall])]
/// fn no_tools() -> Verdict { Verdict::abort("maintenance") }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let rails = LiveRails::new();
/// let of_the_agent = rails.clone();
/// let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("demo"));
/// assert!(of_the_agent.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
///
/// let handle = rails.attach(no_tools {})?;
/// assert!(!of_the_agent.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
///
/// assert!(rails.detach(handle));
/// assert!(of_the_agent.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct LiveRails {
    rails: Arc<RwLock<Arc<RailManager>>>,
}

impl LiveRails {
    /// Creates an empty list of rails.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Attaches a rail or a chain, like [`RailManager::add`].
    ///
    /// # Errors
    /// Returns an error if a rail of this type is already attached without a name.
    pub fn attach<R: ManagedRail>(&self, rail: R) -> Result<RailHandle, DuplicateRail> {
        let rail = Arc::new(rail);
        self.change(|rails| rails.add_shared(&rail))
    }

    /// Attaches a rail under a name, like [`RailManager::add_named`]. Several rails of one type need different names.
    ///
    /// # Errors
    /// Returns an error if a rail of this name is already attached.
    pub fn attach_named<R: ManagedRail>(
        &self,
        name: impl Into<RailName>,
        rail: R,
    ) -> Result<RailHandle, DuplicateRail> {
        let (name, rail) = (name.into(), Arc::new(rail));
        self.change(|rails| rails.add_shared_named(name.clone(), &rail))
    }

    /// Detaches a rail. Returns `true` if the rail was attached. An event that has already begun still runs it.
    #[expect(clippy::must_use_candidate, reason = "it is called for what it does")]
    pub fn detach(&self, handle: RailHandle) -> bool {
        self.change(|rails| rails.remove(handle))
    }

    /// Returns the rails that are attached now. Later changes do not affect the snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Arc<RailManager> {
        Arc::clone(&self.rails.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes a copy of the list, and replaces the list with the copy. Events that have begun keep the old list.
    ///
    /// Changing or dropping a list may run code of a rail, and this code may use the list. So the method holds no lock
    /// meanwhile.
    fn change<T>(&self, mut change: impl FnMut(&mut RailManager) -> T) -> T {
        loop {
            let before = self.snapshot();
            let mut after = RailManager::clone(&before);
            let changed = change(&mut after);
            if self.replace(&before, after) {
                return changed;
            }
        }
    }

    /// Replaces the list. Returns `false` if another change has replaced it since `before`.
    fn replace(&self, before: &Arc<RailManager>, after: RailManager) -> bool {
        let mut rails = self.rails.write().unwrap_or_else(PoisonError::into_inner);
        let is_unchanged = Arc::ptr_eq(&rails, before);
        if is_unchanged {
            // `before` keeps the old list alive, so this drops no rail while the lock is held.
            *rails = Arc::new(after);
        }
        is_unchanged
    }
}

impl From<RailManager> for LiveRails {
    fn from(rails: RailManager) -> Self {
        Self { rails: Arc::new(RwLock::new(Arc::new(rails))) }
    }
}

impl fmt::Debug for LiveRails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LiveRails").field(&self.snapshot()).finish()
    }
}

impl<E: Event> Serves<E> for LiveRails {
    fn has_rails(&self) -> bool {
        Serves::<E>::has_rails(&*self.snapshot())
    }

    // A rail that is attached while an operation is guarded may change the payload.
    fn may_rewrite(&self) -> bool {
        true
    }

    fn stream_window(&self) -> usize {
        Serves::<E>::stream_window(&*self.snapshot())
    }

    async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        let rails = self.snapshot();
        Serves::<E>::run_rails(&*rails, E::reborrow(&mut payload), ctx).await
    }

    async fn run_always_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        let rails = self.snapshot();
        Serves::<E>::run_always_rails(&*rails, E::reborrow(&mut payload), ctx).await;
    }

    async fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> OperationResult<E::Operation>
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        let rails = self.snapshot();
        Serves::<E>::surround(&*rails, inputs, next).await
    }
}
