//! A guard set that runs only the rails that are always called.

use exo_rails::prelude::*;
use exo_rails::{Outcome, Serves};

/// Calls its rails as if an earlier part of a guard set had stopped every event. So only the rails that are always called
/// run.
#[derive(Debug)]
pub struct AlwaysOnly<R>(pub R);

impl<E: Event, R: Serves<E>> Serves<E> for AlwaysOnly<R> {
    async fn run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        self.0.run_always_rails(payload, ctx).await;
        Ok(Decision::Continue)
    }
}
