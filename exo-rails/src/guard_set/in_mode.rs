//! Guard sets in an [`InMode`].

use futures_util::future::Either;

use crate::action::RailIdentity;
use crate::chain::Serves;
use crate::context::RailContext;
use crate::decision::{Decision, Outcome, ShadowPayload};
use crate::event::{Begins, CopiedPayload, Next, Operation, OperationResult};
use crate::rail::{EventFact, InMode, Mode, facts};

impl<E: CopiedPayload, R: Serves<E>> Serves<E> for InMode<R> {
    fn fact<F: EventFact>(&self) -> F::Value {
        if self.mode().keeps(F::KIND) { self.inner().fact::<F>() } else { F::NONE }
    }

    async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        match self.mode() {
            Mode::Enforce => self.inner().run_rails(payload, ctx).await,
            Mode::Shadow => {
                // Boxed, so that the future of an enforced guard set does not grow.
                Box::pin(run_in_shadow::<E, R>(self.inner(), E::reborrow(&mut payload), ctx)).await;
                Ok(Decision::Continue)
            }
            Mode::Off => Ok(Decision::Continue),
        }
    }

    async fn run_always_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        match self.mode() {
            Mode::Enforce => self.inner().run_always_rails(payload, ctx).await,
            Mode::Shadow => {
                let mut copies = E::Copies::default();
                let mut shadow = ctx.in_shadow(RailIdentity::of::<R>().at(ctx.path(), 0));
                let copy = E::copied(E::reborrow(&mut payload), &mut copies);
                self.inner().run_always_rails(copy, &mut shadow).await;
            }
            Mode::Off => {}
        }
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
        match self.mode() {
            Mode::Enforce => Either::Left(self.inner().surround(inputs, next)),
            Mode::Shadow | Mode::Off => Either::Right(next.run()),
        }
    }
}

/// Runs the rails of a guard set in shadow and reports their decision.
async fn run_in_shadow<E: CopiedPayload, R: Serves<E>>(rails: &R, mut payload: E::Payload<'_>, ctx: &mut RailContext) {
    let identity = RailIdentity::of::<R>().at(ctx.path(), 0);
    let (may_rewrite, window) = (rails.fact::<facts::MayRewrite>(), rails.fact::<facts::WindowSize>());
    let copied = ShadowPayload::<E>::new(E::reborrow(&mut payload), identity, may_rewrite, window);
    let Some(mut copied) = copied else { return };
    let mut shadow = ctx.in_shadow(identity);
    let outcome = rails.run_rails(copied.lend(E::reborrow(&mut payload)), &mut shadow).await;
    copied.report(payload, &outcome, None, ctx);
}
