//! Cancellation of a guard that waits.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::RunScope;
use crate::error::RunError;

/// Ends the guard of an operation when the run is cancelled while a rail waits.
// A context keeps it from one operation to the next. Asking the token takes a lock, so the guard asks only when it
// waits. An operation whose rails do not wait pays for one comparison.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    under_way: UnderWay,
    bell: Bell,
}

/// Whether an operation is running that a cancelled run must not drop.
#[derive(Debug, Default)]
pub(crate) struct UnderWay(AtomicBool);

/// Wakes the task when the run is cancelled.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    /// The scope of the run, if the run has a token.
    scope: Option<Arc<RunScope>>,
    cancelled: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl Watch {
    pub(super) fn of(scope: &Arc<RunScope>) -> Self {
        let scope = scope.cancellation().is_some().then(|| Arc::clone(scope));
        Self { under_way: UnderWay::default(), bell: Bell { scope, cancelled: None } }
    }

    /// Returns both parts: the flag of the operation, and the bell that ends a wait.
    #[inline(always)]
    pub(crate) const fn parts(&mut self) -> (&UnderWay, &mut Bell) {
        (&self.under_way, &mut self.bell)
    }

    /// Waits for a future, unless the run is cancelled while it waits.
    pub(crate) const fn unless_cancelled<F: Future<Output: OrCancelled>>(
        &mut self,
        future: F,
    ) -> UnlessCancelled<'_, F> {
        let (under_way, bell) = self.parts();
        bell.unless_cancelled(under_way, future)
    }
}

impl UnderWay {
    /// Marks an operation as running until the caller drops the returned value.
    #[inline(always)]
    pub(crate) fn begin(&self, is_under_way: bool) -> Operating<'_> {
        self.0.store(is_under_way, Ordering::Relaxed);
        Operating(self)
    }
}

/// An operation that is running.
pub(crate) struct Operating<'w>(&'w UnderWay);

impl Drop for Operating<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        (self.0).0.store(false, Ordering::Relaxed);
    }
}

impl Bell {
    /// Waits for a future. Drops the future if the run is cancelled while it waits, unless an operation is running in
    /// it.
    #[inline(always)]
    pub(crate) const fn unless_cancelled<'w, F: Future<Output: OrCancelled>>(
        &'w mut self,
        under_way: &'w UnderWay,
        future: F,
    ) -> UnlessCancelled<'w, F> {
        UnlessCancelled { future, under_way, bell: self }
    }

    #[cold]
    fn rings(&mut self, task: &mut Context<'_>) -> bool {
        let Some(token) = self.scope.as_ref().and_then(|scope| scope.cancellation()) else { return false };
        let cancelled = self.cancelled.get_or_insert_with(|| Box::pin(token.clone().cancelled_owned()));
        cancelled.as_mut().poll(task).is_ready()
    }
}

/// A result that can report the cancellation of the run.
pub(crate) trait OrCancelled {
    fn cancelled() -> Self;
}

impl<T> OrCancelled for Result<T, RunError> {
    #[cold]
    fn cancelled() -> Self {
        Err(RunError::Cancelled)
    }
}

pin_project! {
    /// A future of a run that can be cancelled.
    #[must_use = "futures do nothing unless they are polled"]
    pub(crate) struct UnlessCancelled<'w, F> {
        #[pin]
        future: F,
        under_way: &'w UnderWay,
        bell: &'w mut Bell,
    }
}

impl<F: Future<Output: OrCancelled>> Future for UnlessCancelled<'_, F> {
    type Output = F::Output;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        match this.future.poll(task) {
            // The bell comes first, because it registers the task.
            Poll::Pending if this.bell.rings(task) && !this.under_way.0.load(Ordering::Relaxed) => {
                Poll::Ready(F::Output::cancelled())
            }
            polled => polled,
        }
    }
}
