//! The identity of calls.

use std::collections::VecDeque;
use std::sync::Arc;

use exo_rails::RailContext;

/// The largest number of calls of a run whose fallbacks are known.
const MOST_FALLBACKS: usize = 256;

/// The operations that guards follow from their beginning to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Model,
    Tool,
}

/// The identity of a call.
///
/// A guard borrows the context of a call until the call has ended, so the address of the context is unique among the running
/// calls. A rail in shadow gets a new context for each event. In shadow, only the order tells calls at the same place of the
/// run apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallId {
    operation: Operation,
    step: u32,
    number: u32,
    address: usize,
}

impl CallId {
    pub(crate) fn of(operation: Operation, ctx: &RailContext) -> Self {
        let address = if ctx.is_shadow() { 0 } else { std::ptr::from_ref(ctx).addr() };
        Self { operation, step: ctx.step(), number: ctx.call_number(), address }
    }

    /// Returns whether what is known about a call with the other id is about this one. In shadow, the place of the call decides.
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        let place = |id: &Self| (id.operation, id.step, id.number);
        if self.is_unique() { self == other } else { place(self) == place(other) }
    }

    /// Returns whether the id is unique among the running calls. In shadow, it is not.
    pub(crate) const fn is_unique(&self) -> bool {
        self.address != 0
    }
}

/// What the fallbacks of a call have done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fallbacks {
    /// How many of them have run.
    pub(crate) ran: u32,
    /// Whether one of them has succeeded.
    pub(crate) has_succeeded: bool,
    /// How many of them have ended in an unknown way.
    pub(crate) unknown: u32,
    /// The name of the tool or the model whose result has replaced the failure.
    pub(crate) used: Option<Arc<str>>,
}

/// The fallbacks of the calls of a run: a value in `ctx.run`. Only the rails of one call read its entry.
#[derive(Clone, Debug, Default)]
struct FallbacksOfCalls(VecDeque<(CallId, Fallbacks)>);

impl Fallbacks {
    /// Notes what the fallbacks of the call have done.
    pub(crate) fn note(self, operation: Operation, ctx: &RailContext) {
        let call = CallId::of(operation, ctx);
        ctx.run.update(|FallbacksOfCalls(calls): &mut FallbacksOfCalls| {
            calls.retain(|(of, _)| *of != call);
            if calls.len() >= MOST_FALLBACKS {
                calls.pop_front();
            }
            calls.push_back((call, self));
        });
    }

    /// Forgets what the fallbacks of an earlier attempt, or of an earlier call with the same context, have done.
    pub(crate) fn forget(operation: Operation, ctx: &RailContext) {
        // A change in shadow would hide later fallbacks from the rail in shadow.
        if ctx.is_shadow() || ctx.run.get::<FallbacksOfCalls>().is_none() {
            return;
        }
        let call = CallId::of(operation, ctx);
        ctx.run.update(|FallbacksOfCalls(calls): &mut FallbacksOfCalls| calls.retain(|(of, _)| *of != call));
    }

    /// Returns what the fallbacks of the call have done.
    pub(crate) fn of(operation: Operation, ctx: &RailContext) -> Self {
        let call = CallId::of(operation, ctx);
        let FallbacksOfCalls(calls) = ctx.run.get().unwrap_or_default();
        calls.into_iter().rev().find(|(of, _)| call.is_of(of)).map(|(_, fallbacks)| fallbacks).unwrap_or_default()
    }
}

/// Returns whether a rail has skipped the call before this event.
pub(crate) fn was_skipped(ctx: &RailContext) -> bool {
    ctx.substituted_by().is_some() && ctx.elapsed().is_none()
}
