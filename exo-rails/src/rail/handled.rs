//! The code that `#[rail]` puts around a function that takes more than parts of the event: a tool, its arguments, or
//! values of other rails.

use std::any::Any;
use std::error::Error as StdError;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::decision::{RailOutput, Reader, Returned};
use crate::error::{FaultCause, drop_quietly};
use crate::event::{Event, NoLayer, Payloads};

/// The result of such a rail.
///
/// The type does not depend on the return type of the rail. So rustc reports a wrong return type inside the call only,
/// and not again in a chain that lists the rail.
pub struct Handled<E: Payloads>(Returned<E>);

impl<E: Event> Handled<E> {
    /// The event is about another tool, so the rail was not called.
    pub const NOT_ASKED: Self = Self(Returned::Continue);

    /// The result of a rail that lacks an argument, or whose change cannot be written back.
    pub fn unable(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::faulted(FaultCause::Error(error.into()))
    }

    /// The result of a rail that panicked or took too long.
    #[must_use]
    pub const fn faulted(cause: FaultCause) -> Self {
        Self(Returned::Fault(cause))
    }

    /// The result of a rail that was called.
    pub const fn returned(returned: Returned<E>) -> Self {
        Self(returned)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for Handled<E> {
    /// The rail itself knows whether it decides: see `RailOn::CHANGES`.
    const DECIDES: bool = false;
    type Layer = NoLayer;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self.0, Returned::Continue)
    }

    #[inline]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        self.0.read(reader)
    }
}

/// Waits for a rail until its time limit.
///
/// # Errors
/// Returns an error if the rail takes longer. The rail is then dropped.
pub async fn within<F: Future>(limit: Duration, rail: F) -> Result<F::Output, FaultCause> {
    tokio::time::timeout(limit, rail).await.map_err(|_| FaultCause::Timeout { limit })
}

/// Waits for a rail that may panic.
///
/// # Errors
/// Returns an error if the rail panics.
pub async fn caught<F: Future>(rail: F) -> Result<F::Output, FaultCause> {
    let rail = pin!(Some(rail));
    let mut rail = Caught(rail);
    poll_fn(move |task| rail.poll(task)).await
}

/// A rail whose panics are caught. It also catches panics of values that are dropped with the rail, for example at a
/// time-out.
struct Caught<'r, F>(Pin<&'r mut Option<F>>);

impl<F: Future> Caught<'_, F> {
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Result<F::Output, FaultCause>> {
        let Some(rail) = self.0.as_mut().as_pin_mut() else { return Poll::Pending };
        // This is unwind safe: a rail shares values behind locks that report poisoning, and it does not use its part of
        // the event after a panic.
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

/// Calls a rail that does not wait, and that may panic.
///
/// # Errors
/// Returns an error if the rail panics.
pub fn caught_at_once<O>(rail: impl FnOnce() -> O) -> Result<O, FaultCause> {
    catch_unwind(AssertUnwindSafe(rail)).map_err(panicked)
}

fn panicked(panic: Box<dyn Any + Send>) -> FaultCause {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let message = text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "with no text".to_owned());
    drop_quietly(panic);
    FaultCause::Panic { message }
}
