//! Calls rails or hooks of a list in their order. `RailManager` and `HookManager` share this module.

use crate::context::RailContext;
use crate::decision::{Decision, Outcome, record_stop};
use crate::event::Event;
use crate::telemetry;

/// A rail or hook in a list for event `E`.
pub(super) trait Listed<E: Event>: Sync {
    /// Calls the rail, in a span if `traced` is true.
    fn call<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        traced: bool,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls the rail if it is always called. For a chain, calls the rails in it that are always called.
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;
}

/// Calls the rails in turn until one stops the event, then the later rails that are always called.
pub(super) async fn run<E: Event, L: Listed<E>>(
    list: &[L],
    mut payload: E::Payload<'_>,
    ctx: &mut RailContext,
) -> Outcome<E> {
    // Checked once for each dispatch, because it costs as much as a call of a rail.
    let (traced, mut fault) = (telemetry::takes_rails(), None);
    for (i, listed) in list.iter().enumerate() {
        let outcome = listed.call(E::reborrow(&mut payload), ctx, traced).await;
        if matches!(outcome, Ok(Decision::Continue)) {
            continue;
        }
        if E::POINT.is_the_end() && outcome.is_err() {
            // The run or the session ends anyway, so the later rails run too. The outcome is the first fault.
            fault = fault.or(outcome.err());
            continue;
        }
        record_stop(&outcome, ctx);
        run_always(&list[i + 1..], payload, ctx).await;
        return outcome;
    }
    fault.map_or(Ok(Decision::Continue), Err)
}

/// Calls the rails of the list that are always called.
pub(super) async fn run_always<E: Event, L: Listed<E>>(list: &[L], mut payload: E::Payload<'_>, ctx: &mut RailContext) {
    for listed in list {
        listed.call_if_always(E::reborrow(&mut payload), ctx).await;
    }
}
