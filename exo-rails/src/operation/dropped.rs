//! Runs and sessions that are dropped before they end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tracing::warn;

use crate::chain::enter;
use crate::context::RailContext;
use crate::decision::{OnFault, report};
use crate::event::Dropped;
use crate::guard_set::GuardSet;
use crate::message::{DroppedInputs, DroppedScope, Usage};

/// A run in progress. If it is dropped before it ends, the rails of `Dropped` run.
pub(super) struct OngoingRun<'r, R: GuardSet> {
    pub(super) rails: &'r R,
    pub(super) ctx: &'r mut RailContext,
    pub(super) has_ended: bool,
}

impl<R: GuardSet> Drop for OngoingRun<'_, R> {
    fn drop(&mut self) {
        if !self.has_ended {
            dropped(self.rails, DroppedScope::Run, self.ctx);
        }
    }
}

/// Runs the rails of `Dropped`.
pub(super) fn dropped<R: GuardSet>(rails: &R, what: DroppedScope, ctx: &mut RailContext) {
    let usage = if what == DroppedScope::Run { ctx.usage() } else { Usage::default() };
    let inputs = DroppedInputs::new(what, usage);
    let call = || {
        let future = pin!(enter::<Dropped, R>(rails, &inputs, ctx));
        future.poll(&mut Context::from_waker(Waker::noop()))
    };
    // A panic inside a drop could end the process, so it is caught.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Poll::Ready(Ok(_))) => {}
        Ok(Poll::Ready(Err(fault))) => report(&fault, OnFault::Continue),
        Ok(Poll::Pending) => warn!("a rail or hook on `Dropped` waits: the library stopped its call"),
        Err(_) => warn!("a rail or hook on `Dropped` panicked"),
    }
}
