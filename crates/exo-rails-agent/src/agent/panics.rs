//! Tools that panic.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use exo_rails::{OperationError, OperationErrorKind, ToolOutput};
use futures_util::FutureExt;

/// Waits for a tool, and turns its panic into an error of the tool.
pub(super) async fn caught(
    tool: impl Future<Output = Result<ToolOutput, OperationError>> + Send,
) -> Result<ToolOutput, OperationError> {
    // The call itself has ended. A tool shares other values through locks, and a lock reports that it is poisoned.
    AssertUnwindSafe(tool).catch_unwind().await.unwrap_or_else(|panic| Err(panicked(panic)))
}

fn panicked(panic: Box<dyn Any + Send>) -> OperationError {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "with no text".to_owned());
    // The payload of a panic may panic when it is dropped. The payload of that second panic may panic too.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(again);
    }
    OperationError::new(OperationErrorKind::Other, format!("the tool panicked: {text}"))
}
