//! Rails that come and go while agents run.

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
/// A clone is another handle to the same rails: give one to the agent, and keep one. Each event is guarded by the rails that
/// are there when it begins. So the rails before an operation can be others than the rails after it, and a rail with a
/// `window` sees a streamed answer from the next piece on. A dispatch never waits for an attachment, and costs one lock more
/// than that of a manager.
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
    /// No rails yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Attaches a rail, as [`RailManager::add`] adds it: a rail, or a chain.
    ///
    /// # Errors
    /// When the rail is attached already.
    pub fn attach<R: ManagedRail>(&self, rail: R) -> Result<RailHandle, DuplicateRail> {
        let rail = Arc::new(rail);
        self.change(|rails| rails.add_shared(&rail))
    }

    /// Attaches a rail under a name, as [`RailManager::add_named`] adds it: several rails of one type have several names.
    ///
    /// # Errors
    /// When a rail of this name is attached already.
    pub fn attach_named<R: ManagedRail>(
        &self,
        name: impl Into<RailName>,
        rail: R,
    ) -> Result<RailHandle, DuplicateRail> {
        let (name, rail) = (name.into(), Arc::new(rail));
        self.change(|rails| rails.add_shared_named(name.clone(), &rail))
    }

    /// Detaches a rail; whether it was there. An event that has begun still asks it.
    #[expect(clippy::must_use_candidate, reason = "it is called for what it does")]
    pub fn detach(&self, handle: RailHandle) -> bool {
        self.change(|rails| rails.remove(handle))
    }

    /// The rails that are attached now. They stay as they are.
    #[must_use]
    pub fn snapshot(&self) -> Arc<RailManager> {
        Arc::clone(&self.rails.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes a copy of the list, and puts it in the place of the list. Events that have begun keep the old list.
    ///
    /// No lock is held while the list is changed or dropped, because that may run code of a rail, which may use the list.
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

    /// Replaces the list, unless another change was faster.
    fn replace(&self, before: &Arc<RailManager>, after: RailManager) -> bool {
        let mut rails = self.rails.write().unwrap_or_else(PoisonError::into_inner);
        let is_unchanged = Arc::ptr_eq(&rails, before);
        if is_unchanged {
            // `before` keeps the old list, so nothing is dropped here.
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

    // A rail that comes while an operation is guarded may change it.
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
