//! A rail in a list that is made at run time, behind `dyn`.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tracing::Instrument;

use crate::context::RailContext;
use crate::decision::{Decision, Outcome, PlacedRail, outcome};
use crate::event::{Begins, BoxedNext, Event, Operation, OperationResult};
use crate::guard_set::hook::ObserverFuture;
use crate::guard_set::listed::Listed;
use crate::rail::RailOn;
use crate::telemetry;

/// A rail in the list of one event.
pub(super) struct ManagedEntry<E: Event> {
    /// The rail, at the place with the number of its handle.
    pub(super) at: PlacedRail,
    pub(super) priority: i32,
    pub(super) rewrites: bool,
    /// Whether the rail also runs after an earlier rail has stopped the event.
    pub(super) always: bool,
    /// Whether the rail surrounds the operation that the event begins.
    pub(super) around: bool,
    pub(super) rail: Arc<dyn DynRail<E>>,
}

impl<E: Event> Clone for ManagedEntry<E> {
    fn clone(&self) -> Self {
        let Self { at, priority, rewrites, always, around, rail } = self;
        let (priority, rewrites, always, around) = (*priority, *rewrites, *always, *around);
        Self { at: at.clone(), priority, rewrites, always, around, rail: Arc::clone(rail) }
    }
}

// The spans are here, and not where the type of the rail is known: there they would need a second call of each rail, and
// machine code for it.
impl<E: Event> Listed<E> for ManagedEntry<E> {
    fn call<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        traced: bool,
    ) -> impl Future<Output = Outcome<E>> + Send {
        if traced { self.call_in_span(payload, ctx) } else { self.rail.call(payload, ctx, &self.at) }
    }

    async fn call_if_always<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        if !self.always {
            return;
        }
        if !telemetry::takes_rails() {
            return self.rail.call_if_always(payload, ctx, &self.at).await;
        }
        let span = telemetry::rail_span(&self.at.name, self.priority, E::POINT);
        let call = span.in_scope(|| self.rail.call_if_always(payload, ctx, &self.at)).instrument(span.clone());
        call.await;
        telemetry::decided::<E>(&span, &Ok(Decision::Continue));
    }
}

impl<E: Event> ManagedEntry<E> {
    #[cold]
    fn call_in_span<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> OutcomeFuture<'a, E> {
        let span = telemetry::rail_span(&self.at.name, self.priority, E::POINT);
        let call = span.in_scope(|| self.rail.call(payload, ctx, &self.at)).instrument(span.clone());
        Box::pin(async move {
            let outcome = call.await;
            telemetry::decided::<E>(&span, &outcome);
            outcome
        })
    }
}

/// The boxed future of a rail behind `dyn`.
type OutcomeFuture<'a, E> = Pin<Box<dyn Future<Output = Outcome<E>> + Send + 'a>>;

/// A rail at one event, behind `dyn`.
pub(super) trait DynRail<E: Event>: Send + Sync {
    fn call<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> OutcomeFuture<'a, E>;

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> ObserverFuture<'a>;

    fn surround<'a>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: BoxedNext<'a, E::Operation>,
    ) -> BoxFuture<'a, OperationResult<E::Operation>>
    where
        E: Begins;
}

impl<E: Event, R: RailOn<E> + Send + Sync> DynRail<E> for R {
    fn call<'a>(
        &'a self,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> OutcomeFuture<'a, E> {
        Box::pin(async move {
            let output = RailOn::call_at(self, E::reborrow(&mut payload), ctx, at).await;
            outcome::<E>(R::decide(output, at, ctx))
        })
    }

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> ObserverFuture<'a> {
        // The condition is a constant, so the compiler makes no code for the other rails.
        if const { R::ROW.is_always_on(E::POINT) } {
            Box::pin(RailOn::call_if_always(self, payload, ctx, at))
        } else {
            Box::pin(std::future::ready(()))
        }
    }

    fn surround<'a>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: BoxedNext<'a, E::Operation>,
    ) -> BoxFuture<'a, OperationResult<E::Operation>>
    where
        E: Begins,
    {
        Box::pin(RailOn::surround(self, inputs, next))
    }
}
