//! How the operation before an event has ended.

use super::RailContext;
use crate::message::OperationErrorKind;

/// How the operation before an event has ended: see [`RailContext::operation_end`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperationEnd {
    /// The operation has not run. A rail before or around it has skipped or refused it.
    NotStarted,
    /// The operation has succeeded.
    Succeeded,
    /// The operation has returned an error. For a tool call, an output with
    /// [`is_error`](field@crate::ToolOutput::is_error) is an error too.
    Failed,
    /// The operation has not succeeded, and a rail has replaced its failure by a result without an error. The rail may have run
    /// another operation. A rail around the operation may have returned a result without running the operation.
    Replaced,
    /// The operation has begun, and nobody knows how it has ended. A rail around it has dropped its future, or it has failed
    /// with [`OperationErrorKind::Timeout`].
    Unknown,
}

impl OperationEnd {
    pub(crate) const fn of_error(kind: OperationErrorKind) -> Self {
        match kind {
            OperationErrorKind::Timeout => Self::Unknown,
            _ => Self::Failed,
        }
    }
}

impl RailContext {
    /// Returns how the operation before this event has ended, whatever rails have made of its result. Returns `None` if
    /// no guard of an operation runs, because the program has dispatched the event itself.
    ///
    /// Use it in rails that count what has really happened. Rails can replace the result of an operation: for example, a rail
    /// after a tool call can replace an output by an error.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::OperationEnd;
    ///
    /// #[rail(priority = 10, on = [PostToolCall])]
    /// fn withhold(output: &mut ToolOutput) {
    ///     *output = ToolOutput::error("the output is withheld");
    /// }
    ///
    /// #[rail(priority = 90, on = [PostToolCall])]
    /// fn count(ctx: &RailContext) {
    ///     if ctx.operation_end() == Some(OperationEnd::Succeeded) {
    ///         ctx.run.update(|paid: &mut u32| *paid += 1);
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let (rails, mut ctx) = (rail_chain![withhold, count], RunContext::new("desk"));
    /// let pay = |_| async { Ok::<_, OperationError>(ToolOutput::text("paid")) };
    /// assert!(rails.guard_tool_call(ToolCallInputs::new("pay"), &mut ctx, pay).await?.is_error);
    /// assert_eq!(ctx.run.get::<u32>(), Some(1));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn operation_end(&self) -> Option<OperationEnd> {
        self.operation_end.filter(|_| self.event.is_after())
    }

    #[inline]
    pub(crate) const fn set_operation_end(&mut self, end: OperationEnd) {
        self.operation_end = Some(end);
    }

    /// Records that a rail has made a result without an error.
    #[inline]
    pub(crate) fn replace_operation_end(&mut self) {
        if self.operation_end != Some(OperationEnd::Succeeded) {
            self.operation_end = Some(OperationEnd::Replaced);
        }
    }
}
