//! What `#[rail]` puts around a function that asks for more than parts of the event: a tool, its arguments, values of
//! other rails.

use std::any::Any;
use std::error::Error as StdError;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::decision::{RailOutput, Reader, Returned};
use crate::error::{FaultCause, drop_quietly};
use crate::event::{Event, Payloads};

/// What comes of such a rail.
///
/// Its type says nothing of what the rail returns: what is wrong with that is told inside the call, and a chain that
/// lists the rail does not tell it again.
pub struct Handled<E: Payloads>(Returned<E>);

impl<E: Event> Handled<E> {
    /// The event is about another tool: the rail was not called.
    pub const NOT_ASKED: Self = Self(Returned::Continue);

    /// What it asks for is not there, or what it has changed cannot be kept.
    pub fn unable(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::faulted(FaultCause::Error(error.into()))
    }

    /// It did not come to an end, or not in time.
    #[must_use]
    pub const fn faulted(cause: FaultCause) -> Self {
        Self(Returned::Fault(cause))
    }

    /// It was called.
    pub const fn returned(returned: Returned<E>) -> Self {
        Self(returned)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for Handled<E> {
    /// Whether it does is known to the rail: it is part of `RailOn::CHANGES`.
    const DECIDES: bool = false;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self.0, Returned::Continue)
    }

    #[inline]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        self.0.read(reader)
    }
}

/// Waits for a rail, as long as it may take.
///
/// # Errors
/// When it takes longer; it is then dropped.
pub async fn within<F: Future>(limit: Duration, rail: F) -> Result<F::Output, FaultCause> {
    tokio::time::timeout(limit, rail).await.map_err(|_| FaultCause::Timeout { limit })
}

/// Waits for a rail that may panic.
///
/// # Errors
/// When it does.
pub async fn caught<F: Future>(rail: F) -> Result<F::Output, FaultCause> {
    let rail = pin!(Some(rail));
    let mut rail = Caught(rail);
    poll_fn(move |task| rail.poll(task)).await
}

/// A rail whose panics are caught: also those of what it drops when it is dropped itself, at a time-out say.
struct Caught<'r, F>(Pin<&'r mut Option<F>>);

impl<F: Future> Caught<'_, F> {
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Result<F::Output, FaultCause>> {
        let Some(rail) = self.0.as_mut().as_pin_mut() else { return Poll::Pending };
        // What a rail shares with others, it shares behind locks that say when they were poisoned; and what it had of the
        // event is not used by it any more.
        match catch_unwind(AssertUnwindSafe(|| rail.poll(task))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panicked(panic))),
        }
    }
}

impl<F> Drop for Caught<'_, F> {
    fn drop(&mut self) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.0.set(None))) {
            drop_quietly(panic);
        }
    }
}

/// The same for a rail that has nothing to wait for.
///
/// # Errors
/// When it panics.
pub fn caught_at_once<O>(rail: impl FnOnce() -> O) -> Result<O, FaultCause> {
    catch_unwind(AssertUnwindSafe(rail)).map_err(panicked)
}

fn panicked(panic: Box<dyn Any + Send>) -> FaultCause {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let message = text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "with no text".to_owned());
    drop_quietly(panic);
    FaultCause::Panic { message }
}
