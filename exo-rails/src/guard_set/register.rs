//! Registers a chain with a hook manager.

use std::fmt;
use std::sync::Arc;

use crate::chain::Chain;
use crate::event::Event;
use crate::guard_set::hook_manager::{HookHandle, HookManager};
use crate::point::HookPoint;
use crate::rail::{EventList, EventVisitor, RailOn, contains, facts};

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
        // The condition is a constant, so the compiler makes no code for the events on which the chain has no rails.
        if const { contains(C::EVENTS, E::POINT) } {
            self.handles.push(self.hooks.add_rail::<E, C>(Arc::clone(&self.chain)));
        }
    }
}

/// A chain that cannot be [registered](crate::GuardSet::try_register): one of its rails surrounds an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterError {
    /// The event that begins the operation.
    pub point: HookPoint,
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a rail surrounds the operation that `{}` begins, and a hook runs no operation: guard the agent or the operation \
             with the chain itself, or add it to a `RailManager`",
            self.point
        )
    }
}

impl std::error::Error for RegisterError {}

/// Returns the first event at which a rail of the chain surrounds the operation.
pub(super) fn surrounded<C: Chain>(chain: &C) -> Option<HookPoint> {
    let mut search = Surrounded { chain, found: None };
    C::Events::visit(&mut search);
    search.found
}

struct Surrounded<'c, C> {
    chain: &'c C,
    found: Option<HookPoint>,
}

impl<C: Chain> EventVisitor<C> for Surrounded<'_, C> {
    fn visit<E: Event>(&mut self)
    where
        C: RailOn<E>,
    {
        if self.found.is_none() && RailOn::<E>::fact::<facts::Surrounds>(self.chain) {
            self.found = Some(E::POINT);
        }
    }
}
