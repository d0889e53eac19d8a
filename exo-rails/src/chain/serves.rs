//! What runs the rails of one event.

use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::Event;

/// A guard set that serves event `E`.
///
/// Chains implement it for the events that they serve, [`RailManager`](crate::RailManager) and
/// [`HookManager`](crate::HookManager) for every event. Implement it to put something around a guard set:
/// tracing, say. Users call [`GuardSet::dispatch`](crate::GuardSet::dispatch).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not serve the event `{E}`",
    label = "does not serve `{E}`",
    note = "a chain serves the events of the library, and those of your own that it names: `#[chain(events = [{E}])]`",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `HookManager` and `NoRails`"
)]
pub trait Serves<E: Event>: Send + Sync {
    /// Whether there is anything to run. Where there is not, the event is passed over: a context stays at the event
    /// before.
    fn has_rails(&self) -> bool {
        true
    }

    /// Whether a rail may change the payload: then a guarded operation keeps the original, for retries.
    fn may_rewrite(&self) -> bool {
        true
    }

    /// How many characters of a streamed answer its rails have to see together: so many are held back. Only
    /// [`LlmChunk`](crate::events::LlmChunk) is asked. A guard set that does not say holds back all of the answer.
    fn stream_window(&self) -> usize {
        usize::MAX
    }

    /// Runs the rails of the event, in their order, until one of them does not continue.
    fn run_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls only the rails that are [always called](macro@crate::rail#rails-that-are-always-called): the guard set is
    /// part of another, and there a rail has stopped the event. A guard set made of others passes it on to them.
    fn run_always_rails<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// Begins an event and runs its rails.
#[inline]
pub(crate) fn enter<'a, E: Event, R: Serves<E> + ?Sized>(
    rails: &'a R,
    payload: E::Payload<'a>,
    ctx: &'a mut RailContext,
) -> impl Future<Output = Outcome<E>> + Send {
    if rails.has_rails() {
        ctx.enter(E::POINT);
    }
    rails.run_rails(payload, ctx)
}
