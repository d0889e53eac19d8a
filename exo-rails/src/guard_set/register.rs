//! Registers a chain with a hook manager.

use std::sync::Arc;

use crate::chain::Chain;
use crate::event::Event;
use crate::guard_set::hook_manager::{HookHandle, HookManager};
use crate::rail::{EventList, EventVisitor, RailOn};

/// Adds a hook for each event on which the chain has rails.
pub(super) fn register<C: Chain + Send + Sync + 'static>(chain: C, hooks: &mut HookManager) -> Vec<HookHandle> {
    let mut registration = Registration { chain: Arc::new(chain), hooks, handles: Vec::new() };
    C::Events::visit(&mut registration);
    registration.handles
}

/// Adds a hook for each event on which the chain has rails.
struct Registration<'h, C> {
    chain: Arc<C>,
    hooks: &'h mut HookManager,
    handles: Vec<HookHandle>,
}

impl<C: Chain + Send + Sync + 'static> EventVisitor<C> for Registration<'_, C> {
    fn visit<E: Event>(&mut self)
    where
        C: RailOn<E>,
    {
        if C::EVENTS.contains(&E::POINT) {
            self.handles.push(self.hooks.add_rail::<E, C>(Arc::clone(&self.chain)));
        }
    }
}
