//! Guard sets that a program replaces while agents run.

use crate::chain::Serves;
use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::{Begins, Event, Next, Operation, OperationResult};
use crate::rail::{EventFact, FactKind, Reloadable};

impl<E: Event, R: Serves<E>> Serves<E> for Reloadable<R> {
    fn fact<F: EventFact>(&self) -> F::Value {
        match F::KIND {
            FactKind::HasRails | FactKind::WindowSize => self.current().fact::<F>(),
            // The program may replace the guard set during an operation, and the new one may change the payload, surround the
            // operation, or read the time.
            FactKind::MayRewrite | FactKind::IsTimed | FactKind::Surrounds => F::UNKNOWN,
        }
    }

    async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        self.current().run_rails(E::reborrow(&mut payload), ctx).await
    }

    async fn run_always_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        self.current().run_always_rails(E::reborrow(&mut payload), ctx).await;
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
        self.current().surround(inputs, next).await
    }
}
