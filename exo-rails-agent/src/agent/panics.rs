//! Tools that panic.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use exo_rails::{OperationError, OperationErrorKind, ToolOutput};
use futures_util::FutureExt;

/// Waits for a tool, whose panic is an error of the tool.
pub(super) async fn caught(
    tool: impl Future<Output = Result<ToolOutput, OperationError>> + Send,
) -> Result<ToolOutput, OperationError> {
    // What the tool shares with others, it shares behind locks that say when they were poisoned; the call itself is over.
    AssertUnwindSafe(tool).catch_unwind().await.unwrap_or_else(|panic| Err(panicked(panic)))
}

fn panicked(panic: Box<dyn Any + Send>) -> OperationError {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_else(|| "with no text".to_owned());
    // What a panic carries may panic when it is dropped, and so may what that panic carries.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(again);
    }
    OperationError::new(OperationErrorKind::Other, format!("the tool panicked: {text}"))
}
