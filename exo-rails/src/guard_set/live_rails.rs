//! Rails that are attached and detached while agents run.

use std::fmt;
use std::sync::Arc;

use super::rail_manager::{DuplicateRail, ManagedRail, RailHandle, RailManager};
use crate::chain::{Serves, forward_to};
use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::Event;
use crate::point::IntoRailName;
use crate::rail::Reloadable;

/// A [`RailManager`] whose rails are attached and detached while agents run.
///
/// A clone refers to the same rails: give one to the agent and keep another one. The rails that are attached when an event
/// begins guard this event. So the rails after an operation may differ from the rails before it. A newly attached rail with
/// a `window` sees a streamed answer from the next piece on. A dispatch never waits while a rail is being attached.
///
/// To replace a rail or a whole chain by another one of the same type, use [`Reloadable`].
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
    rails: Reloadable<RailManager>,
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
    pub fn attach_named<R: ManagedRail>(&self, name: impl IntoRailName, rail: R) -> Result<RailHandle, DuplicateRail> {
        let (name, rail) = (name.into_rail_name(), Arc::new(rail));
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
        self.rails.current()
    }

    /// Changes a copy of the list, and replaces the list with the copy. Events that have begun keep the old list.
    fn change<T>(&self, mut change: impl FnMut(&mut RailManager) -> T) -> T {
        self.rails.change(|rails| {
            let mut rails = rails.clone();
            let changed = change(&mut rails);
            (rails, changed)
        })
    }
}

impl From<RailManager> for LiveRails {
    fn from(rails: RailManager) -> Self {
        Self { rails: Reloadable::new(rails) }
    }
}

impl fmt::Debug for LiveRails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LiveRails").field(&self.snapshot()).finish()
    }
}

impl<E: Event> Serves<E> for LiveRails {
    forward_to!(self => &self.rails; fact, surround, run_always_rails);

    fn run_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send {
        Serves::<E>::run_rails(&self.rails, payload, ctx)
    }
}
