//! A guard set with an audit around it.

use exo_rails::{
    Begins, Decision, Event, EventFact, HookPoint, Meets, Next, Operation, OperationResult, Outcome, RailContext,
    RailFault, Serves, WithEvents,
};

use crate::audit::Audit;
use crate::error::AuditError;

/// The name of the rail in faults.
const RAIL: &str = "audit";

/// A guard set with an [`Audit`] around it: see [`Audit::wrap`].
///
/// It serves the same events as the guard set.
#[derive(Clone, Debug)]
pub struct Audited<R> {
    rails: WithEvents<R>,
    audit: Audit,
}

impl Audit {
    /// Puts the audit around a guard set. The log has the events of this guard set. One audit can be around the guard sets of
    /// many agents.
    pub fn wrap<R>(&self, rails: R) -> Audited<R> {
        Audited { rails: self.bus().wrap(rails), audit: self.clone() }
    }
}

impl<R> Audited<R> {
    /// Returns the guard set inside.
    pub const fn rails(&self) -> &R {
        self.rails.rails()
    }

    /// Returns a mutable reference to the guard set inside.
    pub const fn rails_mut(&mut self) -> &mut R {
        self.rails.rails_mut()
    }

    /// Returns the audit.
    pub const fn audit(&self) -> &Audit {
        &self.audit
    }

    /// Returns the fault of the audit at an event, or reports the error.
    fn fault(&self, point: HookPoint, error: AuditError) -> Option<RailFault> {
        // At these events, the run has ended already. The error of the run says more than a fault.
        let is_over = matches!(point, HookPoint::Error | HookPoint::Suspended | HookPoint::Dropped);
        if self.audit.faults() && !is_over {
            return Some(RailFault::new(RAIL, point, error));
        }
        tracing::warn!(target: "exo_rails_audit", event = point.name(), %error, "an event has no record");
        None
    }
}

impl<P, R: Meets<P>> Meets<P> for Audited<R> {}

impl<E: Event, R: Serves<E>> Serves<E> for Audited<R> {
    fn fact<F: EventFact>(&self) -> F::Value {
        F::entered(Serves::<E>::fact::<F>(&self.rails))
    }

    async fn run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        // The rails of `Dropped` run while a run is dropped, so nothing can wait there.
        if E::POINT != HookPoint::Dropped
            && let Err(error) = self.audit.ready().await
            && let Some(fault) = self.fault(E::POINT, error)
        {
            return Err(fault);
        }
        let outcome = self.rails.run_rails(payload, ctx).await;
        match self.audit.record(E::POINT).await {
            Err(error) if !matches!(outcome, Err(_) | Ok(Decision::Abort(_))) => {
                self.fault(E::POINT, error).map_or(outcome, Err)
            }
            _ => outcome,
        }
    }

    fn run_always_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        Serves::<E>::run_always_rails(&self.rails, payload, ctx)
    }

    fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        Serves::<E>::surround(&self.rails, inputs, next)
    }
}
