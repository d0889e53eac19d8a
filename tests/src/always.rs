//! A guard set whose rails are told that an earlier part has stopped each event.

use exo_rails::prelude::*;
use exo_rails::{Outcome, Serves};

/// As a part of another guard set that has stopped every event before: only the rails that are always called run.
#[derive(Debug)]
pub struct AlwaysOnly<R>(pub R);

impl<E: Event, R: Serves<E>> Serves<E> for AlwaysOnly<R> {
    async fn run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        self.0.run_always_rails(payload, ctx).await;
        Ok(Decision::Continue)
    }
}
