//! Rails and hooks that are listed at run time, called in their order: what both managers have in common.

use crate::context::RailContext;
use crate::decision::{Decision, Outcome, record_stop};
use crate::event::Event;
use crate::telemetry;

/// A rail or hook in a list for event `E`.
pub(super) trait Listed<E: Event>: Sync {
    /// Calls it, in a span when `traced`.
    fn call<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        traced: bool,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls it, or what is in it, when it is always called.
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;
}

/// Calls them in turn until one stops the event, then those after it that are always called.
pub(super) async fn run<E: Event, L: Listed<E>>(
    list: &[L],
    mut payload: E::Payload<'_>,
    ctx: &mut RailContext,
) -> Outcome<E> {
    // Asked once: it costs as much as a rail.
    let (traced, mut fault) = (telemetry::takes_rails(), None);
    for (i, listed) in list.iter().enumerate() {
        let outcome = listed.call(E::reborrow(&mut payload), ctx, traced).await;
        if matches!(outcome, Ok(Decision::Continue)) {
            continue;
        }
        if E::POINT.is_the_end() && outcome.is_err() {
            // Nothing is left to stop, so those after it are called. The first fault is the outcome.
            fault = fault.or(outcome.err());
            continue;
        }
        record_stop(&outcome, ctx);
        run_always(&list[i + 1..], payload, ctx).await;
        return outcome;
    }
    fault.map_or(Ok(Decision::Continue), Err)
}

/// Calls those that are always called.
pub(super) async fn run_always<E: Event, L: Listed<E>>(list: &[L], mut payload: E::Payload<'_>, ctx: &mut RailContext) {
    for listed in list {
        listed.call_if_always(E::reborrow(&mut payload), ctx).await;
    }
}
